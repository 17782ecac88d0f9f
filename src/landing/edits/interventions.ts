/** @file Parts of a question because of which the run would have computed something else. */
import type { Binding, Reference, Statement, StatementList } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { Added, Additions } from "./described.ts";
import { contains, isBefore, isLog } from "./described.ts";

/** An added statement because of which the run would have computed something else. */
export interface Intervention {
  readonly added: Statement;
  /** The statement of the run that would. */
  readonly affected: Statement;
  /** What sets the same behind it, and may not give back what was there. */
  readonly undo?: Statement | undefined;
  /** Nobody knows whether it does: it is a `with` of the question's own around that. */
  readonly isUncertain?: boolean;
}

/** The first of them; undefined: what was chosen of the additions is a question about the run. */
export function interventionOf(
  additions: Additions,
  chosen: ReadonlySet<Added>,
): Intervention | undefined {
  return new Interventions(additions, chosen).find();
}

interface FirstUse {
  readonly use: "none" | "read" | "set";
  readonly by?: Statement;
  /** What sets it may be passed over, by a `break` or `continue`. */
  readonly isPassed?: boolean;
}

/** What a name is given that is a number for certain. */
const NUMBER = /^\s*(?:[-+*/]|\*\*|\/\/)?=\s*[-+]?\.?\d[\d_.]*(?:e[-+]?\d+)?\s*(?:[#;\n]|$)/i;
const LEAVES = /^(?:break|continue)\b/;

class Interventions {
  readonly #additions: Additions;
  readonly #chosen: ReadonlySet<Added>;

  constructor(additions: Additions, chosen: ReadonlySet<Added>) {
    this.#additions = additions;
    this.#chosen = chosen;
  }

  find(): Intervention | undefined {
    return this.#interferes() ?? this.#binds() ?? this.#wraps();
  }

  /**
   * Something that was added around statements of the run changes what they do, and what is asked
   * stands there, or reads what they change; or it is a part of the question, and may keep an error.
   */
  #wraps(): Intervention | undefined {
    const wanted = new Set([...this.#chosen].flatMap(({ names }) => [...names]));
    for (const added of this.#additions.all) {
      const { statement, shaped } = added;
      const wraps = shaped?.wraps;
      const [affected] =
        wraps?.block.statements.filter((one) => !this.#additions.isAdded(one)) ?? [];
      if (!wraps || !affected) continue;
      const isInside = [...this.#chosen].some((one) =>
        contains(statement.node, one.statement.node),
      );
      const isRead = [...this.#additions.describe(statement).changes].some((one) =>
        wanted.has(one),
      );
      const changesRun = [...added.sets].some((binding) => !this.#additions.isNew(binding));
      const changes = (!wraps.isHarmless || changesRun) && (isInside || isRead);
      const stays = this.#chosen.has(added) && !wraps.canStay;
      const isUncertain = this.#isOwnContext(statement, affected);
      if (changes || stays) return { added: statement, affected, isUncertain };
    }
    return undefined;
  }

  /**
   * A part of the question gives a value to a name, and a statement of the run reads it: what is set
   * back behind a part are objects, not names. A new name may also hide one that the run means.
   */
  #binds(): Intervention | undefined {
    for (const added of this.#chosen) {
      for (const binding of added.binds) {
        const isNew = this.#additions.isNew(binding);
        // What the run's own line sets in addition is there for who was added.
        if ((added.shaped && isNew) || this.#isGivenBack(added, binding)) continue;
        const affected = isNew ? this.#userOf(binding) : this.#readerOf(added, binding);
        if (affected) {
          return { added: added.statement, affected, undo: this.#undoOf(added, binding) };
        }
      }
    }
    return undefined;
  }

  /** A `with` of a class or function that only the question has, or of what it has made of one. */
  #isOwnContext({ node }: Statement, inside: Statement): boolean {
    const head = { start: node.start, end: inside.node.start };
    const uses = /^with/i.test(node.type) ? this.#additions.references(head) : [];
    return uses.some(({ binding, isRead }) => {
      return isRead && binding && binding.kind !== "import" && this.#additions.isNew(binding);
    });
  }

  /** What sets a name again, in the same part. */
  #undoOf(added: Added, binding: Binding): Statement | undefined {
    const later = this.#additions.all.filter((one) => {
      return one.gap === added.gap && one.sets.has(binding) && isBefore(added, one);
    });
    return later.at(-1)?.statement;
  }

  /** `x *= 2`, where that may change the object that `x` is. */
  #isInPlace({ statement }: Added, binding: Binding): boolean {
    const { edit, newText } = this.#additions;
    const { now } = edit;
    const uses = this.#additions.references(statement.node);
    const isChanged = uses.some((use) => use.binding === binding && use.isWrite && use.isRead);
    const ofRun = binding.definitions.filter(({ node }) => {
      return !newText.some((part) => contains(part, node));
    });
    const isNumber =
      ofRun.length > 0 && ofRun.every(({ node: { end } }) => NUMBER.test(now.text.slice(end)));
    return now.language.changesInPlace && isChanged && !isNumber;
  }

  /** Whether the part ends with the name as it was: `x = was`, after `was = x`. */
  #isGivenBack({ gap }: Added, binding: Binding): boolean {
    const part = this.#additions.all.filter((other) => other.gap === gap);
    const setters = part.filter(({ binds }) => binds.has(binding));
    const [first, last] = [setters[0], setters.at(-1)];
    if (!first || !last) return false;
    if (setters.some((one) => this.#isInPlace(one, binding))) {
      // `x *= 2; x[:] = was`: as it is an object, the execution shows whether it is as it was.
      return part.some((one) => {
        return !one.binds.has(binding) && one.sets.has(binding) && isBefore(last, one);
      });
    }
    const kept = [...last.names].find((name) => name !== binding && this.#additions.isNew(name));
    const keeper = part.find(({ binds }) => kept && binds.has(kept));
    return keeper !== undefined && keeper.names.has(binding) && isBefore(keeper, first);
  }

  /** The innermost statement of the run that a name has become known to. */
  #userOf(binding: Binding): Statement | undefined {
    const uses = this.#additions.edit.now.scopes.references.filter((use) => {
      return (
        use.binding === binding && !this.#additions.newText.some((part) => contains(part, use.node))
      );
    });
    return this.#additions.edit.now.statements.findLast(({ node }) => {
      return uses.some((use) => contains(node, use.node));
    });
  }

  /** The statement of the run that would read the value of a name first; undefined: none does. */
  #readerOf(added: Added, binding: Binding): Statement | undefined {
    const { lists } = this.#additions.edit.now;
    const method = this.#methodReading(binding);
    if (method) return method;
    if (added.shaped) {
      const [inside] = this.#blocksOf(added.statement);
      const { use, by } = this.#firstUse(inside?.statements ?? [], binding);
      if (use === "read") return by;
    }
    let inner: Statement | null = added.statement;
    while (inner) {
      const { owner, node }: Statement = inner;
      const block = lists.find((list) => list.owner === owner)?.statements ?? [];
      const later = block.filter((one) => one.node.start > node.start);
      // It may be a loop: the next iteration begins before it.
      const earlier = block.filter((one) => one.node.start < node.start);
      const { use, by, isPassed } = this.#firstUse(later, binding);
      if (use === "read") return by;
      if (use === "set" && !isPassed) return undefined;
      const next = this.#firstUse(earlier, binding);
      if (next.use === "read") return next.by;
      if (next.use === "set" && use === "none") return undefined;
      inner = inner.parent;
      // Each call has a name of its own.
      if (inner?.parameters && contains(inner.node, binding.scope.node)) return undefined;
    }
    return undefined;
  }

  /** Who calls a method is not seen. */
  #methodReading(binding: Binding): Statement | undefined {
    const { members, scopes, statements } = this.#additions.edit.now;
    const reads = scopes.references.filter((use) => use.binding === binding && use.isRead);
    return [...statements, ...members.flatMap((list) => list.statements)].find((one) => {
      if (one.member === undefined || one.parameters === undefined) return false;
      const isOwn = contains(one.node, binding.scope.node) || this.#additions.isAdded(one);
      return !isOwn && reads.some(({ node }) => contains(one.node, node));
    });
  }

  /** What statements of the run do with the value that a name has before them. */
  #firstUse(statements: readonly Statement[], binding: Binding): FirstUse {
    let isPassed = false;
    for (const one of statements.filter((statement) => !this.#additions.isAdded(statement))) {
      const blocks = this.#blocksOf(one);
      const isHead = (use: Span): boolean => !blocks.some(({ owner }) => contains(owner, use));
      // A function reads when it is called.
      const head = one.parameters
        ? []
        : this.#additions.references(one.node).filter((use) => isHead(use.node));
      if (head.some((use) => use.isRead && this.#isUseOf(use, binding)))
        return { use: "read", by: one };
      const isSet =
        head.some((use) => use.isWrite && use.binding === binding) ||
        binding.declarations.some((at) => contains(one.node, at) && isHead(at));
      if (isSet && blocks.length === 0) return { use: "set", isPassed };
      isPassed ||= this.#mayLeave(one);
      // A loop that sets it does so before its body.
      if (isSet || one.parameters) continue;
      for (const { statements: inside } of blocks) {
        if (this.#firstUse(inside, binding).use === "read") return { use: "read", by: one };
      }
    }
    return { use: "none" };
  }

  /** Whether what follows in the block may be passed over. */
  #mayLeave({ node: around }: Statement): boolean {
    const { statements, text } = this.#additions.edit.now;
    return statements.some(
      ({ node }) => contains(around, node) && LEAVES.test(text.slice(node.start, node.end)),
    );
  }

  /** The blocks of a statement that lie in no other block of it. */
  #blocksOf({ node, owner: around }: Statement): readonly StatementList[] {
    const inside = this.#additions.edit.now.lists.filter(({ owner }) => {
      return owner !== around && contains(node, owner);
    });
    return inside.filter((list) => {
      return !inside.some((other) => other !== list && contains(other.owner, list.owner));
    });
  }

  #isUseOf(use: Reference, binding: Binding): boolean {
    if (use.binding === binding) return true;
    const body = use.binding && this.#additions.functionOf(use.binding);
    return body ? this.#additions.mentions(body, binding, new Set([use.binding])) : false;
  }

  /**
   * Something that was added changes an object of the run, and the run continues with that: in a
   * statement between two parts of the question, or in one that computes what is asked.
   */
  #interferes(): Intervention | undefined {
    const wanted = new Set([...this.#chosen].flatMap(({ names }) => [...names]));
    for (const added of this.#additions.all.filter(({ shaped }) => !shaped)) {
      // What is not asked is not evaluated.
      if (isLog(added) && !this.#chosen.has(added)) continue;
      for (const binding of added.sets) {
        if (this.#additions.isNew(binding) || this.#isUndoneAtOnce(added, binding)) continue;
        const until = this.#chosen.has(added) ? this.#lastWith(added, binding) : Infinity;
        const affected = added.gap.now.statements.find((one) => {
          const { start, end } = one.node;
          if (start < added.statement.node.end || end > until || this.#additions.isAdded(one))
            return false;
          const isOnTheWay =
            this.#chosen.has(added) ||
            [...this.#additions.describe(one).changes].some((set) => wanted.has(set));
          return isOnTheWay && this.#additions.mentions(one.node, binding);
        });
        if (affected) return { added: added.statement, affected };
      }
    }
    return undefined;
  }

  /** Whether another statement of the same part sets the same name: one of them sets it back. */
  #isUndoneAtOnce(one: Added, binding: Binding): boolean {
    return this.#additions.all.some((other) => {
      return other.gap === one.gap && other !== one && !isLog(other) && other.sets.has(binding);
    });
  }

  /** Where the question last has to do with a name, in the block of one of its statements. */
  #lastWith({ gap }: Added, binding: Binding): number {
    const last = [...this.#chosen].findLast((other) => {
      return other.gap !== gap && other.gap.now === gap.now && other.names.has(binding);
    });
    return last?.statement.node.start ?? 0;
  }
}

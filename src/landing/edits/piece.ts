/**
 * @file The question behind an added log call: of all that was added to a file, what the call needs,
 * what changes what it reads, and what undoes that. Followed by names until nothing more belongs to
 * it: to put in more of what somebody wrote than is needed is right, to leave out half of it is not.
 */
import type { Binding, Reference, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { FileEdit, Gap } from "./align.ts";

/** Why an added statement belongs to a question. */
export type PieceReason = "asked" | "needed" | "changes what it reads" | "undoes it" | "same part";

export interface PieceStatement {
  readonly statement: Statement;
  readonly gap: Gap;
  readonly reason: PieceReason;
}

/** An added statement because of which the run would have computed something else. */
export interface Intervention {
  readonly added: Statement;
  /** The statement of the run that would. */
  readonly affected: Statement;
}

export interface FilePiece {
  /** In the order of the newer text; empty if no asked call was added. */
  readonly statements: readonly PieceStatement[];
  /** Then what is asked is no question about the run. */
  readonly intervention: Intervention | undefined;
  /** Names and properties that one part of it sets and another one uses: they are in no checkpoint. */
  readonly state: readonly string[];
}

/** What is put in to evaluate the log calls at these offsets of the newer text. */
export function pieceFor(edit: FileEdit, asked: readonly number[]): FilePiece {
  return new PieceChoice(edit).choose(asked);
}

/** A statement, and the names that it has to do with. */
interface Described {
  readonly statement: Statement;
  readonly names: ReadonlySet<Binding>;
  /** Names that it gives a value, or whose values it changes for certain. */
  readonly sets: ReadonlySet<Binding>;
  /** Those, and the ones whose values it may change. */
  readonly changes: ReadonlySet<Binding>;
  readonly properties: ReadonlySet<string>;
  readonly setsProperties: ReadonlySet<string>;
}

interface Added extends Described {
  readonly gap: Gap;
}

class PieceChoice {
  readonly #edit: FileEdit;
  readonly #added: readonly Added[];
  readonly #chosen = new Map<Added, PieceReason>();
  /** Properties that the older version mentions belong to the run. */
  readonly #oldProperties: ReadonlySet<string>;

  constructor(edit: FileEdit) {
    this.#edit = edit;
    this.#oldProperties = new Set(edit.then.uses.members.map(({ name }) => name));
    this.#added = edit.gaps
      .flatMap((gap) => gap.added.map((one) => ({ ...this.#describe(one), gap })))
      .toSorted((one, other) => one.statement.node.start - other.statement.node.start);
  }

  choose(asked: readonly number[]): FilePiece {
    for (const one of this.#added) {
      if (asked.some((offset) => holds(one.statement.node, offset))) this.#chosen.set(one, "asked");
    }
    while (this.#chosen.size > 0 && this.#chooseMore());
    const statements = this.#added.flatMap((one) => {
      const reason = this.#chosen.get(one);
      return reason ? [{ statement: one.statement, gap: one.gap, reason }] : [];
    });
    return {
      statements,
      intervention: this.#intervention(),
      state: this.#state(),
    };
  }

  /** Takes what belongs to what was taken; false if nothing does. */
  #chooseMore(): boolean {
    const before = this.#chosen.size;
    for (const one of this.#added) {
      // A log call of another name is another question.
      if (this.#chosen.has(one) || (isLog(one) && !one.statement.leaves)) continue;
      const reason = this.#reasonFor(one);
      if (reason) this.#chosen.set(one, reason);
    }
    return this.#chosen.size > before;
  }

  #reasonFor(one: Added): PieceReason | undefined {
    const chosen = [...this.#chosen.keys()];
    if (chosen.some((taken) => this.#isConnected(one, taken))) {
      if ([...one.changes].some((binding) => isDeclaredIn(binding, one.statement.node))) {
        return "needed";
      }
      const { start } = one.statement.node;
      const isAfter = chosen.every(({ statement }) => statement.node.start < start);
      return isAfter ? "undoes it" : "changes what it reads";
    }
    const isSamePart =
      !one.gap.bound.has(one.statement) && chosen.some(({ gap }) => gap === one.gap);
    return isSamePart && !this.#isIndependent(one) ? "same part" : undefined;
  }

  /**
   * Whether a statement changes what another one mentions, or hands over a function in which the other
   * one stands. What it changes of the run is set back when its part has been executed, so that counts
   * only for what stands in the same part, or in or below the same block.
   */
  #isConnected(one: Added, taken: Added): boolean {
    const isNear = one.gap === taken.gap || contains(one.gap.now.owner, taken.statement.node);
    const isShared = [...one.changes].some((binding) => {
      return taken.names.has(binding) && (isNear || this.#isNew(binding));
    });
    if (isShared) return true;
    const isNewProperty = (name: string): boolean => !this.#oldProperties.has(name);
    if ([...one.setsProperties].some((name) => isNewProperty(name) && taken.properties.has(name))) {
      return true;
    }
    const isFunction = taken.statement.parameters !== undefined || taken.statement.isDeclaration;
    return isFunction && [...taken.changes].some((binding) => one.names.has(binding));
  }

  /** Whether only added statements declare a name. */
  #isNew({ declarations }: Binding): boolean {
    return declarations.every(({ start }) => {
      return this.#added.some(({ statement }) => holds(statement.node, start));
    });
  }

  /**
   * Something that was added changes a name of the run, and the run goes on with that: in a statement
   * between two parts of the question, or in one that computes what is asked.
   */
  #intervention(): Intervention | undefined {
    const wanted = new Set([...this.#chosen.keys()].flatMap(({ names }) => [...names]));
    for (const added of this.#added.filter(({ gap, statement }) => !gap.bound.has(statement))) {
      for (const binding of added.sets) {
        if (this.#isNew(binding) || this.#isUndoneAtOnce(added, binding)) continue;
        const until = this.#chosen.has(added) ? this.#lastWith(added, binding) : Infinity;
        const affected = added.gap.now.statements.find((one) => {
          const { start, end } = one.node;
          if (start < added.statement.node.end || end > until || this.#isAdded(one)) return false;
          const isOnTheWay =
            this.#chosen.has(added) ||
            [...this.#describe(one).changes].some((set) => wanted.has(set));
          return isOnTheWay && this.#mentions(one.node, binding);
        });
        if (affected) return { added: added.statement, affected };
      }
    }
    return undefined;
  }

  /** Whether another statement of the same part sets the same name: one of them sets it back. */
  #isUndoneAtOnce(one: Added, binding: Binding): boolean {
    return this.#added.some((other) => {
      return other.gap === one.gap && other !== one && !isLog(other) && other.sets.has(binding);
    });
  }

  /** Where the question last has to do with a name, in the block of one of its statements. */
  #lastWith({ gap }: Added, binding: Binding): number {
    const last = [...this.#chosen.keys()].findLast((other) => {
      return other.gap !== gap && other.gap.now === gap.now && other.names.has(binding);
    });
    return last?.statement.node.start ?? 0;
  }

  /** It gives values to names that only added statements have, and does nothing else. */
  #isIndependent({ statement, changes }: Added): boolean {
    const { effect, leaves } = statement;
    const isHarmless = (effect === "none" || effect === "clock") && !leaves;
    return isHarmless && [...changes].every((binding) => this.#isNew(binding));
  }

  /** What only added statements write, in one part, and another part uses. */
  #state(): string[] {
    const chosen = [...this.#chosen.keys()];
    const isCode = ({ kind }: Binding): boolean => /^(?:function|class|import|type)$/.test(kind);
    const isUsedElsewhere = (one: Added, uses: (other: Added) => boolean): boolean =>
      chosen.some((other) => other.gap !== one.gap && uses(other));
    const names = chosen.flatMap((one) => [
      ...[...one.sets]
        .filter((binding) => this.#isNew(binding) && !isCode(binding))
        .filter((binding) => isUsedElsewhere(one, (other) => other.names.has(binding)))
        .map(({ name }) => name),
      ...[...one.setsProperties]
        .filter((name) => !this.#oldProperties.has(name))
        .filter((name) => isUsedElsewhere(one, (other) => other.properties.has(name))),
    ]);
    return [...new Set(names)];
  }

  #isAdded({ node }: Statement): boolean {
    return this.#added.some(({ statement }) => statement.node === node);
  }

  /** Whether a part of the text mentions a name, or calls a function of the file that does. */
  #mentions(node: Span, binding: Binding, seen: ReadonlySet<Binding> = new Set()): boolean {
    return this.#references(node).some((one) => {
      if (one.binding === binding) return true;
      if (!one.binding || seen.has(one.binding)) return false;
      const body = this.#functionOf(one.binding);
      return body !== undefined && this.#mentions(body, binding, new Set([...seen, one.binding]));
    });
  }

  #functionOf({ declarations }: Binding): Span | undefined {
    const [declaration] = declarations;
    const own = this.#edit.now.statements.findLast(({ node, parameters }) => {
      return declaration && parameters !== undefined && holds(node, declaration.start);
    });
    return own?.node;
  }

  #references(node: Span): Reference[] {
    return this.#edit.now.scopes.references.filter((one) => contains(node, one.node));
  }

  /** Where the object of a call begins that is made for what it does, and not for its result. */
  #receiverOf({ node }: Statement): number | undefined {
    const call = this.#edit.now.uses.calls.find((one) => {
      return one.node.start === node.start && one.node.end >= node.end - 1;
    });
    const isMethod = this.#edit.now.uses.members.some((one) => one.node === call?.callee);
    return isMethod ? node.start : undefined;
  }

  #isNewProperty(path: string | undefined): boolean {
    const name = lastProperty(path);
    return name !== undefined && !this.#oldProperties.has(name);
  }

  #describe(statement: Statement): Described {
    const { scopes, uses, mutations } = this.#edit.now;
    const { node, effect } = statement;
    const references = this.#references(node);
    // What is called, or given to a call that is not known to be harmless, may come back changed.
    const mayChange = effect === "calls" || effect === "changes";
    const isCode = ({ binding }: Reference): boolean =>
      binding?.kind === "import" || binding?.kind === "function";
    const declared = [...scopes.bindingOf].filter(([declaration]) => contains(node, declaration));
    const written = uses.writes.filter(({ target }) => contains(node, target));
    // A property that nothing of the run has changes nothing of it.
    const added = written.filter(({ path }) => this.#isNewProperty(path));
    const receiver = this.#receiverOf(statement);
    const isSet = (one: Reference): boolean => {
      if (one.isWrite || (one.node.start === receiver && !isCode(one))) return true;
      const isAdded = added.some(({ target }) => contains(target, one.node));
      return mutations.mutated.has(one.node) && !isAdded;
    };
    const sets = [
      ...declared.map(([, binding]) => binding),
      ...bindingsOf(references.filter(isSet)),
    ];
    const others = mayChange ? references.filter((one) => !isCode(one)) : [];
    const members = uses.members.filter((one) => contains(node, one.node));
    return {
      statement,
      names: bindingsOf(references),
      sets: new Set(sets),
      changes: new Set([...sets, ...bindingsOf(others)]),
      properties: new Set(members.map(({ name }) => name)),
      setsProperties: new Set(written.flatMap(({ path }) => lastProperty(path) ?? [])),
    };
  }
}

/** `c` of `a.b.c`; undefined of a name alone. */
function lastProperty(path: string | undefined): string | undefined {
  return path?.split(".").slice(1).at(-1);
}

function bindingsOf(references: readonly Reference[]): Set<Binding> {
  return new Set(references.flatMap(({ binding }) => binding ?? []));
}

function isLog({ statement }: Described): boolean {
  return statement.isLog || statement.isLogOnly;
}

function isDeclaredIn({ declarations }: Binding, node: Span): boolean {
  return declarations.every((declaration) => contains(node, declaration));
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function holds({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset < end;
}

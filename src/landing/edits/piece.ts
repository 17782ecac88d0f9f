/**
 * @file The question behind an added log call: of all that was added to a file, what the call needs,
 * what changes what it reads, and what undoes that. Followed by names until nothing more belongs to
 * it: to put in more of what somebody wrote than is needed is right, to leave out half of it is not.
 */
import type { Binding, Reference, Statement, StatementList } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { FileEdit, Gap } from "./align.ts";
import { isCarried } from "./carried-names.ts";
import type { Shaped } from "./shapes.ts";
import { newTextOf } from "./shapes.ts";

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
  /** Properties that only it gives to objects of the run. */
  readonly fields: readonly string[];
}

/** What is put in to evaluate log calls; `needed`: where statements begin that belong to it anyway. */
export function pieceFor(
  edit: FileEdit,
  asked: readonly number[],
  needed: readonly number[] = [],
): FilePiece {
  return new PieceChoice(edit).choose(asked, needed);
}

/** A statement, and the names that it has to do with. */
interface Described {
  readonly statement: Statement;
  readonly names: ReadonlySet<Binding>;
  /** Names that it gives a value. */
  readonly binds: ReadonlySet<Binding>;
  /** Those, and the ones whose values it changes for certain. */
  readonly sets: ReadonlySet<Binding>;
  /** Those, and the ones whose values it may change. */
  readonly changes: ReadonlySet<Binding>;
  readonly properties: ReadonlySet<string>;
  /** Those that it sets, or may. */
  readonly setsProperties: ReadonlySet<string>;
}

interface Added extends Described {
  readonly gap: Gap;
  /** What stands for a statement of the run: what is new in it are parts of its text. */
  readonly shaped: Shaped | undefined;
}

class PieceChoice {
  readonly #edit: FileEdit;
  readonly #added: readonly Added[];
  /** The parts of the text that are new. */
  readonly #newText: readonly Span[];
  readonly #chosen = new Map<Added, PieceReason>();
  /** Properties that the older version mentions belong to the run. */
  readonly #oldProperties: ReadonlySet<string>;

  constructor(edit: FileEdit) {
    this.#edit = edit;
    const { uses, statements, members } = edit.then;
    const inClasses = [...statements, ...members.flatMap((list) => list.statements)];
    this.#oldProperties = new Set([
      ...uses.members.map(({ name }) => name),
      ...inClasses.flatMap(({ member }) => member ?? []),
    ]);
    this.#newText = edit.gaps.flatMap(({ added, shaped }) => {
      return added.flatMap((one) => newTextOf(one, shaped.get(one)));
    });
    this.#added = edit.gaps
      .flatMap((gap) => gap.added.map((one) => this.#add(one, gap)))
      .filter(({ statement }) => !this.#stopsToLook(statement))
      .toSorted((one, other) => one.statement.node.start - other.statement.node.start);
  }

  #add(statement: Statement, gap: Gap): Added {
    const shaped = gap.shaped.get(statement);
    const whole = this.#describe(statement);
    if (!shaped) return { ...whole, gap, shaped };
    // All else in it is the run's own.
    const text = newTextOf(statement, shaped);
    const names = this.#references(statement.node).filter((use) => {
      return text.some((part) => contains(part, use.node));
    });
    const isNew = (binding: Binding): boolean => this.#isNew(binding);
    const isHere = ({ declarations }: Binding): boolean =>
      declarations.some(({ start }) => text.some((part) => holds(part, start)));
    const binds = new Set([...whole.binds].filter((one) => isNew(one) && isHere(one)));
    const used = new Set([...bindingsOf(names)].filter(isNew));
    const properties = new Set<string>();
    const setsProperties = new Set(shaped.option === undefined ? [] : [shaped.option]);
    const known = { statement, binds, sets: binds, changes: binds, properties, setsProperties };
    return { ...known, names: used, gap, shaped };
  }

  /** `breakpoint()`, `pdb.set_trace()`, `debugger`: nobody sits at a replay. */
  #stopsToLook({ node }: Statement): boolean {
    const text = this.#edit.now.text.slice(node.start, node.end);
    return /^(?:breakpoint\(\)|(?:\w+\.)*set_trace\(\)|debugger);?$/.test(text);
  }

  choose(asked: readonly number[], needed: readonly number[]): FilePiece {
    for (const one of this.#added) {
      if (needed.includes(one.statement.node.start)) this.#chosen.set(one, "needed");
      const { isLog, node } = one.statement;
      const text = isLog ? [node] : newTextOf(one.statement, one.shaped);
      const isAsked = text.some((part) => asked.some((offset) => holds(part, offset)));
      if (isAsked) this.#chosen.set(one, "asked");
    }
    while (this.#chosen.size > 0 && this.#chooseMore());
    const chosen = [...this.#chosen.keys()];
    const statements = this.#added.flatMap((one) => {
      const found = this.#chosen.get(one);
      if (!found) return [];
      return [{ statement: one.statement, gap: one.gap, reason: this.#reasonOf(one, found) }];
    });
    return {
      statements,
      intervention: this.#intervention(),
      state: this.#state(),
      fields: this.#newProperties(chosen),
    };
  }

  /** Why it belongs to the whole, for a person: by what stands before it and behind it. */
  #reasonOf(one: Added, found: PieceReason): PieceReason {
    if (found === "asked" || found === "needed") return found;
    const isShared = (other: Added): boolean =>
      [...one.changes].some((name) => other.names.has(name));
    const values = [...this.#chosen].filter(([, why]) => why === "asked" || why === "needed");
    if (values.some(([other]) => isBefore(one, other) && isShared(other))) {
      return "changes what it reads";
    }
    const others = [...this.#chosen.keys()].filter((other) => isBefore(other, one));
    const isUndo = others.some(({ changes }) => [...changes].some((name) => one.changes.has(name)));
    return isUndo ? "undoes it" : found;
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
    // Whoever reads it may do so by a text.
    if (one.shaped?.option !== undefined) return "needed";
    if (one.shaped && chosen.some(({ shaped }) => shaped?.group === one.shaped?.group)) {
      return "needed";
    }
    if (chosen.some((taken) => this.#isConnected(one, taken))) {
      if ([...one.changes].some((binding) => isDeclaredIn(binding, one.statement.node))) {
        return "needed";
      }
      const { start } = one.statement.node;
      const isAfter = chosen.every(({ statement }) => statement.node.start < start);
      return isAfter ? "undoes it" : "changes what it reads";
    }
    const isSamePart = !one.shaped && chosen.some(({ gap }) => gap === one.gap);
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
    if (this.#newProperties([one]).some((name) => taken.properties.has(name))) return true;
    const isFunction = taken.statement.parameters !== undefined || taken.statement.isDeclaration;
    return isFunction && [...taken.changes].some((binding) => one.names.has(binding));
  }

  /** Whether only what was added declares a name. */
  #isNew({ declarations }: Binding): boolean {
    return declarations.every(({ start }) => this.#newText.some((part) => holds(part, start)));
  }

  #intervention(): Intervention | undefined {
    return this.#interferes() ?? this.#binds();
  }

  /**
   * A part of the question gives a value to a name, and a statement of the run reads it: what is set
   * back behind a part are objects, not names. A new name may also hide one that the run means.
   */
  #binds(): Intervention | undefined {
    for (const added of this.#chosen.keys()) {
      if (added.shaped) continue;
      for (const binding of added.binds) {
        if (this.#isGivenBack(added, binding)) continue;
        const affected = this.#isNew(binding)
          ? this.#userOf(binding)
          : this.#readerOf(added, binding);
        if (affected) return { added: added.statement, affected };
      }
    }
    return undefined;
  }

  /** Whether the part ends with the name as it was: `x = was`, after `was = x`. */
  #isGivenBack({ gap }: Added, binding: Binding): boolean {
    const part = this.#added.filter((other) => other.gap === gap);
    const setters = part.filter(({ binds }) => binds.has(binding));
    const [first, last] = [setters[0], setters.at(-1)];
    if (!first || !last) return false;
    const kept = [...last.names].find((name) => name !== binding && this.#isNew(name));
    const keeper = part.find(({ binds }) => kept && binds.has(kept));
    return keeper !== undefined && keeper.names.has(binding) && isBefore(keeper, first);
  }

  /** The innermost statement of the run that a name has become known to. */
  #userOf(binding: Binding): Statement | undefined {
    const uses = this.#edit.now.scopes.references.filter((use) => {
      return use.binding === binding && !this.#newText.some((part) => contains(part, use.node));
    });
    return this.#edit.now.statements.findLast(({ node }) => {
      return uses.some((use) => contains(node, use.node));
    });
  }

  /** The statement of the run that would read the value of a name first; undefined: none does. */
  #readerOf(added: Added, binding: Binding): Statement | undefined {
    const { lists } = this.#edit.now;
    let inner: Statement | null = added.statement;
    while (inner) {
      const { owner, node }: Statement = inner;
      const block = lists.find((list) => list.owner === owner)?.statements ?? [];
      const later = block.filter((one) => one.node.start > node.start);
      // It may be a loop: the next iteration begins before it.
      const earlier = block.filter((one) => one.node.start < node.start);
      const { use, by } = this.#firstUse([...later, ...earlier], binding);
      if (use === "read") return by;
      if (use === "set") return undefined;
      inner = inner.parent;
    }
    return undefined;
  }

  /** What statements of the run do with the value that a name has before them. */
  #firstUse(
    statements: readonly Statement[],
    binding: Binding,
  ): { readonly use: "none" | "read" | "set"; readonly by?: Statement } {
    for (const one of statements.filter((statement) => !this.#isAdded(statement))) {
      const blocks = this.#blocksOf(one);
      const isHead = (use: Span): boolean => !blocks.some(({ owner }) => contains(owner, use));
      // A function reads when it is called.
      const head = one.parameters
        ? []
        : this.#references(one.node).filter((use) => isHead(use.node));
      if (head.some((use) => use.isRead && this.#isUseOf(use, binding)))
        return { use: "read", by: one };
      const isSet =
        head.some((use) => use.isWrite && use.binding === binding) ||
        binding.declarations.some((at) => contains(one.node, at) && isHead(at));
      if (isSet && blocks.length === 0) return { use: "set" };
      // A loop that sets it does so before its body.
      if (isSet || one.parameters) continue;
      for (const { statements: inside } of blocks) {
        if (this.#firstUse(inside, binding).use === "read") return { use: "read", by: one };
      }
    }
    return { use: "none" };
  }

  /** The blocks of a statement that lie in no other block of it. */
  #blocksOf({ node, owner: around }: Statement): readonly StatementList[] {
    const inside = this.#edit.now.lists.filter(({ owner }) => {
      return owner !== around && contains(node, owner);
    });
    return inside.filter((list) => {
      return !inside.some((other) => other !== list && contains(other.owner, list.owner));
    });
  }

  #isUseOf(use: Reference, binding: Binding): boolean {
    if (use.binding === binding) return true;
    const body = use.binding && this.#functionOf(use.binding);
    return body ? this.#mentions(body, binding, new Set([use.binding])) : false;
  }

  /**
   * Something that was added changes an object of the run, and the run continues with that: in a
   * statement between two parts of the question, or in one that computes what is asked.
   */
  #interferes(): Intervention | undefined {
    const wanted = new Set([...this.#chosen.keys()].flatMap(({ names }) => [...names]));
    for (const added of this.#added.filter(({ shaped }) => !shaped)) {
      // What is not asked is not evaluated.
      if (isLog(added) && !this.#chosen.has(added)) continue;
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

  /** What only added statements write, and one uses that may be executed without those. */
  #state(): string[] {
    const chosen = [...this.#chosen.keys()];
    const isCode = ({ kind }: Binding): boolean => /^(?:function|class|import|type)$/.test(kind);
    const isUsedElsewhere = (one: Added, uses: (other: Added) => boolean): boolean =>
      chosen.some((other) => other.gap !== one.gap && uses(other));
    const names = chosen.flatMap((one) => [
      ...[...one.sets]
        .filter((binding) => this.#isNew(binding) && !isCode(binding))
        .filter((binding) => isUsedElsewhere(one, (other) => other.names.has(binding)))
        .filter((binding) => isCarried(binding, chosen, this.#edit.now.scopes))
        .map(({ name }) => name),
      // A restored object has only what it had.
      ...(one.shaped?.option === undefined ? [] : [one.shaped.option]),
      ...this.#newProperties(isMethod(one) ? [] : [one]).filter((name) => {
        return isUsedElsewhere(one, (other) => other.properties.has(name));
      }),
    ]);
    return [...new Set(names)];
  }

  /** Properties that statements may set, and that the older version does not have. */
  #newProperties(statements: readonly Described[]): string[] {
    const names = statements.flatMap(({ setsProperties }) => [...setsProperties]);
    return [...new Set(names)].filter((name) => !this.#oldProperties.has(name));
  }

  #isAdded({ node }: Statement): boolean {
    return this.#added.some(({ statement, shaped }) => statement.node === node && !shaped?.then);
  }

  /** Whether a part of the text mentions a name, or calls a function of the file that does. */
  #mentions(node: Span, binding: Binding, seen: ReadonlySet<Binding | null> = new Set()): boolean {
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
    const binds = [
      ...declared.map(([, binding]) => binding),
      ...bindingsOf(references.filter(({ isWrite }) => isWrite)),
    ];
    const sets = [...binds, ...bindingsOf(references.filter(isSet))];
    const others = mayChange ? references.filter((one) => !isCode(one)) : [];
    const members = uses.members.filter((one) => contains(node, one.node));
    const values = members.filter((one) => !uses.calls.some(({ callee }) => callee === one.node));
    const given = written.flatMap(({ path }) => lastProperty(path) ?? []);
    if (statement.member !== undefined) given.push(statement.member);
    return {
      statement,
      names: bindingsOf(references),
      binds: new Set(binds),
      sets: new Set(sets),
      changes: new Set([...sets, ...bindingsOf(others)]),
      properties: new Set(members.map(({ name }) => name)),
      setsProperties: new Set([...given, ...(mayChange ? values : []).map(({ name }) => name)]),
    };
  }
}

function lastProperty(path: string | undefined): string | undefined {
  return path?.split(".").slice(1).at(-1);
}

function bindingsOf(references: readonly Reference[]): Set<Binding> {
  return new Set(references.flatMap(({ binding }) => binding ?? []));
}

function isBefore(one: Described, other: Described): boolean {
  return one.statement.node.start < other.statement.node.start;
}

function isLog({ statement }: Described): boolean {
  return statement.isLog || statement.isLogOnly;
}

function isMethod({ statement }: Described): boolean {
  return statement.member !== undefined && statement.parameters !== undefined;
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

/**
 * @file What was added to a file, statement by statement: the names and properties that each has to do
 * with, and whether those are the run's or only what was added has them.
 */
import type { Binding, Reference, Scope, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { FileEdit, Gap } from "./align.ts";
import { AlteredNames } from "./altered-names.ts";
import type { Shaped } from "./changed-lines/shapes.ts";
import { newTextOf } from "./changed-lines/shapes.ts";

/** A statement, and the names that it has to do with. */
export interface Described {
  readonly statement: Statement;
  readonly names: ReadonlySet<Binding>;
  /** Names that it gives a value. */
  readonly binds: ReadonlySet<Binding>;
  /** Those, and the ones whose values it changes for certain. */
  readonly sets: ReadonlySet<Binding>;
  /** Names whose values it changes so that nothing sets it back, as far as the file shows. */
  readonly alters: ReadonlySet<Binding>;
  /** All of them, and the ones whose values it may change. */
  readonly changes: ReadonlySet<Binding>;
  readonly properties: ReadonlySet<string>;
  /** Those that it sets, or may. */
  readonly setsProperties: ReadonlySet<string>;
}

export interface Added extends Described {
  readonly gap: Gap;
  /** What stands for a statement of the run: what is new in it are parts of its text. */
  readonly shaped: Shaped | undefined;
}

/** What was added to a file. */
export class Additions {
  readonly edit: FileEdit;
  /** In the order of the text. */
  readonly all: readonly Added[];
  /** The parts of the text that are new. */
  readonly newText: readonly Span[];
  /** Properties that the older version mentions belong to the run. */
  readonly #oldProperties: ReadonlySet<string>;
  readonly #altered: AlteredNames;

  constructor(edit: FileEdit) {
    this.edit = edit;
    this.#altered = new AlteredNames(edit.now);
    const { uses, statements, members } = edit.then;
    const inClasses = [...statements, ...members.flatMap((list) => list.statements)];
    this.#oldProperties = new Set([
      ...uses.members.map(({ name }) => name),
      ...inClasses.flatMap(({ member }) => member ?? []),
    ]);
    this.newText = edit.gaps.flatMap(({ added, shaped }) => {
      return added.flatMap((one) => newTextOf(one, shaped.get(one)));
    });
    this.all = edit.gaps
      .flatMap((gap) => gap.added.map((one) => this.#add(one, gap)))
      .filter(({ statement }) => !this.#stopsToLook(statement))
      .toSorted((one, other) => one.statement.node.start - other.statement.node.start);
  }

  /** Whether only what was added declares a name. */
  isNew(binding: Binding): boolean {
    return binding.declarations.every((at) => this.#isInNew(at)) && !this.#isOfRun(binding);
  }

  #isInNew({ start }: Span): boolean {
    return this.newText.some((part) => holds(part, start));
  }

  /** Whether the run gives the name values in that scope too: where names need no declaration, the first one is it. */
  #isOfRun(binding: Binding): boolean {
    const { then, now, startBefore } = this.edit;
    const isGiven = now.scopes.references.some((use) => {
      return use.binding === binding && use.isWrite && !this.#isInNew(use.node);
    });
    if (!isGiven) return false;
    const start = startBefore(binding.scope.node.start);
    const isSame = ({ node, parent }: Scope): boolean =>
      binding.scope.parent ? node.start === start : !parent;
    return [...then.scopes.bindingOf.values()].some(({ name, scope }) => {
      return name === binding.name && scope.kind === binding.scope.kind && isSame(scope);
    });
  }

  /** Properties that statements may set, and that the older version does not have. */
  newProperties(statements: readonly Described[]): string[] {
    const names = statements.flatMap(({ setsProperties }) => [...setsProperties]);
    return [...new Set(names)].filter((name) => !this.#oldProperties.has(name));
  }

  isAdded({ node }: Statement): boolean {
    return this.all.some(({ statement, shaped }) => {
      return statement.node === node && !shaped?.then && !shaped?.wraps;
    });
  }

  /** Whether a part of the text mentions a name, or calls a function of the file that does. */
  mentions(node: Span, binding: Binding, seen: ReadonlySet<Binding | null> = new Set()): boolean {
    return this.references(node).some((one) => {
      if (one.binding === binding) return true;
      if (!one.binding || seen.has(one.binding)) return false;
      const body = this.functionOf(one.binding);
      return body !== undefined && this.mentions(body, binding, new Set([...seen, one.binding]));
    });
  }

  /** The function that a name stands for; a local name of a function does not stand for it. */
  functionOf({ declarations, scope }: Binding): Span | undefined {
    const [declaration] = declarations;
    const own = this.edit.now.statements.findLast(({ node, parameters }) => {
      const holdsName = declaration && holds(node, declaration.start);
      return holdsName && parameters !== undefined && !contains(node, scope.node);
    });
    return own?.node;
  }

  references(node: Span): Reference[] {
    return this.edit.now.scopes.references.filter((one) => contains(node, one.node));
  }

  #add(statement: Statement, gap: Gap): Added {
    const shaped = gap.shaped.get(statement);
    const whole = this.describe(statement);
    if (!shaped || shaped.isDecorator) return { ...whole, gap, shaped };
    // All else in it is the run's own.
    const text = newTextOf(statement, shaped);
    const isHere = (at: Span): boolean => text.some((part) => contains(part, at));
    const isNew = (binding: Binding): boolean => this.isNew(binding);
    const names = this.references(statement.node).filter(({ node }) => isHere(node));
    const inner = this.edit.now.statements
      .filter(({ node }) => shaped.wraps && isHere(node))
      .map((one) => this.describe(one));
    const declared = [...whole.binds].filter(({ declarations }) => declarations.some(isHere));
    // A line of the run may count by a name of the run.
    const given = shaped.then
      ? [...declared, ...bindingsOf(names.filter(({ isWrite }) => isWrite))]
      : declared.filter(isNew);
    const binds = new Set([...given, ...inner.flatMap((one) => [...one.binds]).filter(isNew)]);
    const sets = new Set([...binds, ...inner.flatMap((one) => [...one.sets])]);
    const members = this.edit.now.uses.members.filter(({ node }) => isHere(node));
    return {
      statement,
      names: new Set([...[...bindingsOf(names)].filter(isNew), ...given]),
      binds,
      sets,
      alters: new Set(inner.flatMap((one) => [...one.alters])),
      changes: sets,
      properties: new Set(members.map(({ name }) => name)),
      setsProperties: new Set([
        ...(shaped.option === undefined ? [] : [shaped.option]),
        ...(shaped.keys ?? []),
        ...inner.flatMap((one) => [...one.setsProperties]),
      ]),
      gap,
      shaped,
    };
  }

  /** `breakpoint()`, `pdb.set_trace()`, `debugger`: nobody sits at a replay. */
  #stopsToLook({ node }: Statement): boolean {
    const text = this.edit.now.text.slice(node.start, node.end);
    return /^(?:breakpoint\(\)|(?:\w+\.)*set_trace\(\)|debugger);?$/.test(text);
  }

  describe(statement: Statement): Described {
    const { scopes, uses, mutations } = this.edit.now;
    const { node, effect } = statement;
    const references = this.references(node);
    // What is called, or given to a call that is not known to be harmless, may come back changed.
    const mayChange = effect === "calls" || effect === "changes";
    const isCode = ({ binding }: Reference): boolean =>
      binding?.kind === "import" || binding?.kind === "function";
    const declared = [...scopes.bindingOf].filter(([declaration]) => contains(node, declaration));
    const written = uses.writes.filter(({ target }) => contains(node, target));
    // A property that nothing of the run has changes nothing of it.
    const added = written.filter(({ path }) => this.#isNewProperty(path));
    const receivers = this.#receiversIn(node);
    const isSet = (one: Reference): boolean => {
      if (one.isWrite || (receivers.includes(one.node.start) && !isCode(one))) return true;
      const isAdded = added.some(({ target }) => contains(target, one.node));
      return mutations.mutated.has(one.node) && !isAdded;
    };
    const binds = [
      ...declared.map(([, binding]) => binding),
      ...bindingsOf(references.filter(({ isWrite }) => isWrite)),
    ];
    const sets = [...binds, ...bindingsOf(references.filter(isSet))];
    const others = mayChange ? references.filter((one) => !isCode(one)) : [];
    // A function does it when it is called.
    const alters = this.#altered.in(
      statement.parameters === undefined ? node : { start: 0, end: 0 },
    );
    const members = uses.members.filter((one) => contains(node, one.node));
    const values = members.filter((one) => !uses.calls.some(({ callee }) => callee === one.node));
    const given = written.flatMap(({ path }) => lastProperty(path) ?? []);
    if (statement.member !== undefined) given.push(statement.member);
    return {
      statement,
      names: bindingsOf(references),
      binds: new Set(binds),
      sets: new Set(sets),
      alters,
      changes: new Set([...sets, ...alters, ...bindingsOf(others)]),
      properties: new Set(members.map(({ name }) => name)),
      setsProperties: new Set([...given, ...(mayChange ? values : []).map(({ name }) => name)]),
    };
  }
  /** Where the objects of calls begin that are made for what they do, and not for their results. */
  #receiversIn(part: Span): number[] {
    const { statements, uses } = this.edit.now;
    const inside = statements.filter(({ node }) => contains(part, node));
    return inside.flatMap(({ node }) => {
      const call = uses.calls.find((one) => {
        return one.node.start === node.start && one.node.end >= node.end - 1;
      });
      return uses.members.some((one) => one.node === call?.callee) ? [node.start] : [];
    });
  }

  #isNewProperty(path: string | undefined): boolean {
    const name = lastProperty(path);
    return name !== undefined && !this.#oldProperties.has(name);
  }
}

function lastProperty(path: string | undefined): string | undefined {
  return path?.split(".").slice(1).at(-1);
}

function bindingsOf(references: readonly Reference[]): Set<Binding> {
  return new Set(references.flatMap(({ binding }) => binding ?? []));
}

export function isBefore(one: Described, other: Described): boolean {
  return one.statement.node.start < other.statement.node.start;
}

export function isLog({ statement }: Described): boolean {
  return statement.isLog || statement.isLogOnly;
}

export function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

export function holds({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset < end;
}

/**
 * @file Names whose values a statement changes where it stands, as far as the file shows it: by itself,
 * by functions and methods of the file that it calls, and by other names of the same objects. Training
 * flags are left out: behind each part of a question they are set back.
 */
import type { Binding, ParsedFile, Reference, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { isVariable } from "../pairing/written-values.ts";

type Call = ParsedFile["uses"]["calls"][number];
type Write = ParsedFile["uses"]["writes"][number];

/** What a call changes besides local names; `isGiven`: of the object that it belongs to, or its arguments. */
interface Altering {
  readonly isGiven: boolean;
  readonly names: readonly Reference[];
}

/** As the SDKs find them in the state. */
const FLAG = /^[_$]?(?:is_?)?(?:training|train|eval|evaluating|evaluation|inference|mode|phase)$/i;
/** `if (x) `, `else `: what follows is a statement without braces, and in no list of them. */
const BRANCH_BEFORE = /(?:\)|\belse|\bdo)\s+$/;
const BRANCH_LENGTH = 80;
const END_BEHIND = /[;\n}]|^$/;
/** Calls of calls are followed so far. */
const DEPTH = 4;

export class AlteredNames {
  readonly #file: ParsedFile;
  readonly #references: Finder<Reference>;
  readonly #calls: Finder<Call>;
  readonly #writes: Finder<Write>;
  readonly #statements: Finder<Statement>;
  readonly #members: ReadonlyMap<Span, string>;
  /** What a name was made of, without computing something new: `meta = model.meta`, `for p in ps`. */
  #origins: ReadonlyMap<Binding, ReadonlySet<Binding>> | undefined;

  constructor(file: ParsedFile) {
    this.#file = file;
    this.#references = finderOf(file.scopes.references, ({ node }) => node);
    this.#calls = finderOf(file.uses.calls, ({ node }) => node);
    this.#writes = finderOf(file.uses.writes, ({ target }) => target);
    this.#statements = finderOf(file.statements, ({ node }) => node);
    this.#members = new Map(file.uses.members.map(({ node, name }) => [node, name]));
  }

  /** Names whose values are others behind a part of the text, besides those that it only binds. */
  in(node: Span): ReadonlySet<Binding> {
    const altered = new Set(this.#directly(node, DEPTH).flatMap(({ binding }) => binding ?? []));
    // While it is gone through, it grows.
    for (const name of altered) for (const origin of this.#originsOf(name)) altered.add(origin);
    return altered;
  }

  #originsOf(name: Binding): ReadonlySet<Binding> {
    this.#origins ??= this.#findOrigins();
    return this.#origins.get(name) ?? new Set();
  }

  #findOrigins(): ReadonlyMap<Binding, ReadonlySet<Binding>> {
    const { scopes, statements, loops } = this.#file;
    const declared = finderOf([...scopes.bindingOf], ([at]) => at);
    const origins = new Map<Binding, Set<Binding>>();
    const note = (binder: Span, from: Span): void => {
      const written = this.#references(binder).filter(({ isWrite }) => isWrite);
      const bound = [
        ...declared(binder).map(([, name]) => name),
        ...written.flatMap(({ binding }) => binding ?? []),
      ];
      const made = this.#references(from).filter(({ isRead }) => isRead);
      for (const name of bound) {
        const others = made.flatMap(({ binding }) => (binding === name ? [] : (binding ?? [])));
        origins.set(name, new Set([...(origins.get(name) ?? []), ...others]));
      }
    };
    const holders = new Set(statements.map(({ parent }) => parent));
    for (const statement of statements) {
      const { node, effect } = statement;
      if (effect !== "none" || holders.has(statement) || this.#calls(node).length > 0) continue;
      note(node, node);
    }
    for (const { variable, target = variable, over } of loops.values()) {
      if (target && over) note(target, over);
    }
    return origins;
  }

  #directly(node: Span, depth: number): Reference[] {
    const { mutated } = this.#file.mutations;
    const references = this.#references(node);
    const calls = this.#calls(node);
    const flags = [
      ...this.#writes(node)
        .filter(isFlag)
        .map(({ target }) => target),
      ...calls.filter((call) => FLAG.test(this.#methodOf(call))).map(({ callee }) => callee),
    ];
    const isOfFlag = (one: Reference): boolean => flags.some((flag) => isInside(one.node, flag));
    return [
      ...references.filter((one) => mutated.has(one.node) && !isOfFlag(one)),
      ...calls.flatMap((call) => this.#byCall(call, depth)),
    ];
  }

  #byCall(call: Call, depth: number): Reference[] {
    const { node, callee, byName, named } = call;
    if (FLAG.test(this.#methodOf(call))) return [];
    const variables = (part: Span): Reference[] =>
      this.#references(part).filter(({ binding }) => isVariable(binding));
    const [object] = variables(callee);
    const objects = object ? [object] : [];
    const given = variables({ start: callee.end, end: node.end });
    if (byName === "changes") return [...objects, ...given];
    const isMethod = object !== undefined && object.node !== callee;
    if (isMethod && this.#isDone(call)) return objects;
    if (named.includes("out")) return given;
    // `keep = losses.append`, `keep(1)`
    const isPart = object?.binding && !isMethod && this.#originsOf(object.binding).size > 0;
    if (isPart) return [object, ...given];
    const { isGiven, names } = this.#alteringOf(call, depth);
    return [...(isGiven ? [...objects, ...given] : []), ...names];
  }

  /** Whether it is called for its own sake: then it does something, whatever other methods of that name do. */
  #isDone({ node: { start, end } }: Call): boolean {
    const { text } = this.#file;
    // With or without a semicolon.
    const found = this.#statements({ start, end: end + 1 });
    if (found.some(({ node }) => node.start === start && node.end >= end)) return true;
    const before = text.slice(Math.max(0, start - BRANCH_LENGTH), start);
    return BRANCH_BEFORE.test(before) && END_BEHIND.test(text.slice(end, end + 1));
  }

  /** What a function of the file, or any of its methods of that name, changes outside of itself. */
  #alteringOf(call: Call, depth: number): Altering {
    const bodies = depth === 0 ? [] : this.#bodiesOf(call);
    const all = bodies.map((node): Altering => {
      const isOfThis = this.#writes(node).some((one) => {
        return one.path?.startsWith("this.") === true && !isFlag(one);
      });
      const written = this.#references(node).filter(({ isWrite }) => isWrite);
      const isOutside = ({ binding, isWrite }: Reference): boolean => {
        const isOwn = binding?.declarations.every((at) => isInside(at, node)) === true;
        return !isOwn || (binding?.kind === "parameter" && !isWrite);
      };
      const names = [...this.#directly(node, depth - 1), ...written].filter(isOutside);
      const isGiven = isOfThis || names.some(({ binding }) => binding?.kind === "parameter");
      return { isGiven, names };
    });
    return { isGiven: all.some((one) => one.isGiven), names: all.flatMap(({ names }) => names) };
  }

  #bodiesOf(call: Call): Span[] {
    const { statements, members } = this.#file;
    const callee = this.#references(call.callee).find(({ node }) => node === call.callee)?.binding;
    const isFunction = ({ parameters }: Statement): boolean => parameters !== undefined;
    if (callee) {
      const [declared] = callee.declarations;
      const own = statements.findLast((one) => {
        return declared !== undefined && isFunction(one) && isInside(declared, one.node);
      });
      return own ? [own.node] : [];
    }
    const name = this.#methodOf(call);
    const methods = members.flatMap((list) => list.statements).filter(isFunction);
    return methods.filter(({ member }) => member === name).map(({ node }) => node);
  }

  /** Empty: it is no method. */
  #methodOf({ callee }: Call): string {
    return this.#members.get(callee) ?? "";
  }
}

/** All that lies in a part of the text. */
type Finder<T> = (part: Span) => T[];

function finderOf<T>(items: readonly T[], spanOf: (item: T) => Span): Finder<T> {
  const sorted = items.toSorted((one, other) => spanOf(one).start - spanOf(other).start);
  const starts = sorted.map((item) => spanOf(item).start);
  return (part) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < part.start) low = middle + 1;
      else high = middle;
    }
    const found: T[] = [];
    for (let at = low; (starts[at] ?? Infinity) < part.end; at++) {
      const item = sorted[at];
      if (item && spanOf(item).end <= part.end) found.push(item);
    }
    return found;
  };
}

function isFlag({ path }: Write): boolean {
  return FLAG.test(path?.split(".").at(-1) ?? "");
}

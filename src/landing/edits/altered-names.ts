/**
 * @file Names whose values a statement changes where it stands, as far as the file shows it: by itself,
 * by functions and methods of the file that it calls, and by other names of the same objects. Training
 * flags are left out: behind each part of a question they are set back.
 */
import type { Binding, ParsedFile, Reference } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";

type Call = ParsedFile["uses"]["calls"][number];
type Write = ParsedFile["uses"]["writes"][number];

/** As the SDKs find them in the state. */
const FLAG = /^[_$]?(?:is_?)?(?:training|train|eval|evaluating|evaluation|inference|mode|phase)$/i;
/** `if (x) `, `else `: what follows is a statement without braces. */
const BRANCH_BEFORE = /(?:\)|\belse|\bdo)\s+$/;
const END_BEHIND = /[;\n}]|^$/;
/** Calls of calls are followed so far. */
const DEPTH = 4;

export class AlteredNames {
  readonly #file: ParsedFile;
  /** What a name was made of, without computing something new: `meta = model.meta`, `for p in ps`. */
  readonly #origins = new Map<Binding, Set<Binding>>();

  constructor(file: ParsedFile) {
    this.#file = file;
    for (const { node, effect } of file.statements) {
      const isSimple = !file.statements.some(
        (one) => one.node !== node && isInside(one.node, node),
      );
      const isPart = effect === "none" && !file.uses.calls.some((one) => isInside(one.node, node));
      if (isSimple && isPart) this.#note(node, node);
    }
    for (const [node, { target, over }] of file.loops) {
      const head = target ?? file.loops.get(node)?.variable;
      if (head && over) this.#note(head, over);
    }
  }

  /** Names whose values are others behind a part of the text, besides those that it only binds. */
  in(node: Span): ReadonlySet<Binding> {
    const altered = new Set(this.#directly(node, DEPTH).flatMap(({ binding }) => binding ?? []));
    // While it is gone through, it grows.
    for (const name of altered) {
      for (const origin of this.#origins.get(name) ?? []) altered.add(origin);
    }
    return altered;
  }

  #note(binder: Span, from: Span): void {
    const { scopes } = this.#file;
    const made = scopes.references.filter(({ node, isRead }) => isRead && isInside(node, from));
    const bound = [
      ...[...scopes.bindingOf].filter(([at]) => isInside(at, binder)).map(([, name]) => name),
      ...scopes.references.flatMap(({ node, isWrite, binding }) => {
        return isWrite && binding && isInside(node, binder) ? [binding] : [];
      }),
    ];
    for (const name of bound) {
      const origins = this.#origins.get(name) ?? new Set();
      this.#origins.set(name, origins);
      for (const { binding } of made) if (binding && binding !== name) origins.add(binding);
    }
  }

  #directly(node: Span, depth: number): Reference[] {
    const { scopes, uses, mutations, statements, text } = this.#file;
    const references = scopes.references.filter((one) => isInside(one.node, node));
    // What is called for its own sake does something, whatever other methods of that name do.
    const isDone = ({ node: { start, end } }: Call): boolean =>
      statements.some((one) => one.node.start === start && end >= one.node.end - 1) ||
      (BRANCH_BEFORE.test(text.slice(0, start)) && END_BEHIND.test(text.slice(end, end + 1)));
    const within = (part: Span): Reference[] =>
      references.filter((one) => isInside(one.node, part) && !isCode(one.binding));
    const calls = uses.calls.filter((call) => isInside(call.node, node));
    const flags = uses.writes.filter((one) => isInside(one.target, node) && isFlag(one));
    const isOfFlag = (one: Reference): boolean =>
      flags.some(({ target }) => isInside(one.node, target)) ||
      calls.some((call) => isInside(one.node, call.callee) && FLAG.test(this.#nameOf(call)));
    return [
      ...references.filter((one) => mutations.mutated.has(one.node) && !isOfFlag(one)),
      ...calls.flatMap((call) => {
        if (FLAG.test(this.#nameOf(call))) return [];
        const given = within({ start: call.callee.end, end: call.node.end });
        const [object] = within(call.callee);
        const isMethod = object !== undefined && object.node !== call.callee;
        if (call.byName === "changes") return [...(object ? [object] : []), ...given];
        if (isMethod && isDone(call)) return [object];
        if (call.named.includes("out")) return given;
        // `log = losses.append`, `log(1)`
        const callee = references.find((one) => one.node === call.callee);
        if (callee?.binding && this.#origins.has(callee.binding)) return [callee, ...given];
        const outside = this.#alteredBy(call, depth);
        const isGiven = outside.some((one) => one === "this" || one.binding?.kind === "parameter");
        return [
          ...(isGiven ? [...(object ? [object] : []), ...given] : []),
          ...outside.filter((one) => one !== "this"),
        ];
      }),
    ];
  }

  /** What a function of the file, or any of its methods of that name, changes outside of itself. */
  #alteredBy(call: Call, depth: number): (Reference | "this")[] {
    if (depth === 0) return [];
    const { scopes, uses, statements, members } = this.#file;
    const name = this.#nameOf(call);
    const callee = scopes.references.find(({ node }) => node === call.callee)?.binding;
    const own = statements.filter(({ node, parameters }) => {
      const [declared] = callee?.declarations ?? [];
      return parameters !== undefined && declared !== undefined && isInside(declared, node);
    });
    const methods = members.flatMap((list) => list.statements);
    const bodies = callee
      ? own.slice(-1)
      : methods.filter(({ member, parameters }) => member === name && parameters !== undefined);
    return bodies.flatMap(({ node }) => {
      const ofThis = uses.writes.some((one) => {
        return isInside(one.target, node) && one.path?.startsWith("this.") === true && !isFlag(one);
      });
      const altered = [
        ...this.#directly(node, depth - 1),
        ...scopes.references.filter((one) => one.isWrite && isInside(one.node, node)),
      ].filter(({ binding, isWrite }) => {
        const isOwn = binding?.declarations.every((at) => isInside(at, node)) === true;
        return !isOwn || (binding?.kind === "parameter" && !isWrite);
      });
      return ofThis ? [...altered, "this" as const] : altered;
    });
  }

  #nameOf({ callee }: Call): string {
    const member = this.#file.uses.members.find(({ node }) => node === callee);
    return member?.name ?? "";
  }
}

function isFlag({ path }: Write): boolean {
  return FLAG.test(path?.split(".").at(-1) ?? "");
}

function isCode(binding: Binding | null): boolean {
  return binding?.kind === "import" || binding?.kind === "function" || binding?.kind === "class";
}

function isInside(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

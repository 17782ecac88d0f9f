/**
 * @file A `with` of something that only the newer version has, and that does nothing but to look: at a
 * clock, mostly. It may keep what it saw in itself.
 */
import type { ParsedFile, Shape, Statement } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import { isInside } from "../../../tree/index.ts";
import { onlyComputes } from "./only-computes.ts";
import { isOnlyNow } from "./function-names.ts";
import { importedPath } from "./imported-path.ts";
import type { Versions } from "./shapes.ts";

type Context = NonNullable<ReturnType<ParsedFile["language"]["contextMadeBy"]>>;

export function onlyLooksOn(versions: Versions, context: Shape): boolean {
  const { then, now, formsNow } = versions;
  const { anatomyOf, contextMadeBy } = now.language;
  const call = anatomyOf(context);
  const callee = call?.kind === "call" ? anatomyOf(call.callee) : undefined;
  if (call?.kind !== "call" || callee?.kind !== "name") return false;
  const all = now.statements.flatMap((one) => contextMadeBy(formsNow.of(one).shape) ?? []);
  const [own, ...others] = all.filter(({ name }) => name === callee.name);
  if (!own || others.length > 0 || !isOnlyNow(then, now, own.name)) return false;
  if (now.uses.writes.some(({ path }) => path?.startsWith(`${own.name}.`))) return false;
  const isMade = !own.made || importedPath(now, own.made.maker) === own.made.as;
  const look = new ContextReader(versions, own);
  return isMade && call.given.every((one) => onlyComputes(versions, one)) && look.isAll();
}

/** What is executed before the block and behind it. */
class ContextReader {
  readonly #versions: Versions;
  readonly #now: ParsedFile;
  readonly #context: Context;

  constructor(versions: Versions, context: Context) {
    this.#versions = versions;
    this.#now = versions.now;
    this.#context = context;
  }

  isAll(): boolean {
    const { bodies, given } = this.#context;
    return bodies.every(({ body, self }) => {
      const inside = this.#now.statements.filter(({ node }) => isInside(node, body));
      return inside.every((one) => {
        const { shape } = this.#versions.formsNow.of(one);
        if (shape.start === given?.start && shape.end === given.end) return this.#gives(shape);
        return this.#isLook(one, { shape, self, body });
      });
    });
  }

  /** `yield t` */
  #gives({ parts: [only] }: Shape): boolean {
    return (only?.parts ?? []).every((part) => onlyComputes(this.#versions, part));
  }

  #isLook(
    statement: Statement,
    at: { readonly shape: Shape; readonly self: string | undefined; readonly body: Span },
  ): boolean {
    const { uses, language } = this.#now;
    const { node, isLogOnly } = statement;
    const calls = uses.calls.filter((call) => isInside(call.node, node));
    const areHarmless = (isLogOnly ? calls.slice(1) : calls).every(({ effect }) => {
      return effect === "none" || effect === "clock";
    });
    // Of `try` and the like all statements are looked at.
    if (language.wrapperOf(at.shape)?.contexts.length === 0) return true;
    const kind = language.anatomyOf(at.shape)?.kind;
    const isKnown = kind === "assignment" || kind === "return" || kind === "evaluation";
    return areHarmless && (isLogOnly || isKnown) && this.#keepsInItself(statement, at);
  }

  /** Whether it sets names of its own function, or attributes of its own object, and adds to none. */
  #keepsInItself(
    { node }: Statement,
    { self, body }: { readonly self: string | undefined; readonly body: Span },
  ): boolean {
    const { uses, scopes } = this.#now;
    const around = [...scopes.scopeOf.values()].filter(({ node: own, kind }) => {
      return kind === "function" && isInside(body, own);
    });
    const [own] = around.toSorted((a, b) => lengthOf(a.node) - lengthOf(b.node));
    const isOwn = (target: Span): boolean => {
      const use = scopes.references.find((one) => isSame(one.node, target));
      const [, declared] = [...scopes.bindingOf].find(([at]) => isSame(at, target)) ?? [];
      return own !== undefined && (use?.binding ?? declared)?.scope === own;
    };
    return uses.writes
      .filter(({ target }) => isInside(target, node))
      .every(({ target, path, accumulates }) => {
        if (accumulates || path === undefined) return !accumulates && this.#isOwnItem(target, body);
        const [root = "", ...members] = path.split(".");
        if (members.length === 0) return isOwn(target);
        return root === self && members.length === 1;
      });
  }

  /** `t["s"]`, of a `t = {}` in the same function. */
  #isOwnItem(target: Span, body: Span): boolean {
    const { text, statements } = this.#now;
    const root = /^(\w+)\[/.exec(text.slice(target.start, target.end))?.[1];
    const makers = statements.filter(({ node }) => {
      return (
        isInside(node, body) && new RegExp(`^${root}\\b\\s*=[^=]`).test(text.slice(node.start))
      );
    });
    return (
      root !== undefined &&
      makers.length === 1 &&
      makers.every(({ node }) => /^\w+\s*=\s*(?:\{\}|\[\])$/.test(text.slice(node.start, node.end)))
    );
  }
}

function lengthOf({ start, end }: Span): number {
  return end - start;
}

function isSame(one: Span, other: Span): boolean {
  return one.start === other.start && one.end === other.end;
}

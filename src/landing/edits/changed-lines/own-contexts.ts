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

const EMPTY = /^\s*=\s*(?:\[\]|list\(\)|set\(\))\s*(?:[#;\n]|$)/;

type Context = NonNullable<ReturnType<ParsedFile["language"]["contextMadeBy"]>>;

export function onlyLooksOn(versions: Versions, context: Shape): boolean {
  const { then, now, formsNow } = versions;
  const { anatomyOf, contextMadeBy } = now.language;
  const call = anatomyOf(madeBefore(versions, context) ?? context);
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

/** What a name is given that only the newer version has: `timer` of `timer = T()`. */
function madeBefore({ then, now, formsNow }: Versions, context: Shape): Shape | undefined {
  const { anatomyOf } = now.language;
  const name = anatomyOf(context);
  if (name?.kind !== "name" || !isOnlyNow(then, now, name.name)) return undefined;
  const values = now.statements.flatMap((one) => {
    const own = anatomyOf(formsNow.of(one).shape);
    const target = own?.kind === "assignment" ? anatomyOf(own.target) : undefined;
    return own?.kind === "assignment" && target?.kind === "name" && target.name === name.name
      ? [own.value]
      : [];
  });
  return values.length === 1 ? values[0] : undefined;
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
    const isAdding = this.#addsToItself(statement, at);
    const areHarmless = (isLogOnly || isAdding ? calls.slice(1) : calls).every(({ effect }) => {
      return effect === "none" || effect === "clock";
    });
    if (isAdding) return areHarmless;
    // Of `try` and the like all statements are looked at.
    if (language.wrapperOf(at.shape)?.contexts.length === 0) return true;
    const kind = language.anatomyOf(at.shape)?.kind;
    const isKnown = kind === "assignment" || kind === "return" || kind === "evaluation";
    return areHarmless && (isLogOnly || isKnown) && this.#keepsInItself(statement, at);
  }

  /** `self.t.append(v)`, of a list that its own object has made. */
  #addsToItself({ node }: Statement, { self }: { readonly self: string | undefined }): boolean {
    const { text, uses } = this.#now;
    const added = /^(\w+)\.(\w+)\.(?:append|add)\(/.exec(text.slice(node.start, node.end));
    const [, root, attribute] = added ?? [];
    const isWhole = uses.calls.some(({ node: { start, end } }) => {
      return start === node.start && end === node.end;
    });
    if (root === undefined || root !== self || !isWhole) return false;
    const given = uses.writes.filter(({ path }) => path?.endsWith(`.${attribute}`));
    const isOwn = (target: Span): boolean =>
      this.#context.bodies.some(({ body }) => isInside(target, body));
    return (
      given.some(({ target }) => isOwn(target)) &&
      given.every(({ target, path, accumulates }) => {
        const isEmpty = EMPTY.test(text.slice(target.end));
        return !accumulates && path === `${self}.${attribute}` && isOwn(target) && isEmpty;
      })
    );
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

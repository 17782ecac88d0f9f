/** @file What the names of the older version mean at a place of it, and whether their values stay. */
import type { Binding, ParsedFile, Scope, Shape } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";

export class OldNames {
  readonly #file: ParsedFile;
  readonly #functions: readonly Scope[];

  constructor(file: ParsedFile) {
    this.#file = file;
    this.#functions = [...file.scopes.scopeOf.values()].filter(({ kind }) => kind === "function");
  }

  /** Whether a name means something at a place, or in what stands in the same function. */
  has(name: string, at: Span): boolean {
    const { references, bindingOf } = this.#file.scopes;
    const { node: own } = this.#functionAt(at);
    const isSeen = (binding: Binding | null): boolean =>
      !binding || isInside(at, binding.scope.node);
    const isUsed = references.some((one) => {
      return one.name === name && isInside(one.node, own) && isSeen(one.binding);
    });
    const isDeclared = [...bindingOf.values()].some((one) => {
      return one.name === name && isSeen(one) && isInside(one.scope.node, own);
    });
    return isUsed || isDeclared;
  }

  /** Whether a name is read anywhere. */
  isRead(name: string): boolean {
    return this.#file.scopes.references.some((one) => one.name === name && one.isRead);
  }

  /** Whether something is made of names alone that no other function than that of `at` may set. */
  isOfFunction(target: Span, at: Span): boolean {
    const { references } = this.#file.scopes;
    const names = references.filter((one) => isInside(one.node, target));
    return names.every(({ binding }) => !binding || this.#isSetOnlyAt(binding, at));
  }

  /**
   * Whether something has the same value whatever is called meanwhile: it is written out, or made of
   * names and attributes that nothing else in the file sets.
   */
  isStable(shape: Shape, at: Span): boolean {
    const anatomy = this.#file.language.anatomyOf(shape);
    if (anatomy?.kind === "name") return this.isOfFunction(shape, at);
    if (anatomy?.kind !== "member") return anatomy?.kind === "literal";
    const isSet = this.#file.uses.writes.some(({ path, target }) => {
      return path?.endsWith(`.${anatomy.name}`) && !this.#isMadeAt(target);
    });
    return !isSet && this.isStable(anatomy.object, at);
  }

  /** Whether a place is in what makes an object. */
  #isMadeAt(at: Span): boolean {
    const { start } = this.#functionAt(at).node;
    return /^(?:def __init__\b|constructor\b)/.test(this.#file.text.slice(start));
  }

  #isSetOnlyAt(binding: Binding, at: Span): boolean {
    const own = this.#functionAt(at);
    const { kind, definitions } = binding;
    if (/^(?:function|class|import)$/.test(kind) && definitions.length <= 1) return true;
    return definitions.every(({ node }) => {
      const holder = this.#functionAt(node);
      return holder === own || holder === this.#file.scopes.root;
    });
  }

  #functionAt(at: Span): Scope {
    const around = this.#functions.filter(({ node }) => isInside(at, node));
    const inner = around.toSorted((a, b) => length(a.node) - length(b.node))[0];
    return inner ?? this.#file.scopes.root;
  }
}

function length({ start, end }: Span): number {
  return end - start;
}

function isInside(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

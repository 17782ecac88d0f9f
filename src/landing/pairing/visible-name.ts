/**
 * @file Whether a name can be used at a place of the old version: it must be visible there, past its
 * declaration, and have been given a value.
 */
import type { TreeNode } from "../../tree/index.ts";
import type { Binding, ImportedName, Scope, Scopes } from "../../languages/index.ts";

export type VisibleName =
  | { readonly kind: "visible"; readonly binding: Binding | null }
  /** It is declared, or gets its value, only later. */
  | { readonly kind: "later"; readonly binding: Binding }
  /** A declaration of that name exists, but not around the place. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "missing" };

/** A place between statements: the scope around it, and the offset. */
export interface ScopedOffset {
  readonly scope: Scope;
  readonly offset: number;
}

/** What a name means at a place. */
export function resolveVisibleName(
  scopes: Scopes,
  name: string,
  scopedOffset: ScopedOffset,
): VisibleName {
  const binding = scopedOffset.scope.find(name);
  if (!binding || binding.kind === "type") {
    if (scopes.references.some((one) => one.name === name && one.binding === null)) {
      return { kind: "visible", binding: null };
    }
    return declaresAnywhere(scopes.root, name) ? { kind: "elsewhere" } : { kind: "missing" };
  }
  return scopes.always.has(binding.kind) || hasValueAt(binding, scopedOffset)
    ? { kind: "visible", binding }
    : { kind: "later", binding };
}

/** Whether a binding has its value when the text at a place runs. */
function hasValueAt(binding: Binding, { scope, offset }: ScopedOffset): boolean {
  // A function runs when it is called: what is around it has been executed by then.
  if (scope.function !== binding.scope.function) return true;
  // `let` and its like throw before their declaration, whatever a loop did to them.
  const isDeclared = binding.declarations.some(({ end }) => end <= offset);
  if (binding.kind !== "var" && !isDeclared) return false;
  if (binding.definitions.length === 0) return isDeclared;
  return binding.definitions.some(({ from, until = Infinity, node }) => {
    const isThere = from <= offset && offset <= until;
    return isThere || isInLoopWith(scope, binding.scope, node.start);
  });
}

/** Whether a loop inside `outer` holds both a scope and an offset: the value stays for its next round. */
function isInLoopWith(scope: Scope, outer: Scope, offset: number): boolean {
  for (let at: Scope | null = scope; at && at !== outer; at = at.parent) {
    const { start, end } = at.node;
    if (at.kind === "loop" && start <= offset && offset < end) return true;
  }
  return false;
}

function declaresAnywhere(scope: Scope, name: string): boolean {
  return scope.bindings.has(name) || scope.inner.some((inner) => declaresAnywhere(inner, name));
}

/** The first gap of a block, from one on, at which a binding has been given a value in the block. */
export function gapAfterDefinition(
  block: TreeNode,
  index: number,
  binding: Binding,
): number | undefined {
  const at = block.children.findIndex(({ start, end, role }, child) => {
    if (child < index || role === "function") return false;
    return binding.definitions.some(({ node }) => start <= node.start && node.start < end);
  });
  return at === -1 ? undefined : at + 1;
}

/** `torch.nn.functional`, whichever way it is imported. */
export function pathOf({ module, imported }: ImportedName): string {
  return /^[*.]$/.test(imported) ? module : `${module}.${imported}`;
}

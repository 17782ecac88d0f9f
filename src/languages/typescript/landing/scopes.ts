/**
 * @file Which declaration each name of a file means: scopes, bindings and references, by the rules
 * of JavaScript (hoisting of `var` and functions, block scopes, parameters, catch, classes) with the
 * names that exist in types only kept apart.
 */
import type { Node } from "oxc-parser";
import type { Binding, Reference, Scope } from "./scope.ts";
import { walkScopes } from "./scope-walk.ts";
import type { Source } from "./source.ts";

export interface Scopes {
  readonly root: Scope;
  readonly references: readonly Reference[];
  /** By the identifiers that declare. */
  readonly bindingOf: ReadonlyMap<Node, Binding>;
  /** By the identifiers that use. */
  readonly referenceOf: ReadonlyMap<Node, Reference>;
}

export function scopesOf({ program }: Source): Scopes {
  const { root, references } = walkScopes(program);
  const bindingOf = new Map<Node, Binding>();
  const note = (scope: Scope): void => {
    for (const binding of scope.bindings.values()) {
      for (const node of binding.declarations) bindingOf.set(node, binding);
    }
    for (const inner of scope.inner) note(inner);
  };
  note(root);
  for (const reference of references) {
    const binding = reference.scope.find(reference.name) ?? null;
    reference.binding = binding;
    if (binding && reference.isWrite) {
      binding.definitions.push({ node: reference.node, from: reference.node.end });
    }
  }
  const referenceOf = new Map(references.map((reference) => [reference.node, reference]));
  return { root, references, bindingOf, referenceOf };
}

/** The innermost scope at an offset between statements. */
export function scopeAt(root: Scope, offset: number): Scope {
  const inner = root.inner.find(({ node }) => node.start < offset && offset < node.end);
  return inner ? scopeAt(inner, offset) : root;
}

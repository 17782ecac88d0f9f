/** @file Which declaration each name of a file means: scopes, bindings and references. */
import type { Source, Syntax } from "./grammar.ts";
import type { Binding, BindingKind, Reference, Scope } from "./scope.ts";

export interface Scopes {
  readonly root: Scope;
  /** By the nodes that open them. */
  readonly scopeOf: ReadonlyMap<Syntax, Scope>;
  /** Kinds of bindings that have their value wherever they are visible. */
  readonly always: ReadonlySet<BindingKind>;
  readonly references: readonly Reference[];
  /** By the identifiers that declare. */
  readonly bindingOf: ReadonlyMap<Syntax, Binding>;
  /** By the identifiers that use. */
  readonly referenceOf: ReadonlyMap<Syntax, Reference>;
}

export function scopesOf({ program, grammar }: Source): Scopes {
  const { walkScopes, always } = grammar.names;
  const { root, references } = walkScopes(program);
  const scopeOf = new Map<Syntax, Scope>();
  const bindingOf = new Map<Syntax, Binding>();
  const note = (scope: Scope): void => {
    scopeOf.set(scope.node, scope);
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
  return { root, scopeOf, always, references, bindingOf, referenceOf };
}

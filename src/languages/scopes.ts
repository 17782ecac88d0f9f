/** @file Which declaration each name of a file means: scopes, bindings and references. */
import type { Syntax } from "./parsed-file.ts";

export type BindingKind =
  | "import"
  | "var"
  | "let"
  | "const"
  | "using"
  | "function"
  | "class"
  | "parameter"
  | "catch"
  | "enum"
  | "namespace"
  | "type";

/** A name that a scope declares. */
export interface Binding {
  readonly name: string;
  readonly kind: BindingKind;
  readonly scope: Scope;
  /** The identifiers that declare it. */
  readonly declarations: Syntax[];
  /** Ends of what gives it a value: declarations with one, assignments, heads of loops. */
  readonly definitions: Definition[];
}

export interface Definition {
  /** Of the identifier. */
  readonly node: Syntax;
  /** Offset from which on the value is there. */
  readonly from: number;
  /** Offset after which it is there no more; absent: it stays. */
  readonly until?: number;
}

export interface Reference {
  readonly node: Syntax;
  readonly name: string;
  readonly scope: Scope;
  readonly isWrite: boolean;
  readonly isRead: boolean;
  /** `{ loss }`: key and value in one word. */
  readonly isShorthand: boolean;
  /** Null: a global, or a name that the file does not declare. */
  binding: Binding | null;
}

/**
 * What a scope is besides a part of the text. `function`: where `var` goes, and what runs later than the
 * text around it. `loop`: a name of it keeps its value for the next iteration. `hidden`: what it
 * declares is not seen from functions in it (the body of a class of Python).
 */
export type ScopeKind = "function" | "loop" | "block" | "hidden";

/** A part of the text in which names are declared. */
export class Scope {
  readonly kind: ScopeKind;
  readonly node: Syntax;
  readonly parent: Scope | null;
  readonly bindings: Map<string, Binding> = new Map();
  readonly inner: Scope[] = [];

  constructor(node: Syntax, parent: Scope | null, kind: ScopeKind) {
    this.node = node;
    this.parent = parent;
    this.kind = kind;
    parent?.inner.push(this);
  }

  /** The function or module around it, or itself. */
  get function(): Scope {
    return this.kind === "function" || !this.parent ? this : this.parent.function;
  }

  declare(name: string, kind: BindingKind, node: Syntax): Binding {
    let binding = this.bindings.get(name);
    // An interface and a class, or a type and a value, may share a name: the value is what counts.
    if (!binding || (binding.kind === "type" && kind !== "type")) {
      binding = { name, kind, scope: this, declarations: [], definitions: [] };
      this.bindings.set(name, binding);
    }
    binding.declarations.push(node);
    return binding;
  }

  find(name: string): Binding | undefined {
    const own = this.bindings.get(name);
    if (own) return own;
    let outer = this.parent;
    while (outer?.kind === "hidden") outer = outer.parent;
    return outer?.find(name);
  }
}

/** The names of a file as a walk over its syntax finds them. */
export interface WalkedNames {
  readonly root: Scope;
  readonly references: readonly Reference[];
}

export interface Scopes extends WalkedNames {
  /** By the nodes that open them. */
  readonly scopeOf: ReadonlyMap<Syntax, Scope>;
  /** Kinds of bindings that have their value wherever they are visible. */
  readonly always: ReadonlySet<BindingKind>;
  /** By the identifiers that declare. */
  readonly bindingOf: ReadonlyMap<Syntax, Binding>;
  /** By the identifiers that use. */
  readonly referenceOf: ReadonlyMap<Syntax, Reference>;
}

/** Finds for each reference what it means. */
export function resolveNames(
  { root, references }: WalkedNames,
  always: ReadonlySet<BindingKind>,
): Scopes {
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

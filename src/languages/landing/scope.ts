/** @file The words in which a file's names are described: scope, binding, reference. */
import type { Syntax } from "./grammar.ts";

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

/** A part of the text in which names are declared. */
export class Scope {
  /** Of a function: where `var` goes, and what runs later than the text around it. */
  readonly isFunction: boolean;
  /** What it declares is not seen from functions in it: the body of a class of Python. */
  readonly isHidden: boolean;
  readonly node: Syntax;
  readonly parent: Scope | null;
  readonly bindings: Map<string, Binding> = new Map();
  readonly inner: Scope[] = [];

  constructor(node: Syntax, parent: Scope | null, isFunction: boolean, isHidden = false) {
    this.node = node;
    this.parent = parent;
    this.isFunction = isFunction;
    this.isHidden = isHidden;
    parent?.inner.push(this);
  }

  /** The function or module around it, or itself. */
  get function(): Scope {
    return this.isFunction || !this.parent ? this : this.parent.function;
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
    while (outer?.isHidden) outer = outer.parent;
    return outer?.find(name);
  }
}

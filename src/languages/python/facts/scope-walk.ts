/**
 * @file One walk over a syntax tree that finds its scopes, declarations and uses of names, by the rules
 * of Python: whatever is assigned in a function is one variable of it; the body of a class is not seen
 * from its functions; comprehensions have variables of their own; `global` and `nonlocal`.
 */
import type { BindingKind, Reference, WalkedNames } from "../../scopes.ts";
import { Scope } from "../../scopes.ts";
import type { PyNode } from "./syntax.ts";
import { dotted, fieldOf, namedChildren } from "./syntax.ts";

export function walkScopes(program: PyNode): WalkedNames {
  const walk = new ScopeWalk(program);
  walk.body(program, walk.root);
  return walk;
}

const COMPREHENSIONS = /^(?:(?:list|set|dictionary)_comprehension|generator_expression)$/;

class ScopeWalk implements WalkedNames {
  readonly root: Scope;
  readonly references: Reference[] = [];
  /** Names that a scope says to be those of another. */
  readonly #elsewhere = new Map<Scope, Map<string, "global" | "nonlocal">>();

  constructor(program: PyNode) {
    this.root = new Scope(program, null, "function");
  }

  /** What a module, a class or a function holds. */
  body(node: PyNode, scope: Scope): void {
    this.#elsewhere.set(scope, declaredElsewhere(node));
    this.#children(node, scope);
  }

  visit(node: PyNode, scope: Scope): void {
    if (COMPREHENSIONS.test(node.type)) return this.#comprehension(node, scope);
    switch (node.type) {
      case "identifier":
        return this.#use(node, scope, {});
      case "function_definition":
      case "lambda":
        return this.#function(node, scope);
      case "class_definition":
        return this.#class(node, scope);
      case "assignment":
      case "augmented_assignment":
        return this.#assignment(node, scope);
      case "named_expression":
        return this.#walrus(node, scope);
      case "for_statement":
        return this.#loop(node, scope);
      case "attribute":
        return this.#field(node, "object", scope);
      case "keyword_argument":
        return this.#field(node, "value", scope);
      case "import_statement":
      case "import_from_statement":
        return this.#import(node, scope);
      case "global_statement":
      case "nonlocal_statement":
      case "future_import_statement":
        return undefined;
      default:
        return this.#rarer(node, scope);
    }
  }

  #rarer(node: PyNode, scope: Scope): void {
    switch (node.type) {
      case "as_pattern":
        return this.#alias(node, scope);
      case "except_clause":
        return this.#handler(node, scope);
      case "case_clause":
        return this.#case(node, scope);
      case "delete_statement":
        // What is deleted must have been there.
        return this.#children(node, scope);
      case "type_alias_statement":
        return undefined;
      default:
        return this.#children(node, scope);
    }
  }

  #children(node: PyNode, scope: Scope): void {
    for (const child of namedChildren(node)) this.visit(child, scope);
  }

  #field(node: PyNode, field: string, scope: Scope): void {
    const value = fieldOf(node, field);
    if (value) this.visit(value, scope);
  }

  #function(node: PyNode, scope: Scope): void {
    const name = fieldOf(node, "name");
    if (name) this.#bind(name, scope, { kind: "function", from: node.end });
    const inner = new Scope(node, scope, "function");
    const parameters = fieldOf(node, "parameters");
    for (const parameter of parameters ? namedChildren(parameters) : []) {
      this.#parameter(parameter, inner, scope);
    }
    const returned = fieldOf(node, "return_type");
    if (returned) this.visit(returned, scope);
    const body = fieldOf(node, "body");
    if (!body) return;
    if (node.type === "lambda") this.visit(body, inner);
    else this.body(body, inner);
  }

  /** Defaults and types are evaluated outside. */
  #parameter(node: PyNode, inner: Scope, outer: Scope): void {
    if (node.type === "identifier") {
      const binding = inner.declare(node.text, "parameter", node);
      binding.definitions.push({ node, from: node.start });
      return;
    }
    for (const child of namedChildren(node)) {
      const isOutside = child.field === "value" || child.type === "type";
      if (isOutside) this.visit(child, outer);
      else this.#parameter(child, inner, outer);
    }
  }

  #class(node: PyNode, scope: Scope): void {
    const [name, bases, body] = [
      fieldOf(node, "name"),
      fieldOf(node, "superclasses"),
      fieldOf(node, "body"),
    ];
    if (bases) this.visit(bases, scope);
    if (body) this.body(body, new Scope(node, scope, "hidden"));
    if (name) this.#bind(name, scope, { kind: "class", from: node.end });
  }

  #assignment(node: PyNode, scope: Scope): void {
    for (const child of namedChildren(node)) {
      if (child.field !== "left") this.visit(child, scope);
    }
    const left = fieldOf(node, "left");
    if (!left) return;
    const isSum = node.type === "augmented_assignment";
    // A type without a value declares a name, and gives it nothing.
    const from = isSum || fieldOf(node, "right") ? node.end : null;
    this.#target(left, scope, { kind: "var", from, isRead: isSum });
  }

  /** In a comprehension it sets a variable of the function around. */
  #walrus(node: PyNode, scope: Scope): void {
    this.#field(node, "value", scope);
    const name = fieldOf(node, "name");
    let home = scope;
    while (home.parent && COMPREHENSIONS.test(home.node.type)) home = home.parent;
    if (name) this.#bind(name, home, { kind: "var", from: name.end });
  }

  #loop(node: PyNode, scope: Scope): void {
    this.#field(node, "right", scope);
    const left = fieldOf(node, "left");
    if (left) this.#target(left, scope, { kind: "var", from: left.end });
    for (const child of namedChildren(node)) {
      if (child.field !== "left" && child.field !== "right") this.visit(child, scope);
    }
  }

  #comprehension(node: PyNode, scope: Scope): void {
    const inner = new Scope(node, scope, "block");
    const clauses = namedChildren(node).filter(({ type }) => type === "for_in_clause");
    for (const [at, clause] of clauses.entries()) {
      const left = fieldOf(clause, "left");
      for (const child of namedChildren(clause)) {
        // What the first goes over is evaluated outside.
        if (child !== left) this.visit(child, at === 0 ? scope : inner);
      }
      if (left) this.#target(left, inner, { kind: "var", from: left.start });
    }
    for (const child of namedChildren(node)) {
      if (child.type !== "for_in_clause") this.visit(child, inner);
    }
  }

  /** `value as name`, in `with`; in `except` and `case` others know for how long it holds. */
  #alias(node: PyNode, scope: Scope, until?: number): void {
    const alias = fieldOf(node, "alias");
    const end = until === undefined ? {} : { until };
    for (const child of namedChildren(node)) {
      if (child !== alias) this.visit(child, scope);
      else
        for (const one of namedChildren(child)) {
          this.#target(one, scope, { kind: "var", from: child.end, ...end });
        }
    }
  }

  /** The name of an exception is gone when it has been handled. */
  #handler(node: PyNode, scope: Scope): void {
    for (const child of namedChildren(node)) {
      if (child.type === "as_pattern") this.#alias(child, scope, node.end);
      else this.visit(child, scope);
    }
  }

  #case(node: PyNode, scope: Scope): void {
    for (const child of namedChildren(node)) {
      if (child.type === "case_pattern") this.#pattern(child, scope);
      else this.visit(child, scope);
    }
  }

  /** A name alone in a pattern is set by it; one with dots, or of a class, is read. */
  #pattern(node: PyNode, scope: Scope): void {
    const parts = namedChildren(node);
    switch (node.type) {
      case "dotted_name": {
        const [only, ...more] = parts;
        if (only && more.length === 0 && only.text !== "_") {
          this.#bind(only, scope, { kind: "var", from: node.end });
        } else if (only && more.length > 0) this.#use(only, scope, {});
        return undefined;
      }
      case "class_pattern": {
        const [name, ...rest] = parts;
        const first = name && (namedChildren(name)[0] ?? name);
        if (first?.type === "identifier") this.#use(first, scope, {});
        for (const one of rest) this.#pattern(one, scope);
        return undefined;
      }
      case "keyword_pattern":
        for (const one of parts.slice(1)) this.#pattern(one, scope);
        return undefined;
      case "identifier":
        if (node.text !== "_") this.#bind(node, scope, { kind: "var", from: node.end });
        return undefined;
      default:
        for (const one of parts) this.#pattern(one, scope);
    }
  }

  #import(node: PyNode, scope: Scope): void {
    const isFrom = node.type === "import_from_statement";
    for (const child of namedChildren(node)) {
      if (child.field !== "name") continue;
      const alias = fieldOf(child, "alias");
      const path = fieldOf(child, "name") ?? child;
      const [first] = namedChildren(path);
      const name = alias ?? (isFrom ? path : first);
      const target = name?.type === "dotted_name" ? namedChildren(name)[0] : name;
      if (target) this.#bind(target, scope, { kind: "import", from: node.end });
    }
  }

  /** What is assigned to: names are set, everything else is evaluated. */
  #target(node: PyNode, scope: Scope, how: Setting): void {
    switch (node.type) {
      case "identifier":
        return this.#bind(node, scope, how);
      case "pattern_list":
      case "tuple_pattern":
      case "list_pattern":
      case "list_splat_pattern":
      case "parenthesized_expression":
      case "tuple":
      case "list":
        for (const one of namedChildren(node)) this.#target(one, scope, how);
        return undefined;
      default:
        return this.visit(node, scope);
    }
  }

  /** A name that gets a value: the first time it is declared so. */
  #bind(node: PyNode, scope: Scope, { kind, from, until, isRead }: Setting): void {
    const name = dotted(node);
    const home = this.#homeOf(name, scope);
    if (home.bindings.has(name) || home !== scope) {
      if (!home.bindings.has(name)) home.declare(name, kind, node);
      this.#use(node, scope, { isWrite: true, isRead: isRead ?? false });
      return;
    }
    const binding = home.declare(name, kind, node);
    if (from !== null) {
      binding.definitions.push({ node, from, ...(until === undefined ? {} : { until }) });
    }
  }

  #homeOf(name: string, scope: Scope): Scope {
    const said = this.#elsewhere.get(scope)?.get(name);
    if (said === "global") return this.root;
    if (said !== "nonlocal") return scope;
    for (let at = scope.parent; at; at = at.parent) {
      if (at.kind !== "hidden" && at.bindings.has(name)) return at;
    }
    return scope.parent ?? scope;
  }

  #use(node: PyNode, scope: Scope, how: Partial<Reference>): void {
    const { isWrite = false, isRead = true } = how;
    const name = dotted(node);
    // A function that says `global` means the module's, whatever is around it.
    const said = this.#elsewhere.get(scope)?.get(name) === "global";
    const at = said ? this.root : scope;
    this.references.push({
      node,
      name,
      scope: at,
      isWrite,
      isRead,
      isShorthand: false,
      binding: null,
    });
  }
}

interface Setting {
  readonly kind: BindingKind;
  /** Offset from which on the value is there; null: there is none. */
  readonly from: number | null;
  readonly until?: number;
  readonly isRead?: boolean;
}

/** Names of `global` and `nonlocal` statements of a body, those of functions in it left out. */
function declaredElsewhere(body: PyNode): Map<string, "global" | "nonlocal"> {
  const found = new Map<string, "global" | "nonlocal">();
  const look = (node: PyNode): void => {
    const kind = /^(global|nonlocal)_statement$/.exec(node.type)?.[1];
    if (kind === "global" || kind === "nonlocal") {
      for (const name of namedChildren(node)) found.set(name.text, kind);
    }
    if (/^(?:function_definition|class_definition|lambda)$/.test(node.type)) return;
    for (const child of namedChildren(node)) look(child);
  };
  for (const child of namedChildren(body)) look(child);
  return found;
}

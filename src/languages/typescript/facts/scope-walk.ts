/**
 * @file One walk over a syntax tree that finds its scopes, declarations and uses of names, by the rules
 * of JavaScript (hoisting of `var` and functions, block scopes, parameters, catch, classes), with the
 * names that exist in types only kept apart.
 */
import type { ArrowFunctionExpression, Class, Function, Node } from "oxc-parser";
import type { BindingKind, Reference, WalkedNames } from "../../scopes.ts";
import { Scope } from "../../scopes.ts";
import { childrenOf } from "../syntax.ts";

export function walkScopes(program: Node): WalkedNames {
  const walk = new ScopeWalk(program);
  for (const child of childrenOf(program)) walk.visit(child, walk.root);
  return walk;
}

/** How a pattern is used: it declares, or it assigns to what is there. */
type Target =
  | { readonly declares: BindingKind; readonly scope: Scope; readonly from: number | null }
  | { readonly declares: null };

class ScopeWalk implements WalkedNames {
  readonly root: Scope;
  readonly references: Reference[] = [];

  constructor(program: Node) {
    this.root = new Scope(program, null, "function");
  }

  visit(node: Node, scope: Scope): void {
    switch (node.type) {
      case "Identifier":
        return this.#use(node, scope, {});
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#function(node, scope);
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#class(node, scope);
      case "VariableDeclaration":
        return this.#variables(node, scope);
      case "CatchClause": {
        const inner = new Scope(node, scope, "block");
        if (node.param) this.#pattern(node.param, inner, declaring("catch", inner, node.start));
        return this.visit(node.body, inner);
      }
      case "BlockStatement":
      case "SwitchStatement":
        return this.#children(node, new Scope(node, scope, "block"));
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return this.#children(node, new Scope(node, scope, "loop"));
      case "StaticBlock":
        return this.#children(node, new Scope(node, scope, "function"));
      case "ImportDeclaration":
        for (const specifier of node.specifiers) {
          const isType = "importKind" in specifier && specifier.importKind === "type";
          const kind = isType || node.importKind === "type" ? "type" : "import";
          this.#declare(specifier.local, kind, scope, 0);
        }
        return undefined;
      default:
        return this.#expression(node, scope);
    }
  }

  #expression(node: Node, scope: Scope): void {
    switch (node.type) {
      case "AssignmentExpression": {
        if (node.operator === "=") this.#pattern(node.left, scope, { declares: null });
        else this.#readAndWritten(node.left, scope);
        return this.visit(node.right, scope);
      }
      case "UpdateExpression":
        return this.#readAndWritten(node.argument, scope);
      case "MemberExpression":
        this.visit(node.object, scope);
        return node.computed ? this.visit(node.property, scope) : undefined;
      case "Property":
        if (node.computed) this.visit(node.key, scope);
        if (node.shorthand && node.value.type === "Identifier") {
          return this.#use(node.value, scope, { isShorthand: true });
        }
        return this.visit(node.value, scope);
      case "MethodDefinition":
      case "PropertyDefinition":
      case "AccessorProperty":
        for (const decorator of node.decorators) this.visit(decorator, scope);
        if (node.computed) this.visit(node.key, scope);
        return node.value ? this.visit(node.value, scope) : undefined;
      case "LabeledStatement":
        return this.visit(node.body, scope);
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
      case "ImportAttribute":
      case "ExportAllDeclaration":
        return undefined;
      default:
        return this.#rarer(node, scope);
    }
  }

  #rarer(node: Node, scope: Scope): void {
    switch (node.type) {
      case "ExportSpecifier":
        return node.local.type === "Identifier" ? this.#use(node.local, scope, {}) : undefined;
      case "ExportNamedDeclaration":
        if (node.source) return undefined;
        return this.#children(node, scope);
      case "TSEnumDeclaration":
        return this.#enum(node, scope);
      case "TSModuleDeclaration":
        if (node.id.type === "Identifier") this.#declare(node.id, "namespace", scope, node.end);
        return node.body ? this.visit(node.body, scope) : undefined;
      case "TSModuleBlock":
        return this.#children(node, new Scope(node, scope, "function"));
      case "TSImportEqualsDeclaration":
        return this.#declare(node.id, "import", scope, 0);
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
        return this.#declare(node.id, "type", scope, 0);
      case "TSDeclareFunction":
        return node.id ? this.#declare(node.id, "function", scope, 0) : undefined;
      default:
        // Types name nothing that runs; what wraps an expression holds it.
        if (node.type.startsWith("TS") && !HOLDS_VALUES.has(node.type)) return undefined;
        return this.#children(node, scope);
    }
  }

  #children(node: Node, scope: Scope): void {
    for (const child of childrenOf(node)) this.visit(child, scope);
  }

  #function(node: FunctionNode, scope: Scope): void {
    if (node.type === "FunctionDeclaration" && node.id)
      this.#declare(node.id, "function", scope, 0);
    const inner = new Scope(node, scope, "function");
    if (node.type === "FunctionExpression" && node.id) this.#declare(node.id, "function", inner, 0);
    for (const parameter of node.params) {
      this.#pattern(parameter, inner, declaring("parameter", inner, node.start));
    }
    if (!node.body) return;
    // The parameters and the body are one scope: a name of the body may not repeat one of them.
    if (node.body.type === "BlockStatement") this.#children(node.body, inner);
    else this.visit(node.body, inner);
  }

  #class(node: Class, scope: Scope): void {
    if (node.type === "ClassDeclaration" && node.id) {
      this.#declare(node.id, "class", scope, node.end);
    }
    for (const decorator of node.decorators) this.visit(decorator, scope);
    if (node.superClass) this.visit(node.superClass, scope);
    const inner = new Scope(node, scope, "block");
    if (node.type === "ClassExpression" && node.id) this.#declare(node.id, "class", inner, 0);
    for (const member of node.body.body) this.visit(member, inner);
  }

  #variables(node: Extract<Node, { type: "VariableDeclaration" }>, scope: Scope): void {
    const kind = node.kind === "await using" ? "using" : node.kind;
    const home = kind === "var" ? scope.function : scope;
    for (const { id, init, end } of node.declarations) {
      // The head of a loop gives a value without one being written.
      const isHead = /^For(?:In|Of)/.test(scope.node.type) && isLeft(scope.node as Node, node);
      const from = isHead ? end : init ? end : null;
      this.#pattern(id, scope, { declares: kind, scope: home, from });
      if (init) this.visit(init, scope);
    }
  }

  #enum(node: Extract<Node, { type: "TSEnumDeclaration" }>, scope: Scope): void {
    this.#declare(node.id, "enum", scope, node.end);
    const inner = new Scope(node, scope, "block");
    for (const { id, initializer } of node.body.members) {
      if (id.type === "Identifier") this.#declare(id, "const", inner, 0);
      if (initializer) this.visit(initializer, inner);
    }
  }

  /** What is declared, or assigned to, by a pattern; its defaults and keys are expressions. */
  #pattern(node: Node, scope: Scope, target: Target): void {
    switch (node.type) {
      case "Identifier":
        for (const decorator of node.decorators ?? []) this.visit(decorator, scope);
        if (target.declares === null)
          return this.#use(node, scope, { isWrite: true, isRead: false });
        return this.#declare(node, target.declares, target.scope, target.from);
      case "AssignmentPattern":
        this.#pattern(node.left, scope, target);
        return this.visit(node.right, scope);
      case "RestElement":
        return this.#pattern(node.argument, scope, target);
      case "ArrayPattern":
        for (const element of node.elements) if (element) this.#pattern(element, scope, target);
        return undefined;
      case "ObjectPattern":
        for (const property of node.properties) {
          if (property.type === "RestElement") this.#pattern(property, scope, target);
          else {
            if (property.computed) this.visit(property.key, scope);
            this.#pattern(property.value, scope, target);
          }
        }
        return undefined;
      case "TSParameterProperty":
        return this.#pattern(node.parameter, scope, target);
      default:
        // A member expression, with or without a cast around it.
        return this.visit(node, scope);
    }
  }

  /** A target that is read before it is written: `+=`, `++`. */
  #readAndWritten(node: Node, scope: Scope): void {
    if (node.type === "Identifier") this.#use(node, scope, { isWrite: true });
    else this.visit(node, scope);
  }

  #declare(node: Node, kind: BindingKind, scope: Scope, from: number | null): void {
    if (node.type !== "Identifier") return;
    const binding = scope.declare(node.name, kind, node);
    if (from !== null) binding.definitions.push({ node, from });
  }

  #use(node: Node, scope: Scope, how: Partial<Reference>): void {
    if (node.type !== "Identifier") return;
    const { isWrite = false, isRead = true, isShorthand = false } = how;
    this.references.push({
      node,
      name: node.name,
      scope,
      isWrite,
      isRead,
      isShorthand,
      binding: null,
    });
  }
}

type FunctionNode = ArrowFunctionExpression | Function;

/** Nodes of TypeScript that hold something that runs. */
const HOLDS_VALUES = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSExportAssignment",
]);

function declaring(kind: BindingKind, scope: Scope, from: number): Target {
  return { declares: kind, scope, from };
}

function isLeft(loop: Node, node: Node): boolean {
  return "left" in loop && loop.left === node;
}

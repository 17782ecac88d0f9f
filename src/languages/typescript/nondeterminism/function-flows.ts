/**
 * @file The functions of a program by the names under which they may be called, and the variables that
 * each declares. What has the same name is not told apart: a call reaches all of them.
 */
import type {
  ArrowFunctionExpression,
  Function as FunctionNode,
  Node,
  Program,
  Statement,
} from "oxc-parser";
import { namesIn, propertyName } from "../analysis/lowering/syntax-names.ts";
import { childrenOf } from "../syntax.ts";

export type AnyFunction = FunctionNode | ArrowFunctionExpression;

export interface Scope {
  readonly file: string;
  readonly id: string;
  readonly parent: Scope | null;
  readonly names: Set<string>;
}

export function isFunction(node: Node | null | undefined): node is AnyFunction {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(
    node?.type ?? "",
  );
}

/** Module scopes of all files are one: what is imported by its name is found by it. */
export const MODULE = "";

interface InnerScope {
  readonly start: number;
  readonly end: number;
  readonly scope: Scope;
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

/** Variables by function, and functions by name, of all files. */
export class Functions {
  readonly scopes: Map<Node, Scope> = new Map();
  readonly #byName = new Map<string, AnyFunction[]>();
  /** By the place of the variable that it is the value of. */
  readonly #byPlace = new Map<string, AnyFunction[]>();
  readonly #ids = new Map<AnyFunction, string>();
  readonly #modules = new Map<string, Scope>();
  /** Scopes of functions, by the scope around them. */
  readonly #inner = new Map<Scope, InnerScope[]>();

  add(file: string, program: Program): Scope {
    const module = { file, id: MODULE, parent: null, names: new Set<string>() };
    this.scopes.set(program, module);
    this.#modules.set(file, module);
    this.#visit(file, program, module);
    return module;
  }

  idOf(node: AnyFunction): string {
    return this.#ids.get(node) ?? "";
  }

  /** The scope of the innermost function of a file that a span lies in. */
  around(file: string, start: number, end: number): Scope | null {
    let innermost = this.#modules.get(file) ?? null;
    for (let inner = innermost; inner;) {
      innermost = inner;
      const functions: readonly InnerScope[] = this.#inner.get(inner) ?? [];
      inner = functions.findLast((one) => one.start <= start && end <= one.end)?.scope ?? null;
    }
    return innermost;
  }

  /** Functions that an expression may be: of a variable its own, of a method all of that name. */
  named(scope: Scope, node: Node): readonly AnyFunction[] {
    if (node.type === "Identifier") {
      return this.#byPlace.get(this.resolve(scope, node.name) ?? "") ?? [];
    }
    if (node.type !== "MemberExpression") return isFunction(node) ? [node] : [];
    return this.#byName.get(propertyName(node.property, node.computed) ?? "") ?? [];
  }

  /** The place of a variable; undefined: no file declares it. */
  resolve(scope: Scope | null, name: string): string | undefined {
    for (let at = scope; at; at = at.parent) {
      if (at.names.has(name)) return `${at.id}:${name}`;
    }
    return undefined;
  }

  #name(name: string | null | undefined, node: Node | null | undefined, scope?: Scope): void {
    if (name == null || !isFunction(node)) return;
    addTo(this.#byName, name, node);
    if (scope) addTo(this.#byPlace, this.resolve(scope, name) ?? `${MODULE}:${name}`, node);
  }

  /** What is imported under another name. */
  alias(local: string, imported: string): void {
    const found = this.#byPlace.get(`${MODULE}:${imported}`) ?? [];
    const place = `${MODULE}:${local}`;
    if (found.length > 0) this.#byPlace.set(place, [...(this.#byPlace.get(place) ?? []), ...found]);
  }

  #visit(file: string, node: Node, scope: Scope): void {
    this.#names(node, scope);
    let own = scope;
    if (isFunction(node)) {
      const id = `${file}:${node.start}`;
      own = { file, id, parent: scope, names: new Set(node.params.flatMap(namesIn)) };
      own.names.add("arguments");
      if (node.type === "FunctionExpression" && node.id) own.names.add(node.id.name);
      this.scopes.set(node, own);
      addTo(this.#inner, scope, { start: node.start, end: node.end, scope: own });
      this.#ids.set(node, id);
    }
    for (const child of childrenOf(node)) this.#visit(file, child, own);
  }

  /** Blocks are not told apart: a variable belongs to the function around it. */
  #names(node: Node, scope: Scope): void {
    switch (node.type) {
      case "FunctionDeclaration":
        if (node.id) scope.names.add(node.id.name);
        return this.#name(node.id?.name ?? "default", node, scope);
      case "FunctionExpression":
        return this.#name(node.id?.name, node);
      case "ClassDeclaration":
      case "ClassExpression":
        if (node.id) scope.names.add(node.id.name);
        for (const member of node.body.body) {
          if (member.type !== "MethodDefinition" || member.kind !== "constructor") continue;
          this.#name(node.id?.name ?? "default", member.value, scope);
        }
        return;
      case "TSEnumDeclaration":
      case "TSModuleDeclaration":
        if (node.id.type === "Identifier") scope.names.add(node.id.name);
        return;
      case "VariableDeclarator":
        for (const name of namesIn(node.id)) scope.names.add(name);
        return node.id.type === "Identifier"
          ? this.#name(node.id.name, node.init, scope)
          : undefined;
      case "CatchClause":
        for (const name of node.param ? namesIn(node.param) : []) scope.names.add(name);
        return;
      case "ImportSpecifier":
      case "ImportDefaultSpecifier":
      case "ImportNamespaceSpecifier":
        scope.names.add(node.local.name);
        return;
      case "AssignmentExpression":
        if (node.left.type === "Identifier") this.#name(node.left.name, node.right, scope);
        if (node.left.type !== "MemberExpression") return;
        return this.#name(propertyName(node.left.property, node.left.computed), node.right);
      case "ExportDefaultDeclaration":
        return this.#name("default", node.declaration, scope);
      case "Property":
      case "MethodDefinition":
      case "PropertyDefinition":
        return this.#name(propertyName(node.key, node.computed), node.value);
      default:
    }
  }
}

/** Names that a file gives to what it imports, and the names in the file that they come from. */
export function renamedImports({ body }: Program): (readonly [string, string])[] {
  return body.flatMap((statement) => {
    if (statement.type !== "ImportDeclaration") return [];
    return statement.specifiers.flatMap((one) => {
      if (one.type === "ImportNamespaceSpecifier") return [];
      const { local } = one;
      const imported =
        one.type === "ImportDefaultSpecifier" ? "default" : exportedName(one.imported);
      return local.name === imported ? [] : [[local.name, imported] as const];
    });
  });
}

export function exportedName(node: Node): string {
  return node.type === "Identifier" ? node.name : String((node as { value?: unknown }).value);
}

/** The name by which something is called: of a variable, or of a method. */
export function calledName(node: Node): string | null {
  if (node.type === "Identifier") return node.name;
  return node.type === "MemberExpression" ? propertyName(node.property, node.computed) : null;
}

export function declaredBy(node: Statement | Node | null): string[] {
  if (!node) return [];
  if (node.type === "VariableDeclaration")
    return node.declarations.flatMap(({ id }) => namesIn(id));
  const { id } = node as { readonly id?: Node | null };
  return id?.type === "Identifier" ? [id.name] : [];
}

/** @file What names of a file stand for outside of the project: `now` for `perf_hooks|performance.now`. */
import type { Expression, Node } from "oxc-parser";
import { constantText, propertyName, unwrap } from "../analysis/lowering/syntax-names.ts";
import { sourcesOf } from "../libraries/nondeterministic-calls.ts";
import { childrenOf } from "../syntax.ts";
import type { Functions, Scope } from "./function-flows.ts";
import { exportedName } from "./function-flows.ts";

/** Functions that give back what they get, or new objects that hold it. */
export const PASSING: RegExp =
  /^(?:global\|(?:Object|Array|Promise|Reflect|Map|Set|structuredClone)\b|afterlog\|)/;
/** Functions that change their first argument by what the others give. */
export const FILLING: RegExp =
  /^global\|(?:Object\.(?:assign|definePropert(?:y|ies))|Reflect\.set|Atomics\.\w+)$/;

const IN_PROJECT = /^\.{0,2}\/|^\.{1,2}$/;

export class OutsideNames {
  readonly #functions: Functions;
  readonly #paths = new Map<string, string>();

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  /** Learns what a file imports, and what it calls otherwise. */
  learn(node: Node, scope: Scope): void {
    const own = this.#functions.scopes.get(node) ?? scope;
    if (node.type === "ImportDeclaration" && !IN_PROJECT.test(node.source.value)) {
      const root = rootOf(node.source.value);
      for (const one of node.specifiers) {
        const name = one.type === "ImportSpecifier" ? exportedName(one.imported) : null;
        this.#set(own, one.local.name, memberPath(root, name ?? "default"));
      }
    }
    if (node.type === "VariableDeclarator" && node.init) {
      const path = this.pathOf(node.init, own);
      if (path !== undefined) this.#alias(node.id, path, own);
    }
    for (const child of childrenOf(node)) this.learn(child, own);
  }

  /** What a file passes on that is not of the project: names, and what each stands for. */
  *passedOn(node: Node, scope: Scope): Generator<readonly [name: string, path: string]> {
    if (node.type !== "ExportNamedDeclaration" && node.type !== "ExportAllDeclaration") return;
    const root = packagePath(node.source?.value ?? null);
    if (node.type === "ExportAllDeclaration") {
      if (root === undefined) return;
      if (node.exported) yield [exportedName(node.exported), root];
      else for (const name of sourcesOf(root.slice(0, -1))) yield [name, memberPath(root, name)];
      return;
    }
    for (const { local, exported } of node.specifiers) {
      const path = node.source
        ? root && memberPath(root, exportedName(local))
        : this.pathOf(local, scope);
      if (path !== undefined) yield [exportedName(exported), path];
    }
  }

  /**
   * What an expression is made of. What kind of thing something is (`typeof`, `instanceof`) does not
   * tell what it would answer.
   */
  partsOf(node: Node, scope: Scope): Node[] {
    const asksKind =
      (node.type === "UnaryExpression" && node.operator === "typeof") ||
      (node.type === "BinaryExpression" && node.operator === "instanceof");
    return childrenOf(node).filter((part) => !asksKind || this.pathOf(part, scope) === undefined);
  }

  #set(scope: Scope, name: string, path: string): void {
    const place = this.#functions.resolve(scope, name);
    if (place !== undefined) this.#paths.set(`${scope.file}\n${place}`, path);
  }

  #alias(target: Node, path: string, scope: Scope): void {
    if (target.type === "Identifier") this.#set(scope, target.name, path);
    if (target.type !== "ObjectPattern") return;
    for (const property of target.properties) {
      if (property.type !== "Property") continue;
      const name = propertyName(property.key, property.computed);
      if (name !== null) this.#alias(property.value, memberPath(path, name), scope);
    }
  }

  /** The path of an expression that is not of the project; undefined: it is. */
  pathOf(node: Node, scope: Scope): string | undefined {
    const inner = unwrap(node as Expression);
    switch (inner.type) {
      case "Identifier": {
        const place = this.#functions.resolve(scope, inner.name);
        if (place === undefined) return memberPath("global|", inner.name);
        return this.#paths.get(`${scope.file}\n${place}`);
      }
      case "MemberExpression": {
        const name = propertyName(inner.property, inner.computed);
        const base = name === null ? undefined : this.pathOf(inner.object, scope);
        return base === undefined || name === null ? undefined : memberPath(base, name);
      }
      case "AwaitExpression":
        return inner.argument.type === "ImportExpression"
          ? packagePath(constantText(inner.argument.source))
          : undefined;
      case "CallExpression": {
        const [first] = inner.arguments;
        const isRequire = inner.callee.type === "Identifier" && inner.callee.name === "require";
        if (!isRequire || !first || first.type === "SpreadElement") return undefined;
        return packagePath(constantText(first));
      }
      default:
        return undefined;
    }
  }
}

function rootOf(specifier: string): string {
  return `${specifier.replace(/^node:/, "")}|`;
}

function packagePath(specifier: string | null): string | undefined {
  return specifier === null || IN_PROJECT.test(specifier) ? undefined : rootOf(specifier);
}

/** `globalThis.Date` is `Date`, and the default of a package the package itself. */
function memberPath(base: string, name: string): string {
  if (name === "default" || (base === "global|" && /^(?:globalThis|window|self)$/.test(name))) {
    return base;
  }
  return base.endsWith("|") ? base + name : `${base}.${name}`;
}

/**
 * @file Names of where a program lies, on their way through variables, fields, arguments and results. A replay
 * is executed in a tree of its own, and tells such a name as the run had it, as a whole; what is computed from
 * its characters is another thing there: how long it is, how many parts it has. Names in lists are not followed.
 */
import type { CallExpression, Expression, Node } from "oxc-parser";
import { namesIn, propertyName, unwrap } from "../analysis/lowering/syntax-names.ts";
import type { Cause, Flow, FlowGraph } from "./flow-graph.ts";
import type { Functions, Scope } from "./function-flows.ts";
import { calledName } from "./function-flows.ts";
import type { OutsideNames } from "./outside-sources.ts";

/** Ends the name of the node for whether a place holds such a name. */
const LIES = " lies";

/** Such a name, and what is asked of it. */
const TOLD = /^global\|(?:__dirname|__filename|process\.argv\.1)(?:\.(?<asked>.+))?$/;
const TOLD_BY_MODULE = /^(?:url|dirname|filename)$/;
const TELLS =
  /^(?:(?:global\||process\|)(?:process\.)?cwd|path\|(?:(?:posix|win32)\.)?resolve|fs\|realpathSync(?:\.native)?)$/;
/** Functions that give such a name for such a name. */
const PASSES =
  /^(?:path\|(?:(?:posix|win32)\.)?(?:join|dirname|normalize|format|toNamespacedPath)|url\|(?:fileURLToPath|pathToFileURL|URL)|global\|(?:URL|String|decodeURI(?:Component)?|encodeURI(?:Component)?))$/;
const PASSING_METHODS = /^(?:toString|valueOf|trim|replace|replaceAll|concat)$/;
const PASSING_FIELDS = /^(?:href|pathname)$/;
const CUTTING_METHODS =
  /^(?:split|slice|substring|substr|indexOf|lastIndexOf|search|charAt|charCodeAt|codePointAt|at|match|matchAll|localeCompare|padStart|padEnd)$/;
const PARTS = /^(?:length|\d+)$/;
/** Takes a text apart, or its bytes. */
const CUTTING = /^(?:global\|(?:Array\.from|Buffer\.from|encodeURI)|buffer\|Buffer\.from)$/;

export interface PlaceNaming {
  readonly graph: FlowGraph;
  readonly functions: Functions;
  readonly outside: OutsideNames;
}

/** A place stands for another. */
export function linkNames(graph: FlowGraph, to: string, from: string): void {
  graph.add(to + LIES, [from + LIES]);
}

/** What is asked of such a name by a path of names; undefined: it is of something else. */
function askedOf(path: string | undefined): string | undefined {
  const told = path === undefined ? null : TOLD.exec(path);
  return told === null ? undefined : (told.groups?.["asked"] ?? "");
}

/** The names of one file; `causeAt` says where one comes from. */
export class PlaceNames {
  readonly #program: PlaceNaming;
  readonly #causeAt: (node: Node) => Cause;

  constructor(program: PlaceNaming, causeAt: (node: Node) => Cause) {
    this.#program = program;
    this.#causeAt = causeAt;
  }

  /** What a variable, a field, or what is taken from an object gets. */
  write(target: Node, names: Flow, scope: Scope): void {
    if (names.length === 0) return;
    switch (target.type) {
      case "Identifier":
        return this.#program.graph.add(this.#place(target.name, scope), names);
      case "MemberExpression":
        return this.put(propertyName(target.property, target.computed), names);
      case "AssignmentPattern":
        return this.write(target.left, names, scope);
      default:
    }
  }

  /** What a field of any object gets. */
  put(field: string | null, names: Flow): void {
    if (field !== null && names.length > 0) this.#program.graph.add(`.${field}${LIES}`, names);
  }

  /** An object that is taken apart: each name may be that of a field. */
  take(target: Node, scope: Scope): void {
    if (target.type === "AssignmentPattern") return this.take(target.left, scope);
    if (target.type !== "ObjectPattern") return;
    for (const property of target.properties) {
      if (property.type !== "Property") continue;
      const name = propertyName(property.key, property.computed);
      if (name !== null) this.write(property.value, [`.${name}${LIES}`], scope);
      this.take(property.value, scope);
    }
  }

  /** A parameter of a function. */
  parameter(target: Node, id: string, at: number, scope: Scope): void {
    const given = [`${id} gets ${at}${LIES}`];
    if (target.type === "TSParameterProperty") {
      for (const name of namesIn(target)) this.put(name, given);
      return this.parameter(target.parameter, id, at, scope);
    }
    this.write(target, given, scope);
    if (target.type === "AssignmentPattern") {
      this.write(target.left, this.of(target.right, scope), scope);
    }
    this.take(target, scope);
  }

  /** What a function gets. */
  pass(id: string, args: readonly Node[], scope: Scope): void {
    const spread = args.findIndex(({ type }) => type === "SpreadElement");
    for (const [at, one] of (spread < 0 ? args : args.slice(0, spread)).entries()) {
      this.#program.graph.add(`${id} gets ${at}${LIES}`, this.of(one as Expression, scope));
    }
  }

  /** What a function gives. */
  give(id: string, names: Flow): void {
    if (names.length > 0) this.#program.graph.add(`${id} gives${LIES}`, names);
  }

  /** From where an expression may be such a name; empty: it is none. */
  of(given: Expression, scope: Scope): Flow {
    const node = unwrap(given);
    const path = this.#program.outside.pathOf(node, scope);
    if (path !== undefined) return askedOf(path) === "" ? this.#cause(node) : [];
    switch (node.type) {
      case "Identifier":
        return [this.#place(node.name, scope)];
      case "MemberExpression": {
        const name = propertyName(node.property, node.computed);
        if (name === null) return [];
        if (node.object.type === "MetaProperty") {
          return TOLD_BY_MODULE.test(name) ? this.#cause(node) : [];
        }
        const inner = PASSING_FIELDS.test(name) ? this.of(node.object, scope) : [];
        return [...inner, `.${name}${LIES}`];
      }
      case "TemplateLiteral":
        return node.expressions.flatMap((one) => this.of(one, scope));
      case "BinaryExpression":
        if (node.operator !== "+") return [];
        return [...this.of(node.left, scope), ...this.of(node.right, scope)];
      case "LogicalExpression":
        return [...this.of(node.left, scope), ...this.of(node.right, scope)];
      case "ConditionalExpression":
        return [...this.of(node.consequent, scope), ...this.of(node.alternate, scope)];
      case "AssignmentExpression":
        return this.of(node.right, scope);
      case "AwaitExpression":
        return this.of(node.argument, scope);
      case "CallExpression":
      case "NewExpression":
        return this.#given(node as CallExpression, scope);
      default:
        return [];
    }
  }

  /** From where a name comes that an expression takes apart. */
  cut(node: Expression, scope: Scope): Flow {
    const own = askedOf(this.#program.outside.pathOf(node, scope));
    if (own !== undefined) return PARTS.test(own) ? this.#cause(node) : [];
    if (node.type === "MemberExpression") {
      const name = propertyName(node.property, node.computed);
      const isPart = name === null ? node.computed : PARTS.test(name);
      return isPart ? this.of(node.object, scope) : [];
    }
    if (node.type === "ArrayExpression") {
      return node.elements.flatMap((one) =>
        one?.type === "SpreadElement" ? this.of(one.argument, scope) : [],
      );
    }
    if (node.type !== "CallExpression") return [];
    const callee = unwrap(node.callee);
    const path = this.#program.outside.pathOf(callee, scope);
    if (path !== undefined) {
      if (/^path\|(?:\w+\.)?relative$/.test(path)) return this.#oneSided(node, scope);
      if (CUTTING_METHODS.test(askedOf(path) ?? "")) return this.#cause(node);
      return CUTTING.test(path) ? this.#arguments(node, scope) : [];
    }
    const method = callee.type === "MemberExpression" ? calledName(callee) : null;
    if (callee.type !== "MemberExpression" || method === null) return [];
    // A digest: `hash.update(name)`.
    if (method === "update") return this.#arguments(node, scope);
    return CUTTING_METHODS.test(method) ? this.of(callee.object, scope) : [];
  }

  /** From one such name to another the way is the same wherever both lie. */
  #oneSided(node: CallExpression, scope: Scope): Flow {
    const [from = [], to = []] = node.arguments.map((one) => this.of(one as Expression, scope));
    return from.length > 0 && to.length > 0 ? [] : [...from, ...to];
  }

  #given(node: CallExpression, scope: Scope): Flow {
    const callee = unwrap(node.callee);
    const path = this.#program.outside.pathOf(callee, scope);
    if (path !== undefined) {
      if (TELLS.test(path) || PASSING_METHODS.test(askedOf(path) ?? "")) return this.#cause(node);
      return PASSES.test(path) ? this.#arguments(node, scope) : [];
    }
    const method = callee.type === "MemberExpression" ? calledName(callee) : null;
    if (callee.type === "MemberExpression" && PASSING_METHODS.test(method ?? "")) {
      return [...this.of(callee.object, scope), ...this.#arguments(node, scope)];
    }
    const { functions } = this.#program;
    return functions.named(scope, callee).map((one) => `${functions.idOf(one)} gives${LIES}`);
  }

  #arguments(node: CallExpression, scope: Scope): Flow {
    return node.arguments.flatMap((one) =>
      one.type === "SpreadElement" ? [] : this.of(one, scope),
    );
  }

  #place(name: string, scope: Scope): string {
    return (this.#program.functions.resolve(scope, name) ?? `global:${name}`) + LIES;
  }

  #cause(node: Node): Flow {
    return this.#program.graph.cause(this.#causeAt(node));
  }
}

/**
 * @file Whether statements of a question switch nothing of the program that stays switched: they call
 * nothing but methods of the language that read, and set nothing but what they made themselves. Before
 * any other all flags of the program's objects are noted, which takes as long as there are objects.
 * Like a single log call they are trusted not to do it by a getter.
 */
import type { CallExpression, Node } from "oxc-parser";
import { GLOBALS, isComputing, isReading } from "../restored/computing-names.ts";
import { childrenOf } from "../syntax.ts";

/** Code that is not followed. */
const UNKNOWN =
  /^(?:Await|Yield|TaggedTemplate|Import|With|Decorator|Class|Meta|Super|V8Intrinsic|JSX)/;

export function isLight(statements: readonly Node[]): boolean {
  const nodes = statements.flatMap(nodesIn);
  const known = new OwnNames(nodes);
  return nodes.every((node) => isHarmless(node, known));
}

function nodesIn(node: Node): Node[] {
  return [node, ...childrenOf(node).flatMap(nodesIn)];
}

/** Names that the statements declare, by what they hold whatever happens. */
class OwnNames {
  /** Functions of theirs, whose bodies are looked at like all else. */
  readonly functions = new Set<string>();
  /** Objects that they made. */
  readonly made = new Set<string>();

  constructor(nodes: readonly Node[]) {
    for (const node of nodes) {
      if (node.type === "FunctionDeclaration" && node.id) this.functions.add(node.id.name);
      if (node.type !== "VariableDeclaration" || node.kind !== "const") continue;
      for (const { id, init } of node.declarations) {
        if (id.type !== "Identifier" || !init) continue;
        if (/^(?:ArrowFunction|Function)Expression$/.test(init.type)) this.functions.add(id.name);
        if (isMade(init)) this.made.add(id.name);
      }
    }
    // A parameter or a variable of that name may hold anything.
    const declared = nodes.flatMap(declaredNames);
    for (const name of [...this.functions, ...this.made]) {
      if (declared.filter((one) => one === name).length < 2) continue;
      this.functions.delete(name);
      this.made.delete(name);
    }
  }
}

/** Made here, and of nothing that was there. */
function isMade(node: Node): boolean {
  if (node.type === "ObjectExpression") return node.properties.length === 0;
  if (node.type === "ArrayExpression") return node.elements.length === 0;
  return node.type === "NewExpression" && isGlobal(node.callee);
}

function declaredNames(node: Node): string[] {
  switch (node.type) {
    case "VariableDeclarator":
      return namesOf(node.id);
    case "FunctionDeclaration":
      return [...(node.id ? [node.id.name] : []), ...node.params.flatMap(namesOf)];
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return node.params.flatMap(namesOf);
    case "CatchClause":
      return node.param ? namesOf(node.param) : [];
    default:
      return [];
  }
}

/** All names in a pattern, those of defaults too: more than it declares does no harm. */
function namesOf(pattern: Node): string[] {
  return nodesIn(pattern).flatMap((node) => (node.type === "Identifier" ? [node.name] : []));
}

function isHarmless(node: Node, own: OwnNames): boolean {
  if (UNKNOWN.test(node.type)) return false;
  switch (node.type) {
    case "CallExpression":
      return isHarmlessCall(node, own);
    case "NewExpression":
      return isGlobal(node.callee);
    case "UnaryExpression":
      return node.operator !== "delete" || isOwn(node.argument, own);
    case "AssignmentExpression":
      return isOwn(node.left, own);
    case "UpdateExpression":
      return isOwn(node.argument, own);
    case "ForInStatement":
    case "ForOfStatement":
      return isOwn(node.left, own) && !("await" in node && node.await);
    case "ObjectExpression":
      // What is read of it calls something.
      return node.properties.every((one) => one.type !== "Property" || one.kind === "init");
    default:
      return true;
  }
}

function isHarmlessCall({ callee, arguments: given }: CallExpression, own: OwnNames): boolean {
  if (callee.type === "Identifier") return own.functions.has(callee.name) || isGlobal(callee);
  if (callee.type !== "MemberExpression" || callee.computed) return false;
  const { object, property } = callee;
  if (property.type !== "Identifier" || !callsKnown(property.name, given, own)) return false;
  if (isReading(property.name)) return true;
  const isRandom = property.name === "random" && isGlobal(object);
  return isRandom || (isComputing(property.name) && isOwn(callee, own));
}

/** Methods that call what they are given, and where that stands among their arguments. */
const CALLING = new Map([
  ..."map filter reduce reduceRight forEach some every find findIndex findLast findLastIndex flatMap sort toSorted"
    .split(" ")
    .map((name) => [name, 0] as const),
  ...["from", "replace", "replaceAll", "stringify", "parse"].map((name) => [name, 1] as const),
]);

function callsKnown(method: string, given: readonly Node[], own: OwnNames): boolean {
  const at = CALLING.get(method);
  const called = at === undefined ? undefined : given[at];
  if (at === undefined || !called) return true;
  if (given.some(({ type }) => type === "SpreadElement")) return false;
  if (called.type === "MemberExpression") return isGlobal(called.object);
  if (called.type === "Identifier") return own.functions.has(called.name) || isGlobal(called);
  return /^(?:ArrowFunctionExpression|FunctionExpression|Literal|TemplateLiteral)$/.test(
    called.type,
  );
}

/** A variable, or a part of an object that was made here. */
function isOwn(target: Node, own: OwnNames): boolean {
  switch (target.type) {
    case "Identifier":
    case "VariableDeclaration":
      return true;
    case "MemberExpression":
      return target.object.type === "Identifier" && own.made.has(target.object.name);
    case "ArrayPattern":
    case "ObjectPattern":
      return nodesIn(target).every((node) => node.type !== "MemberExpression");
    default:
      return false;
  }
}

function isGlobal(node: Node): boolean {
  return node.type === "Identifier" && GLOBALS.has(node.name);
}

/** @file What expressions and definitions of TypeScript are, in the words that languages share. */
import type { ArrowFunctionExpression, Function, Node } from "oxc-parser";
import type { Call, Member, Parameter, Write } from "../../landing/grammar.ts";

export function nameOf(node: Node): string | undefined {
  return node.type === "Identifier" ? node.name : undefined;
}

export function callOf(node: Node): Call | undefined {
  if (node.type !== "CallExpression") return undefined;
  return { callee: node.callee, values: node.arguments };
}

/** Names of private fields have their `#`. */
export function memberOf(node: Node): Member | undefined {
  if (node.type !== "MemberExpression" || node.computed || !("name" in node.property)) {
    return undefined;
  }
  const { type, name } = node.property;
  const { object } = node;
  return type === "PrivateIdentifier"
    ? { object, name: `#${name}`, isDeclared: true }
    : { object, name };
}

export function isSelf(node: Node): boolean {
  return node.type === "ThisExpression";
}

export function writeOf(node: Node): Write | undefined {
  if (node.type === "AssignmentExpression") {
    return { target: node.left, gathers: node.operator === "+=" };
  }
  if (node.type !== "UpdateExpression") return undefined;
  return { target: node.argument, gathers: node.operator === "++" };
}

export function isFunction(statement: Node): boolean {
  return functionIn(statement) !== undefined;
}

/** The parameters of the function that a statement defines, if all of them are listed. */
export function parametersOf(statement: Node): Parameter[] | undefined {
  const made = functionIn(statement);
  if (!made || made.params.some(({ type }) => type === "RestElement")) return undefined;
  return made.params.map((parameter) => {
    const isNeeded = parameter.type !== "AssignmentPattern";
    const target = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
    const isOptional = "optional" in target && target.optional;
    return {
      name: target.type === "Identifier" ? target.name : "",
      isNeeded: isNeeded && !isOptional,
    };
  });
}

function functionIn(node: Node): Function | ArrowFunctionExpression | undefined {
  if (node.type === "ExportNamedDeclaration") {
    return node.declaration ? functionIn(node.declaration) : undefined;
  }
  if (node.type === "FunctionDeclaration") return node;
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return undefined;
  const init = node.declarations[0]?.init;
  const isExpression =
    init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
  return isExpression ? init : undefined;
}

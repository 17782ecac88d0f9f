/** @file What expressions and definitions of Python are, in the words that languages share. */
import type { Call, Member, Parameter, Write } from "../../landing/grammar.ts";
import type { PyNode } from "./syntax.ts";
import { argumentsOf, assignmentIn, definitionIn, fieldOf, hasToken, named } from "./syntax.ts";

export function nameOf(node: PyNode): string | undefined {
  return node.type === "identifier" ? node.text : undefined;
}

export function callOf(node: PyNode): Call | undefined {
  const callee = node.type === "call" ? fieldOf(node, "function") : undefined;
  if (!callee) return undefined;
  const given = argumentsOf(node);
  const isOpen = given.some(({ type }) => type.endsWith("_splat"));
  const keywords = given.filter(({ type }) => type === "keyword_argument");
  return {
    callee,
    values: given.filter((one) => !keywords.includes(one)),
    named: keywords.map((one) => fieldOf(one, "name")?.text ?? ""),
    ...(isOpen ? { isOpen } : {}),
  };
}

export function memberOf(node: PyNode): Member | undefined {
  if (node.type !== "attribute") return undefined;
  const [object, name] = [fieldOf(node, "object"), fieldOf(node, "attribute")];
  return object && name ? { object, name: name.text } : undefined;
}

/** By custom: Python itself has no word for it. */
export function isSelf(node: PyNode): boolean {
  return node.type === "identifier" && (node.text === "self" || node.text === "cls");
}

export function writeOf(node: PyNode): Write | undefined {
  const isSum = node.type === "augmented_assignment";
  const target = isSum || node.type === "assignment" ? fieldOf(node, "left") : undefined;
  return target && { target, gathers: isSum && hasToken(node, "+=") };
}

export function isFunction(statement: PyNode): boolean {
  return functionIn(statement) !== undefined;
}

/** The parameters of the function that a statement defines, if all of them are listed. */
export function parametersOf(statement: PyNode): Parameter[] | undefined {
  const made = functionIn(statement);
  const parameters = made && fieldOf(made, "parameters");
  if (!made) return undefined;
  const list = parameters ? named(parameters) : [];
  if (list.some((one) => isSplat(one))) return undefined;
  const own = list.filter(({ type }) => !type.endsWith("_separator"));
  return own.map((one) => {
    const name = fieldOf(one, "name") ?? (one.type === "identifier" ? one : named(one)[0]);
    return {
      name: name?.type === "identifier" ? name.text : "",
      isNeeded: !/^(?:typed_)?default_parameter$/.test(one.type),
    };
  });
}

function isSplat(node: PyNode): boolean {
  if (node.type.endsWith("_splat_pattern")) return true;
  return node.type === "typed_parameter" && named(node).some(isSplat);
}

function functionIn(statement: PyNode): PyNode | undefined {
  const definition = definitionIn(statement);
  if (definition) return definition.type === "function_definition" ? definition : undefined;
  const value = assignmentIn(statement)?.value;
  return value?.type === "lambda" ? value : undefined;
}

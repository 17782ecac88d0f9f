/** @file What landing asks about statements of TypeScript. */
import type { Node, Statement } from "oxc-parser";
import type { RunMode } from "../../../format/index.ts";
import type { Place } from "../../../tree/index.ts";
import type { VersionPair } from "../../landing/pair.ts";
import { offsetOf } from "../../landing/pair.ts";
import type { Binding } from "../../landing/scope.ts";
import type { Refusal } from "../../landing/settle.ts";
import { consoleLogOf } from "../console-calls.ts";
import { logCallOf, sdkNames } from "../log-calls.ts";
import { childrenOf } from "../syntax.ts";
import type { Source } from "./source.ts";
import { neededBy, surroundingsAt } from "./surroundings.ts";

export function isSimple({ type }: Node): boolean {
  return /^(?:ExpressionStatement|VariableDeclaration)$/.test(type);
}

export function isLog({ program }: Source, node: Node): boolean {
  if (node.type !== "ExpressionStatement" || node.expression.type !== "CallExpression")
    return false;
  const { callee } = node.expression;
  const { wholes, logs } = sdkNames(program);
  if (callee.type === "Identifier") return logs.has(callee.name);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  return wholes.has(callee.object.name) || callee.object.name === "console";
}

export function logKeyIn({ program }: Source, mode: RunMode): (node: Node) => string | undefined {
  const names = sdkNames(program, mode);
  return (node) => {
    const call = logCallOf(node as Statement, names);
    const printed = call && names.console ? consoleLogOf(call, names.console) : undefined;
    if (printed) return JSON.stringify(printed);
    const [first] = call?.arguments ?? [];
    return first?.type === "Literal" && typeof first.value === "string" ? first.value : undefined;
  };
}

export function branchOf(node: Node): Node | undefined {
  if (node.type !== "IfStatement" || node.alternate) return undefined;
  return node.consequent.type === "BlockStatement" ? node.consequent : undefined;
}

export function isHoisted({ type }: Node): boolean {
  return type === "FunctionDeclaration";
}

/** Functions, and constants with one declarator. */
export function canBeBrought(node: Node, { kind }: Binding): boolean {
  // The declaration around a parameter declares the function, not the parameter.
  if (kind === "parameter" || kind === "catch") return false;
  if (node.type === "FunctionDeclaration") return kind === "function";
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return false;
  return node.declarations[0]?.init !== null;
}

export function withoutExport(node: Node): Node {
  return (node.type === "ExportNamedDeclaration" ? node.declaration : null) ?? node;
}

/** `await`, `this` and private fields that a statement needs and a place does not have. */
export function lacking(pair: VersionPair, node: Node, place: Place): Refusal | undefined {
  const needed = neededBy(node);
  const given = surroundingsAt(pair.then.source.program as Node, offsetOf(place));
  if (needed.awaits && !given.awaits) {
    return { refusal: "out_of_scope", reason: "it awaits, and that function is not async there" };
  }
  const wasGiven = surroundingsAt(pair.now.source.program as Node, node.start);
  if (needed.hasThis && wasGiven.hasThis && !given.hasThis) {
    return { refusal: "out_of_scope", reason: "it uses `this`, and there is none there" };
  }
  const missing = [...needed.privateNames].find((name) => !given.privateNames.has(name));
  if (missing === undefined) return undefined;
  return { refusal: "missing_variable", reason: `#${missing} does not exist in that version` };
}

/** Parts in which a line break belongs to the value. */
export function multilineStrings(node: Node): Node[] {
  if (node.type === "TemplateElement") return [node];
  return childrenOf(node).flatMap(multilineStrings);
}

const ENDS_WITH_SEMICOLON = /^(?:Expression|Return|Throw|Debugger)Statement$|^VariableDeclaration$/;

export function endsWithSemicolon({ type }: Node): boolean {
  return ENDS_WITH_SEMICOLON.test(type);
}

/** @file What a file calls `log` of the SDK, found by its imports alone. */
import type { ImportDeclaration, Node, Program, Statement, VariableDeclaration } from "oxc-parser";
import type { RunMode } from "../../format/index.ts";
import { consoleLogOf, declaresConsole } from "./console-calls.ts";
import { childrenOf } from "./syntax.ts";

/** Local names through which a file reaches the SDK. */
export interface SdkNames {
  /** Hold all of it: `al` of `import * as al from "afterlog"`. */
  readonly wholes: ReadonlySet<string>;
  /** Are its `log`: `import { log as record } from "afterlog"`. */
  readonly logs: ReadonlySet<string>;
  /** How what is printed is logged too; null: it is not. */
  readonly console: RunMode | null;
}

const SDK = "afterlog";
const SELF_MADE: RunMode = { handsFree: false };

export function isSdkImport(node: Statement): node is ImportDeclaration {
  return node.type === "ImportDeclaration" && node.source.value === SDK;
}

/** `const al = require("afterlog")`, and nothing else in the statement. */
export function isSdkRequire(node: Statement): node is VariableDeclaration {
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return false;
  const init = node.declarations[0]?.init;
  if (init?.type !== "CallExpression" || init.callee.type !== "Identifier") return false;
  const [argument] = init.arguments;
  return init.callee.name === "require" && argument?.type === "Literal" && argument.value === SDK;
}

/** `mode`: as the program is understood; absent: it says itself what it logs. */
export function sdkNames(program: Program, mode: RunMode = SELF_MADE): SdkNames {
  const { body } = program;
  const wholes = new Set<string>();
  const logs = new Set<string>();
  for (const statement of body) {
    if (isSdkImport(statement)) {
      for (const specifier of statement.specifiers) {
        if (specifier.type !== "ImportSpecifier") wholes.add(specifier.local.name);
        else if (nameOf(specifier.imported) === "log") logs.add(specifier.local.name);
      }
    } else if (isSdkRequire(statement)) {
      const target = statement.declarations[0]?.id;
      if (target?.type === "Identifier") wholes.add(target.name);
      if (target?.type !== "ObjectPattern") continue;
      for (const property of target.properties) {
        if (property.type !== "Property" || nameOf(property.key) !== "log") continue;
        if (property.value.type === "Identifier") logs.add(property.value.name);
      }
    }
  }
  return { wholes, logs, console: mode.handsFree && !declaresConsole(program) ? mode : null };
}

function nameOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

/** The call, if a statement is nothing but a call that logs, awaited or not. */
export function logCallOf(
  statement: Statement,
  names: SdkNames,
): Extract<Node, { type: "CallExpression" }> | undefined {
  if (statement.type !== "ExpressionStatement") return undefined;
  const { expression } = statement;
  const call = expression.type === "AwaitExpression" ? expression.argument : expression;
  if (call.type !== "CallExpression" || call.optional) return undefined;
  const { callee } = call;
  if (callee.type === "Identifier") return names.logs.has(callee.name) ? call : undefined;
  const isLog =
    callee.type === "MemberExpression" &&
    !callee.computed &&
    callee.object.type === "Identifier" &&
    names.wholes.has(callee.object.name) &&
    callee.property.name === "log";
  const isLogged = isLog || (names.console && consoleLogOf(call, names.console) !== undefined);
  return isLogged ? call : undefined;
}

/** Calls of `log` anywhere in a statement, each a statement of its own. */
export function* logCallsIn(
  node: Node,
  names: SdkNames,
): Generator<Extract<Node, { type: "CallExpression" }>> {
  const call = node.type === "ExpressionStatement" ? logCallOf(node, names) : undefined;
  if (call) yield call;
  for (const child of childrenOf(node)) yield* logCallsIn(child, names);
}

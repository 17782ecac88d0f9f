/** @file What a file of TypeScript logs, and what it calls for that. */
import type { Node, Program, Statement } from "oxc-parser";
import type { RunMode } from "../../../format/index.ts";
import { ANY_NAME } from "../../../format/index.ts";
import type { Expression, LogFacts } from "../../parsed-file.ts";
import { consoleLogOf, recordLogOf } from "../console-calls.ts";
import type { SdkNames } from "../log-calls.ts";
import { logCallOf, logCallsIn, sdkNames } from "../log-calls.ts";
import { childrenOf } from "../syntax.ts";
import { effectOf } from "./statement-effects.ts";
import { neededBy } from "./surroundings.ts";

export function logFacts(program: Program, mode: RunMode): LogFacts {
  const names = sdkNames(program, mode);
  return {
    keyOf: (node) => keyOf(node as Statement, names),
    holdsLog: (node) => !logCallsIn(node as Node, names).next().done,
    calledValues: (node) => calledValues(node as Node, names),
    callsBeside: (node) => {
      const values = calledValues(node as Node, names).map((value) => value.node as Node);
      const logs = new Set<Node>(logCallsIn(node as Node, names));
      return callsBeside(node as Node, logs, new Set(values));
    },
  };
}

function keyOf(node: Statement, names: SdkNames): string | undefined {
  const call = logCallOf(node, names);
  const own = call && names.console ? consoleLogOf(call, names.console) : undefined;
  const printed = own ?? (call && recordLogOf(call));
  // One that shows no name shares none with others.
  if (printed) return printed.patterns.includes(ANY_NAME) ? undefined : JSON.stringify(printed);
  const [first] = call?.arguments ?? [];
  return first?.type === "Literal" && typeof first.value === "string" ? first.value : undefined;
}

function calledValues(node: Node, names: SdkNames): Expression[] {
  return [...logCallsIn(node, names)].flatMap((call) => {
    const value = call.arguments[1] && wrappable(call.arguments[1]);
    return value && isCalling(value.node as Node) ? [value] : [];
  });
}

/** Whether anything is called besides `log` and what the values call. */
function callsBeside(node: Node, logs: ReadonlySet<Node>, values: ReadonlySet<Node>): boolean {
  if (values.has(node)) return false;
  const isCall = /^(?:Call|New|TaggedTemplate)Expression$/.test(node.type) && !logs.has(node);
  if (isCall && isCalling(node)) return true;
  return childrenOf(node).some((child) => callsBeside(child, logs, values));
}

function isCalling(node: Node): boolean {
  return /^(?:calls|changes)$/.test(effectOf(node));
}

/** An expression that can stand in a function of its own. */
export function wrappable(node: Node): Expression | undefined {
  if (node.type === "SpreadElement" || yields(node)) return undefined;
  return {
    node,
    effect: effectOf(node),
    awaits: neededBy(node).awaits,
    // Braces would be a body, and a comma would end the function.
    isBare: !/^(?:Object|Sequence)Expression$/.test(node.type),
  };
}

function yields(node: Node): boolean {
  if (node.type === "YieldExpression") return true;
  return !isFunction(node) && childrenOf(node).some(yields);
}

export function isFunction({ type }: Node): boolean {
  return /^(?:Arrow)?Function/.test(type);
}

const LOGGERS =
  /^(?:console|log|logger|debug|winston|pino|spinner|(?:debug|error|info|trace|warn|warning)Log)$/i;
const LOGGING =
  /^(?:log|warn|warning|error|info|debug|trace|print|verbose|silly|table|dir|notice)$/i;

/** Whether a statement logs, or decides by a condition whether to log, and does nothing else. */
export function isLogOnly(node: Node): boolean {
  switch (node.type) {
    case "ExpressionStatement":
      return isLogCall(node.expression);
    case "BlockStatement":
      return node.body.length > 0 && node.body.every(isLogOnly);
    case "IfStatement":
      return isLogOnly(node.consequent) && (!node.alternate || isLogOnly(node.alternate));
    default:
      return false;
  }
}

function isLogCall(node: Node): boolean {
  if (node.type === "AwaitExpression") return isLogCall(node.argument);
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "Identifier") return LOGGING.test(callee.name) || LOGGERS.test(callee.name);
  if (callee.type !== "MemberExpression" || callee.computed) return false;
  const { object, property } = callee;
  if ("name" in property && LOGGING.test(property.name)) return true;
  return object.type === "Identifier" && LOGGERS.test(object.name);
}

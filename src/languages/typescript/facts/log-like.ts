/** @file Statements that do nothing but log, by whatever logger: by their words. */
import type { Node } from "oxc-parser";

const LOGGERS = /^(?:console|log|logger|debug|winston|pino|spinner)$/i;
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

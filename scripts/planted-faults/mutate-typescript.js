// @ts-check
/** @file Places of a TypeScript source that can be changed a little, by its syntax tree. Pure. */
import { parseSync } from "oxc-parser";

/**
 * @typedef {{ readonly operator: string, readonly start: number, readonly end: number, readonly put: string }} Mutation
 *   What is put in the place of a part of the text.
 */

/** Operators that are easily taken for each other. */
const OTHER_OPERATOR = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["&&", "||"],
  ["||", "&&"],
  ["+", "-"],
  ["-", "+"],
]);

/**
 * @param {string} file
 * @param {string} text
 * @returns {Mutation[]}
 */
export function mutateTypeScript(file, text) {
  const { program } = parseSync(file, text);
  /** @type {Mutation[]} */
  const found = [];
  const visit = (/** @type {any} */ node) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node.type === "string") {
      // Types do not run.
      if (/^TS(?:Type|Interface)/.test(node.type)) return;
      found.push(...mutationsAt(node, text));
    }
    for (const [key, child] of Object.entries(node)) if (key !== "parent") visit(child);
  };
  visit(program);
  return found.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

/**
 * @param {any} node
 * @param {string} text
 * @returns {Mutation[]}
 */
function mutationsAt(node, text) {
  const { start, end } = node;
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression": {
      const { test } = node;
      const put = `!(${text.slice(test.start, test.end)})`;
      return [{ operator: "negate a condition", start: test.start, end: test.end, put }];
    }
    case "BinaryExpression":
    case "LogicalExpression":
      return otherOperator(node, text);
    case "ExpressionStatement":
      return isCall(node.expression)
        ? [{ operator: "drop a call", start, end, put: "/* dropped */;" }]
        : [];
    case "ReturnStatement":
      if (!node.argument) return [];
      return ["undefined", "[]"].map((value) => {
        return { operator: "return nothing", start, end, put: `return ${value};` };
      });
    case "Literal":
      return literal(node);
    default:
      return [];
  }
}

/**
 * @param {any} node
 * @param {string} text
 * @returns {Mutation[]}
 */
function otherOperator({ left, right, operator }, text) {
  const put = OTHER_OPERATOR.get(operator);
  const start = text.indexOf(operator, left.end);
  if (put === undefined || start < 0 || start >= right.start) return [];
  return [{ operator: `${operator} to ${put}`, start, end: start + operator.length, put }];
}

/** @param {any} expression */
function isCall(expression) {
  const inner = expression.type === "AwaitExpression" ? expression.argument : expression;
  return inner.type === "CallExpression" && inner.callee.type !== "Super";
}

/**
 * @param {any} node
 * @returns {Mutation[]}
 */
function literal({ value, start, end }) {
  if (typeof value === "boolean") {
    return [{ operator: "swap true and false", start, end, put: String(!value) }];
  }
  if (!Number.isInteger(value)) return [];
  return [{ operator: "one more", start, end, put: String(value + 1) }];
}

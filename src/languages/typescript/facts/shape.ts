/**
 * @file A syntax tree with everything that the program says, and nothing of how it is laid out: types,
 * which are taken away before it is executed, do not count.
 */
import type { Node } from "oxc-parser";
import type { Shape } from "../../parsed-file.ts";
import { comparedFields, fieldOf, isNode } from "../syntax.ts";

/** Fields that only say of what type something is, or who may use it. */
const OF_TYPES = new Set(
  (
    "typeAnnotation returnType typeParameters typeArguments superTypeArguments implements " +
    "accessibility override definite"
  ).split(" "),
);
/** An expression with a type. */
const TYPED =
  /^TS(?:AsExpression|SatisfiesExpression|NonNullExpression|TypeAssertion|InstantiationExpression)$/;
/** `a?.b` does something; `f(a?: number)` does not. */
const OPTIONAL = /^(?:CallExpression|MemberExpression)$/;

export function shapeOf(node: Node, field: string): Shape {
  const { start, end, type } = node;
  const inner = TYPED.test(type) ? fieldOf(node, "expression") : undefined;
  if (isNode(inner)) return shapeOf(inner, field);
  const parts: Shape[] = [];
  let label = type as string;
  for (const key of comparedFields(node, node)) {
    const value = fieldOf(node, key);
    // What a node does not have, and what it has not got, are the same.
    if (key === "type" || value === null || value === undefined) continue;
    if (OF_TYPES.has(key) || isTypeMark(node, key)) continue;
    label += `\n${key}`;
    if (isNode(value)) parts.push(shapeOf(value, key));
    else if (!Array.isArray(value)) label += `=${plainText(value)}`;
    else parts.push(...inOrder((value as unknown[]).map((item) => partOf(item, key, node))));
  }
  const kind = kindOf(node);
  return { start, end, field, label, parts, ...(kind ? { kind } : {}) };
}

/** `a?: number`, `readonly a`: a part of a type that is a word. */
function isTypeMark({ type }: Node, key: string): boolean {
  return (key === "optional" && !OPTIONAL.test(type)) || key === "readonly";
}

/** `import { b, a }` says what `import { a, b }` says. */
function inOrder(parts: readonly Shape[]): readonly Shape[] {
  if (!parts.every(({ label }) => label.startsWith("ImportSpecifier\n"))) return parts;
  const words = new Map(parts.map((part) => [part, JSON.stringify(part, ["label", "parts"])]));
  const wordsOf = (part: Shape): string => words.get(part) ?? "";
  return parts.toSorted((one, other) => (wordsOf(one) < wordsOf(other) ? -1 : 1));
}

/** An item of a list; one may be left out (`[, a]`), or be no node. */
function partOf(item: unknown, field: string, { start, end }: Node): Shape {
  if (isNode(item)) return shapeOf(item, field);
  return { start, end, field, label: plainText(item), parts: [] };
}

function kindOf({ type }: Node): Shape["kind"] {
  if (type === "BlockStatement") return "block";
  if (type === "ReturnStatement") return "return";
  return /(?:Statement|Declaration)$/.test(type) ? "statement" : undefined;
}

/** Values of literals: NaN never occurs, and `-0` is an expression. */
function plainText(value: unknown): string {
  if (value instanceof RegExp) return String(value);
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
}

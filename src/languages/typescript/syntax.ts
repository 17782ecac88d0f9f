/** @file Syntax trees, walked and compared whatever kinds of nodes they are made of. */
import type { Node, Statement } from "oxc-parser";

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

export function fieldOf(node: Node, key: string): unknown {
  return (node as unknown as { readonly [key: string]: unknown })[key];
}

/** The nodes directly inside a node, in the order of its fields. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  // Every node of every version comes here: no intermediate lists.
  for (const key in node) {
    const value: unknown = node[key as keyof Node];
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) children.push(value);
      continue;
    }
    for (const item of value) if (isNode(item)) children.push(item);
  }
  return children;
}

/** Fields that say where a node stands, or how it was written. */
const NOT_COMPARED = new Set("start end range loc parent raw comments sourceType".split(" "));

/** The fields in which two nodes may differ in what they mean. */
export function comparedFields(old: Node, now: Node): string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => {
    // Whether an arrow function has a body in braces shows in the body.
    const isShape = key === "expression" && now.type === "ArrowFunctionExpression";
    return !NOT_COMPARED.has(key) && !isShape;
  });
}

/** Values of literals: NaN never occurs, and `-0` is an expression. */
export function isSamePlain(old: unknown, now: unknown): boolean {
  if (old instanceof RegExp && now instanceof RegExp) return String(old) === String(now);
  if (typeof old === "object" && old !== null && typeof now === "object" && now !== null) {
    return JSON.stringify(old) === JSON.stringify(now);
  }
  return old === now || (old ?? null) === (now ?? null);
}

/** Whether two nodes mean the same in every part. */
export function isEqual(old: unknown, now: unknown): boolean {
  if (Array.isArray(old) && Array.isArray(now)) {
    return old.length === now.length && old.every((item, at) => isEqual(item, now[at]));
  }
  if (!isNode(old) || !isNode(now)) return isSamePlain(old, now);
  return comparedFields(old, now).every((key) => isEqual(fieldOf(old, key), fieldOf(now, key)));
}

/** Of TypeScript alone, and nothing that is executed as a statement: a type, or an expression with one. */
export function isOnlyType({ type }: Node): boolean {
  return (
    type.startsWith("TS") && !/^TS(?:EnumDeclaration|ModuleDeclaration|ModuleBlock)$/.test(type)
  );
}

/** The statements of a node that holds a list of them; undefined for any other. */
export function statementsOf(node: Node): readonly Statement[] | undefined {
  switch (node.type) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
    case "TSModuleBlock":
      return node.body;
    case "SwitchCase":
      return node.consequent;
    default:
      return undefined;
  }
}

/**
 * @file Whether a value is more than its definition: a list that other statements push to, a table
 * whose entries they set. Brought along alone, it would be empty, and what is logged of it wrong.
 */
import type { Node } from "oxc-parser";
import type { TreeNode } from "../../../tree/index.ts";
import { effectOf } from "./effects.ts";
import type { Side } from "./pair.ts";
import type { Binding } from "./scope.ts";

/** Whether statements other than its definition, and the one that needs it, change what a name holds. */
export function isFilledElsewhere(
  { tree, scopes }: Side,
  binding: Binding,
  definition: Node,
  user: Node,
): boolean {
  const isFresh = isEmptyValue(definition);
  return scopes.references.some(({ node, binding: own }) => {
    if (own !== binding || isInside(node, definition) || isInside(node, user)) return false;
    const use = tree.nodeOf.get(node);
    return use !== undefined && (isChanged(use, tree.syntaxOf) || (isFresh && isPassed(use)));
  });
}

function isInside({ start, end }: Node, outer: Node): boolean {
  return outer.start <= start && end <= outer.end;
}

/** Whether the use is the root of what is assigned, counted up, deleted, or changed by a method. */
function isChanged(use: TreeNode, syntaxOf: ReadonlyMap<TreeNode, Node>): boolean {
  let at = use;
  while (at.parent?.type === "MemberExpression" && at.index === 0) at = at.parent;
  if (at === use || !at.parent) return false;
  const syntax = syntaxOf.get(at.parent);
  switch (syntax?.type) {
    case "AssignmentExpression":
      return at.index === 0;
    case "UpdateExpression":
      return true;
    case "UnaryExpression":
      return syntax.operator === "delete";
    case "CallExpression":
      return at.index === 0 && effectOf(syntax) === "changes";
    default:
      return false;
  }
}

/** Whether the use is an argument: who gets it may fill it. */
function isPassed({ parent, index }: TreeNode): boolean {
  return /^(?:Call|New)Expression$/.test(parent?.type ?? "") && index > 0;
}

/** Whether a declaration gives an empty list or object, or a new one of a class. */
function isEmptyValue(definition: Node): boolean {
  const value =
    definition.type === "VariableDeclaration" ? definition.declarations[0]?.init : undefined;
  switch (value?.type) {
    case "ArrayExpression":
      return value.elements.length === 0;
    case "ObjectExpression":
      return value.properties.length === 0;
    case "NewExpression":
      return true;
    default:
      return false;
  }
}

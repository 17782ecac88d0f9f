/** @file The shape of a statement, of all that a file is. */
import { isInside } from "../../tree/index.ts";
import type { Span, TreeNode } from "../../tree/index.ts";
import type { ParsedFile, Shape } from "../../languages/index.ts";

export function shapeOf({ shape }: Pick<ParsedFile, "shape">, node: Span): Shape | undefined {
  const find = (one: Shape): Shape | undefined => {
    const isHere = one.start === node.start && one.end === node.end && one.parts.length > 0;
    // A block with one statement begins and ends where that does.
    if (isHere && !/^block\b/.test(one.label)) return one;
    for (const part of one.parts) {
      const found = isInside(node, part) ? find(part) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  return find(shape);
}

/** A call is no partner of an assignment, though both may hold the same call. */
export function isSameKind(one: TreeNode, other: TreeNode): boolean {
  const [own] = one.children;
  const [its] = other.children;
  return one.type === other.type && own?.type === its?.type;
}

/** @file The condition, or whatever else stands in the head of the statement that a block belongs to. */
import type { TreeNode } from "../../tree/index.ts";

/** Whether two blocks stand under the same condition; heads of loops and functions are no conditions. */
export function isUnderSameCondition(block: TreeNode, old: TreeNode): boolean {
  if (block.parent?.role !== null || old.parent?.role !== null) return true;
  return conditionOf(block) === conditionOf(old);
}

function conditionOf({ parent }: TreeNode): string {
  const parts = parent?.children.filter(({ role }) => role !== "block") ?? [];
  return parts.map(({ hash }) => hash).join();
}

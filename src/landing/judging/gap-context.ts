/**
 * @file What stands on both sides of a landing, and above it. Log statements that the old version does not have are
 * looked past: whoever adds one often adds several, and they say nothing about the others. Any
 * statement that it does not have is looked past if that leads to the gap from both sides.
 */
import type { Neighbour, TreeNode } from "../../tree/index.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";

export interface GapNeighbours {
  readonly before: Neighbour;
  readonly after: Neighbour;
}

export function gapNeighbours(
  pair: VersionPair,
  { statement, target, question }: AdaptedStatement,
): GapNeighbours {
  const { block, index, before, after, equal } = target.place;
  // Behind the last write of what a part reads: what only the older version has before it is looked past.
  const passed = block.children.slice(equal.first, index);
  const isLast = question && passed.every((node) => !pair.mapping.sourceOf(node));
  const nearest = block.children[(isLast ? Math.min(equal.first, index) : index) - 1];
  const siblings = pair.blockOf(statement)?.children ?? [];
  const above = siblings.filter(({ end }) => end <= statement.node.start).toReversed();
  const below = siblings.filter(({ start }) => start >= statement.node.end);
  const seenPast = (isPassed: (node: TreeNode) => boolean): GapNeighbours => ({
    before: before === "other" ? neighbourAt(pair, above, nearest, isPassed) : before,
    after: after === "other" ? neighbourAt(pair, below, block.children[index], isPassed) : after,
  });
  const bracketed = seenPast((node) => !pair.mapping.partnerOf(node));
  const isBracketed = bracketed.before !== "other" && bracketed.after !== "other";
  return isBracketed ? bracketed : seenPast((node) => isAddedLog(pair, node));
}

/** What the nearest sibling that the old version has is to the statement at the gap. */
function neighbourAt(
  pair: VersionPair,
  siblings: readonly TreeNode[],
  theirs: TreeNode | undefined,
  isPassed: (node: TreeNode) => boolean,
): Neighbour {
  const ours = siblings.find((sibling) => !isPassed(sibling));
  if (!ours && !theirs) return "edge";
  if (!ours || !theirs || pair.mapping.partnerOf(ours) !== theirs) return "other";
  return ours.hash === theirs.hash ? "same" : "edited";
}

function isAddedLog(pair: VersionPair, node: TreeNode): boolean {
  return !pair.mapping.partnerOf(node) && (pair.statementOf(node)?.isLogOnly ?? false);
}

/** Whether two blocks stand under the same condition; heads of loops and functions are no conditions. */
export function isUnderSameCondition(block: TreeNode, old: TreeNode): boolean {
  if (block.parent?.role !== null || old.parent?.role !== null) return true;
  return conditionOf(block) === conditionOf(old);
}

function conditionOf({ parent }: TreeNode): string {
  const parts = parent?.children.filter(({ role }) => role !== "block") ?? [];
  return parts.map(({ hash }) => hash).join();
}

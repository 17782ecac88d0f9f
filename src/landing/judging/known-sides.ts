/**
 * @file Which sides of a gap are known: on them stands what stands there in the newer version too. A side that is
 * not known does no harm if what the newer version has there was written anew, and lies on that side alone: then
 * what the older version has there is what it replaced.
 */
import type { Neighbour, TreeNode } from "../../tree/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { GapNeighbours } from "./gap-context.ts";
import { gapNeighbours, isUnderSameCondition } from "./gap-context.ts";

export interface KnownSides {
  /** How many of the two. */
  readonly count: number;
  /** One is known, and what is beyond the other was rewritten. */
  readonly isBesideRewritten: boolean;
  /** By a statement that each version has once, word for word: it tells the gap wherever the lines say it is. */
  readonly isPinned: boolean;
}

export function knownSides(pair: VersionPair, adapted: AdaptedStatement): KnownSides {
  const sides = gapNeighbours(pair, adapted);
  const isNewBeyond = isRewrittenBeyond(pair, adapted);
  const isRewritten = isNewBeyond && isUnderSameOwner(pair, adapted);
  const isElsewhere = isInOtherBlock(pair, adapted);
  const isKnown = (side: Neighbour): boolean => {
    if (side === "edge") return isEdgeKnown(pair, adapted, sides, isRewritten);
    return side === "same" || (side === "edited" && !isElsewhere);
  };
  const known = [sides.before, sides.after].filter(isKnown).length;
  const count = Math.min(2, known + commentsAtGap(pair, adapted, sides));
  const { first, last } = adapted.target.place.equal;
  const isPinned = (first === last || isNewBeyond) && isBesideOnly(pair, adapted);
  return { count, isBesideRewritten: count > 0 && isRewritten, isPinned };
}

/**
 * Whether the edge of the block is that of the statement's: it is the same block, and under the same condition, or
 * holds the same statement beside the gap, or was rewritten from the statement on. In another block it is if it
 * is the edge beside a statement that both versions have once.
 */
function isEdgeKnown(
  pair: VersionPair,
  adapted: AdaptedStatement,
  { before, after }: GapNeighbours,
  isRewritten: boolean,
): boolean {
  const { place } = adapted.target;
  const block = pair.blockOf(adapted.statement);
  if (!block) return false;
  if (pair.mapping.partnerOf(block) !== place.block) return isBesideOnly(pair, adapted);
  if (before === "same" || after === "same") return true;
  return isRewritten || isUnderSameCondition(block, place.block);
}

/** Whether its own block is there, and it goes to another: there only what is the same shows where it belongs. */
function isInOtherBlock(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const block = pair.blockOf(statement);
  const partner = block && pair.mapping.partnerOf(block);
  return partner !== undefined && partner !== target.place.block;
}

/** Whether it is its own block, of the same function, loop or branch. */
function isUnderSameOwner(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const block = pair.blockOf(statement);
  if (!block?.parent || pair.mapping.partnerOf(block) !== target.place.block) return false;
  return pair.mapping.partnerOf(block.parent) === target.place.block.parent;
}

/**
 * Whether the newer version has statements that the older lacks on one side of the statement only, the side that is
 * not known.
 */
function isRewrittenBeyond(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const { block, before, after } = target.place;
  const siblings = pair.blockOf(statement)?.children ?? [];
  const index = siblings.filter(({ start }) => start < statement.node.start).length;
  const isNew = (node: TreeNode | undefined): boolean => {
    return node !== undefined && pair.mapping.partnerOf(node)?.parent !== block;
  };
  return (
    (before !== "other" && after === "other" && isNew(siblings[index])) ||
    (after !== "other" && before === "other" && isNew(siblings[index - 1]))
  );
}

/** Whether the same statement stands beside both places, and nowhere else in either version. */
function isBesideOnly(pair: VersionPair, { target }: AdaptedStatement): boolean {
  const { block, index, before, after } = target.place;
  const beside = [
    ...(before === "same" ? [block.children[index - 1]] : []),
    ...(after === "same" ? [block.children[index]] : []),
  ];
  return beside.some((node) => {
    return node !== undefined && isOnly(pair.then, node) && isOnly(pair.now, node);
  });
}

function isOnly({ tree }: Side, { hash }: TreeNode): boolean {
  return tree.nodes.filter((node) => node.hash === hash).length === 1;
}

/** Sides on which the statement follows, or precedes, a comment that stands at the gap, and which both have once. */
function commentsAtGap(
  pair: VersionPair,
  { statement, target }: AdaptedStatement,
  { before, after }: GapNeighbours,
): number {
  const { place, lines } = target;
  const own = pair.blockOf(statement);
  const index = own?.children.filter(({ start }) => start < statement.node.start).length;
  const sides = [
    ...(before === "other" ? [lines.above[0]] : []),
    ...(after === "other" ? [lines.below[0]] : []),
  ];
  return sides.filter((line) => {
    const { ours, theirs, isOnly: isOne } = line?.comment ?? {};
    if (!isOne || ours?.block !== own || ours?.index !== index) return false;
    return theirs?.block === place.block && theirs.index === place.index;
  }).length;
}

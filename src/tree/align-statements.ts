/**
 * @file What GumTree leaves unpaired and a person would not: statements that were edited. In each
 * pair of blocks, those that share most of their words are aligned in order, or those that begin
 * alike (`if (error)`), whatever stands in their blocks.
 */
import { haveSameUse } from "./bottom-up.ts";
import { align } from "./lcs.ts";
import type { Mapping } from "./mapping.ts";
import { HEADER, OTHER_KIND, STATEMENT_LIKENESS_MIN } from "./parameters.ts";
import { recover } from "./recovery.ts";
import type { TreeNode } from "./tree.ts";
import type { Words } from "./words.ts";

export type BlockPair = readonly [TreeNode, TreeNode];

/** Pairs the blocks of all paired statements, then the statements of all paired blocks. */
export function alignStatements(mapping: Mapping, words: Words): void {
  const pairs = [...mapping.pairs()];
  for (const [a, b] of pairs) if (a.parent?.role === "block") pairBlocks(mapping, words, a, b);
  alignBlocks(
    mapping,
    words,
    [...mapping.pairs()].filter(([{ role }]) => role === "block"),
  );
}

/** Pairs statements in pairs of blocks, and in the blocks that come of it. */
export function alignBlocks(mapping: Mapping, words: Words, pairs: readonly BlockPair[]): void {
  const blocks = [...pairs];
  for (let pair = blocks.shift(); pair; pair = blocks.shift()) {
    const [a, b] = pair;
    if (a.children.every((child) => mapping.partnerOf(child))) continue;
    const aligned = align(a.children, b.children, (one, other) => {
      return weightOf(mapping, words, one, other);
    });
    for (const [one, other] of aligned) {
      if (!mapping.isFree(one, other)) continue;
      mapping.add(one, other);
      blocks.push(...pairBlocks(mapping, words, one, other));
      recover(mapping, one, other);
    }
  }
}

/** Statements that are paired already hold the others in their places. */
function weightOf(mapping: Mapping, words: Words, a: TreeNode, b: TreeNode): number {
  if (mapping.partnerOf(a) === b) return 1;
  if (!mapping.isFree(a, b)) return 0;
  const whole = words.likeness(a, b);
  const likeness = a.type === b.type ? Math.max(whole, HEADER * words.headerLikeness(a, b)) : whole;
  const weight = likeness * (a.type === b.type ? 1 : OTHER_KIND);
  return weight >= STATEMENT_LIKENESS_MIN ? weight : 0;
}

/** Pairs the blocks of two statements in order, by their use and what is in them. */
function pairBlocks(mapping: Mapping, words: Words, a: TreeNode, b: TreeNode): BlockPair[] {
  const pairs = align(nearestBlocks(a), nearestBlocks(b), (one, other) => {
    if (mapping.partnerOf(one) === other) return 2;
    if (!mapping.isFree(one, other) || !haveSameUse(one, other)) return 0;
    return 1 + words.likeness(one, other);
  });
  const added = pairs.filter(([one, other]) => mapping.isFree(one, other));
  for (const [one, other] of added) mapping.add(one, other);
  return added;
}

/** Blocks in a node that are in no other block of it. */
function nearestBlocks(node: TreeNode): TreeNode[] {
  return node.children.flatMap((child) => {
    return child.role === "block" ? [child] : nearestBlocks(child);
  });
}

/** @file All phases of the pairing of two trees, in order. */
import { alignStatements } from "./align-statements.ts";
import { matchBottomUp } from "./bottom-up.ts";
import { correctNesting } from "./correct-nesting.ts";
import { Mapping } from "./mapping.ts";
import { pairLeftovers } from "./pair-leftovers.ts";
import { matchTopDown } from "./top-down.ts";
import type { Tree, TreeNode } from "./tree.ts";
import { Words } from "./words.ts";

/**
 * Pairs the nodes of two trees made with the same interner. Anchors are pairs that the language is
 * sure of by their names; they are taken first and hold the rest in place.
 */
export function matchTrees(
  from: Tree,
  to: Tree,
  anchors: Iterable<readonly [TreeNode, TreeNode]> = [],
): Mapping {
  const mapping = new Mapping(from, to);
  mapping.add(from.root, to.root);
  for (const [a, b] of anchors) mapping.add(a, b);
  matchTopDown(mapping);
  matchBottomUp(mapping);
  const words = new Words(mapping);
  correctNesting(mapping, words);
  alignStatements(mapping, words);
  pairLeftovers(mapping, words);
  return mapping;
}

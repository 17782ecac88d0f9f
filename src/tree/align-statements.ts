/**
 * @file What GumTree leaves unpaired and a person would not: statements that were edited. In each
 * pair of blocks, those that share most of their words are aligned in order.
 */
import { haveSameUse } from "./bottom-up.ts";
import { align } from "./lcs.ts";
import type { Mapping } from "./mapping.ts";
import { OTHER_KIND, STATEMENT_LIKENESS_MIN } from "./parameters.ts";
import { recover } from "./recovery.ts";
import type { Tree, TreeNode } from "./tree.ts";
import { subtree } from "./tree.ts";

export function alignStatements(mapping: Mapping): void {
  const words = new Words();
  const blocks = [...mapping.pairs()].filter(([node]) => node.role === "block");
  for (let pair = blocks.shift(); pair; pair = blocks.shift()) {
    const [a, b] = pair;
    if (a.children.every((child) => mapping.partnerOf(child))) continue;
    const pairs = align(a.children, b.children, (one, other) => {
      return weightOf(mapping, words, one, other);
    });
    for (const [one, other] of pairs) {
      if (!mapping.isFree(one, other)) continue;
      blocks.push(...pairStatements(mapping, one, other));
    }
  }
}

/** Statements that are paired already hold the others in their places. */
function weightOf(mapping: Mapping, words: Words, a: TreeNode, b: TreeNode): number {
  if (mapping.partnerOf(a) === b) return 1;
  if (!mapping.isFree(a, b)) return 0;
  const likeness = words.likeness(mapping, a, b) * (a.type === b.type ? 1 : OTHER_KIND);
  return likeness >= STATEMENT_LIKENESS_MIN ? likeness : 0;
}

/** Pairs two statements and their blocks; answers the pairs of blocks. */
function pairStatements(mapping: Mapping, a: TreeNode, b: TreeNode): [TreeNode, TreeNode][] {
  mapping.add(a, b);
  const ours = nearestBlocks(a);
  const theirs = nearestBlocks(b);
  const pairs: [TreeNode, TreeNode][] = [];
  for (const [at, one] of ours.entries()) {
    const other = theirs[at];
    if (!other || !haveSameUse(one, other) || !mapping.isFree(one, other)) continue;
    mapping.add(one, other);
    pairs.push([one, other]);
  }
  recover(mapping, a, b);
  return pairs;
}

/** Blocks in a node that are in no other block of it. */
function nearestBlocks(node: TreeNode): TreeNode[] {
  return node.children.flatMap((child) => {
    return child.role === "block" ? [child] : nearestBlocks(child);
  });
}

/** The words of subtrees, counted once. */
class Words {
  readonly #bags = new Map<TreeNode, ReadonlyMap<string, number>>();

  /** Share of words that two subtrees have in common (Dice over bags). */
  likeness(mapping: Mapping, a: TreeNode, b: TreeNode): number {
    const ours = this.#bag(mapping.from, a);
    const theirs = this.#bag(mapping.to, b);
    let common = 0;
    for (const [word, count] of ours) common += Math.min(count, theirs.get(word) ?? 0);
    const total = countOf(ours) + countOf(theirs);
    return total === 0 ? 0 : (2 * common) / total;
  }

  #bag(tree: Tree, node: TreeNode): ReadonlyMap<string, number> {
    let bag = this.#bags.get(node);
    if (!bag) this.#bags.set(node, (bag = bagOf(subtree(tree, node))));
    return bag;
  }
}

function bagOf(nodes: readonly TreeNode[]): ReadonlyMap<string, number> {
  const bag = new Map<string, number>();
  for (const { label } of nodes) if (label !== "") bag.set(label, (bag.get(label) ?? 0) + 1);
  return bag;
}

function countOf(bag: ReadonlyMap<string, number>): number {
  return [...bag.values()].reduce((sum, count) => sum + count, 0);
}

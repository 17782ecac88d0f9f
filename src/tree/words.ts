/** @file How alike two subtrees are by their words, in whatever order. */
import type { Mapping } from "./mapping.ts";
import type { Tree, TreeNode } from "./tree.ts";

interface Bag {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** The words of subtrees of two trees, counted once. */
export class Words {
  readonly #mapping: Mapping;
  readonly #whole = new Map<TreeNode, Bag>();
  readonly #headers = new Map<TreeNode, Bag>();

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  /** Share of words that a subtree of the first tree has in common with one of the second. */
  likeness(a: TreeNode, b: TreeNode): number {
    return dice(
      remember(this.#whole, a, () => wordsOf(this.#mapping.from, a, false)),
      remember(this.#whole, b, () => wordsOf(this.#mapping.to, b, false)),
    );
  }

  /** The same for what stands outside their blocks; 0 if one has no block. */
  headerLikeness(a: TreeNode, b: TreeNode): number {
    return dice(
      remember(this.#headers, a, () => wordsOf(this.#mapping.from, a, true)),
      remember(this.#headers, b, () => wordsOf(this.#mapping.to, b, true)),
    );
  }
}

function remember(bags: Map<TreeNode, Bag>, node: TreeNode, make: () => Bag): Bag {
  let bag = bags.get(node);
  if (!bag) bags.set(node, (bag = make()));
  return bag;
}

function wordsOf({ nodes }: Tree, { id, size }: TreeNode, isHeader: boolean): Bag {
  const counts = new Map<string, number>();
  let total = 0;
  let hasBlock = false;
  for (let at = id; at < id + size;) {
    const node = nodes[at];
    if (!node) break;
    if (node.role === "block" && at !== id) {
      hasBlock = true;
      if (isHeader) {
        at += node.size;
        continue;
      }
    }
    at += 1;
    if (node.label === "") continue;
    counts.set(node.label, (counts.get(node.label) ?? 0) + 1);
    total += 1;
  }
  return isHeader && !hasBlock ? NOTHING : { counts, total };
}

const NOTHING: Bag = { counts: new Map(), total: 0 };

/** Dice over bags. */
function dice(a: Bag, b: Bag): number {
  let common = 0;
  for (const [word, count] of a.counts) common += Math.min(count, b.counts.get(word) ?? 0);
  return a.total + b.total === 0 ? 0 : (2 * common) / (a.total + b.total);
}

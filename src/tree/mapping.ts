/** @file Which node of one tree is which of another: one to one. */
import type { Tree, TreeNode } from "./tree.ts";

export class Mapping {
  readonly from: Tree;
  readonly to: Tree;
  readonly #partners: Int32Array;
  readonly #sources: Int32Array;

  constructor(from: Tree, to: Tree) {
    this.from = from;
    this.to = to;
    this.#partners = new Int32Array(from.nodes.length).fill(-1);
    this.#sources = new Int32Array(to.nodes.length).fill(-1);
  }

  /** The partner of a node of the first tree. */
  partnerOf({ id }: TreeNode): TreeNode | undefined {
    return this.to.nodes[this.#partners[id] ?? -1];
  }

  /** The partner of a node of the second tree. */
  sourceOf({ id }: TreeNode): TreeNode | undefined {
    return this.from.nodes[this.#sources[id] ?? -1];
  }

  isFree(a: TreeNode, b: TreeNode): boolean {
    return this.#partners[a.id] === -1 && this.#sources[b.id] === -1;
  }

  /** Pairs two nodes; nothing if one of them has a partner. */
  add(a: TreeNode, b: TreeNode): void {
    if (!this.isFree(a, b)) return;
    this.#partners[a.id] = b.id;
    this.#sources[b.id] = a.id;
  }

  /** Takes a node of the first tree from its partner. */
  remove({ id }: TreeNode): void {
    const partner = this.#partners[id] ?? -1;
    if (partner !== -1) this.#sources[partner] = -1;
    this.#partners[id] = -1;
  }

  /** Pairs two subtrees of the same shape, node by node. */
  addSubtrees(a: TreeNode, b: TreeNode): void {
    for (let at = 0; at < a.size; at += 1) {
      const one = this.from.nodes[a.id + at];
      const other = this.to.nodes[b.id + at];
      if (one && other) this.add(one, other);
    }
  }

  /** Whether no node of either subtree has a partner. */
  areFree(a: TreeNode, b: TreeNode): boolean {
    return isEmpty(this.#partners, a) && isEmpty(this.#sources, b);
  }

  /** Whether both have descendants without a partner. */
  hasUnmapped(a: TreeNode, b: TreeNode): boolean {
    return hasGap(this.#partners, a) && hasGap(this.#sources, b);
  }

  /** Descendants of `a` whose partners are descendants of `b`. */
  common(a: TreeNode, b: TreeNode): number {
    let count = 0;
    for (let id = a.id + 1; id < a.id + a.size; id += 1) {
      const partner = this.#partners[id] ?? -1;
      if (partner > b.id && partner < b.id + b.size) count += 1;
    }
    return count;
  }

  *pairs(): Generator<readonly [TreeNode, TreeNode]> {
    for (const node of this.from.nodes) {
      const partner = this.partnerOf(node);
      if (partner) yield [node, partner];
    }
  }
}

function isEmpty(partners: Int32Array, { id, size }: TreeNode): boolean {
  for (let at = id; at < id + size; at += 1) if (partners[at] !== -1) return false;
  return true;
}

function hasGap(partners: Int32Array, { id, size }: TreeNode): boolean {
  for (let at = id + 1; at < id + size; at += 1) if (partners[at] === -1) return true;
  return false;
}

/** Share of the descendants of two nodes that are paired with each other (Dice). */
export function dice(mapping: Mapping, a: TreeNode, b: TreeNode): number {
  const total = a.size + b.size - 2;
  return total === 0 ? 0 : (2 * mapping.common(a, b)) / total;
}

/**
 * @file A mistake that pairing from the inside out makes: where a construct was put around a
 * statement (`if (error) cb(error)` became `if (error) { if (cb) cb(error) }`), the inner one is
 * paired with the old one, because it holds the same. What stands before the blocks tells which of
 * the two the old one is.
 */
import type { Mapping } from "./mapping.ts";
import { NESTING_LEAD_MIN, NESTING_LIKENESS_MIN } from "./parameters.ts";
import { recover } from "./recovery.ts";
import type { TreeNode } from "./tree.ts";
import { subtree } from "./tree.ts";
import type { Words } from "./words.ts";

export function correctNesting(mapping: Mapping, words: Words): void {
  for (const node of mapping.from.nodes) {
    if (!isStatement(node) || mapping.partnerOf(node)) continue;
    const inner = wronglyPaired(mapping, words, node);
    const partner = inner && mapping.partnerOf(inner);
    if (!inner || !partner) continue;
    release(mapping, inner, partner);
    mapping.add(node, partner);
    recover(mapping, node, partner);
  }
}

function isStatement({ parent }: TreeNode): boolean {
  return parent?.role === "block";
}

/** A statement in a node whose partner begins like the node, and not like the statement. */
function wronglyPaired(mapping: Mapping, words: Words, node: TreeNode): TreeNode | undefined {
  return subtree(mapping.from, node).find((inner) => {
    if (inner === node || inner.type !== node.type || !isStatement(inner)) return false;
    const partner = mapping.partnerOf(inner);
    if (!partner) return false;
    const likeness = words.headerLikeness(node, partner);
    const lead = likeness - words.headerLikeness(inner, partner);
    return likeness >= NESTING_LIKENESS_MIN && lead >= NESTING_LEAD_MIN;
  });
}

/** Takes two nodes apart, with what stands before their blocks and the blocks, not what is in them. */
function release(mapping: Mapping, a: TreeNode, b: TreeNode): void {
  mapping.remove(a);
  const visit = (node: TreeNode): void => {
    for (const child of node.children) {
      const partner = mapping.partnerOf(child);
      if (partner && partner.id > b.id && partner.id < b.id + b.size) mapping.remove(child);
      if (child.role !== "block") visit(child);
    }
  };
  visit(a);
}

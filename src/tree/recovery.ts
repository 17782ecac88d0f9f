/**
 * @file GumTree's last chance for what lies in two paired nodes and has no partner yet: equal
 * children in order, then children of the same shape (so a renamed variable is found), then the only
 * two of a kind.
 */
import { align } from "./lcs.ts";
import type { Mapping } from "./mapping.ts";
import { ONLY_OF_KIND_LIKENESS_MIN } from "./parameters.ts";
import type { TreeNode } from "./tree.ts";
import { Words } from "./words.ts";

export function recover(mapping: Mapping, a: TreeNode, b: TreeNode): void {
  pairInOrder(mapping, a, b, (one, other) => one.hash === other.hash);
  pairInOrder(mapping, a, b, (one, other) => one.structure === other.structure);
  const ours = onlyOfKind(unmapped(a, (node) => mapping.partnerOf(node)));
  const theirs = onlyOfKind(unmapped(b, (node) => mapping.sourceOf(node)));
  for (const [type, one] of ours) {
    const other = theirs.get(type);
    if (!one || !other || !mapping.isFree(one, other) || !isPlausible(mapping, one, other))
      continue;
    mapping.add(one, other);
    recover(mapping, one, other);
  }
}

/** Two statements need more in common than their kind: an `if` is not another `if`. */
function isPlausible(mapping: Mapping, a: TreeNode, b: TreeNode): boolean {
  if (a.parent?.role !== "block" || mapping.common(a, b) > 0) return true;
  return new Words(mapping).likeness(a, b) >= ONLY_OF_KIND_LIKENESS_MIN;
}

function unmapped(
  { children }: TreeNode,
  partner: (node: TreeNode) => TreeNode | undefined,
): TreeNode[] {
  return children.filter((child) => !partner(child));
}

function pairInOrder(
  mapping: Mapping,
  a: TreeNode,
  b: TreeNode,
  isSame: (one: TreeNode, other: TreeNode) => boolean,
): void {
  const ours = unmapped(a, (node) => mapping.partnerOf(node));
  const theirs = unmapped(b, (node) => mapping.sourceOf(node));
  if (ours.length === 0 || theirs.length === 0) return;
  const pairs = align(ours, theirs, (one, other) => (isSame(one, other) ? 1 : 0));
  for (const [one, other] of pairs) {
    if (mapping.areFree(one, other)) mapping.addSubtrees(one, other);
  }
}

/** Nodes by type; undefined where there are several of it. */
function onlyOfKind(nodes: readonly TreeNode[]): ReadonlyMap<string, TreeNode | undefined> {
  const found = new Map<string, TreeNode | undefined>();
  for (const node of nodes) found.set(node.type, found.has(node.type) ? undefined : node);
  return found;
}

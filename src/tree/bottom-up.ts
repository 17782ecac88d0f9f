/**
 * @file GumTree's second phase, in its simple form: nodes whose descendants are paired are paired
 * themselves, innermost first, and what is left inside gets its last chance.
 */
import type { Mapping } from "./mapping.ts";
import { containerLikenessMin } from "./parameters.ts";
import { recover } from "./recovery.ts";
import type { TreeNode } from "./tree.ts";

export function matchBottomUp(mapping: Mapping): void {
  const { root } = mapping.from;
  for (const node of postOrder(root)) {
    const partner = mapping.partnerOf(node);
    if (partner) {
      if (mapping.hasUnmapped(node, partner)) recover(mapping, node, partner);
    } else if (node === root) {
      mapping.add(root, mapping.to.root);
      recover(mapping, root, mapping.to.root);
    } else if (node.children.length > 0) {
      const best = bestContainer(mapping, node);
      if (!best) continue;
      mapping.add(node, best);
      recover(mapping, node, best);
    }
  }
}

function* postOrder(node: TreeNode): Generator<TreeNode> {
  for (const child of node.children) yield* postOrder(child);
  yield node;
}

/** The node without a partner, of the same type, that holds most of the partners of the descendants. */
function bestContainer(mapping: Mapping, node: TreeNode): TreeNode | undefined {
  const counts = new Map<TreeNode, number>();
  const { nodes } = mapping.from;
  for (let id = node.id + 1; id < node.id + node.size; id += 1) {
    const partner = mapping.partnerOf(nodes[id] as TreeNode);
    for (let outer = partner?.parent; outer; outer = outer.parent) {
      if (outer.type === node.type) counts.set(outer, (counts.get(outer) ?? 0) + 1);
    }
  }
  let best: { readonly node: TreeNode; readonly likeness: number } | undefined;
  for (const [candidate, common] of counts) {
    if (!isCandidate(mapping, node, candidate)) continue;
    const likeness = common / Math.max(node.size - 1, candidate.size - 1);
    if (likeness < containerLikenessMin(node.size + candidate.size - 2)) continue;
    if (!best || likeness > best.likeness) best = { node: candidate, likeness };
  }
  return best?.node;
}

function isCandidate(mapping: Mapping, node: TreeNode, candidate: TreeNode): boolean {
  return (
    candidate.parent !== null &&
    mapping.isFree(node, candidate) &&
    haveSameUse(node, candidate) &&
    !hasTakenArguments(mapping, node, candidate)
  );
}

/**
 * Whether a call of another thing holds the arguments, and the same thing is called beside it: there the call is
 * the same, and has got other arguments.
 */
function hasTakenArguments(mapping: Mapping, node: TreeNode, candidate: TreeNode): boolean {
  const callee = calleeOf(node);
  if (callee === undefined || calleeOf(candidate) === callee) return false;
  const statement = candidate.parent?.role === "block" ? candidate : candidate.parent;
  if (statement?.parent?.role !== "block") return false;
  return statement.parent.children.some((other) => {
    return calleeOf(other) === callee && !mapping.sourceOf(other);
  });
}

/** What a call calls, or a statement that is nothing but a call. */
function calleeOf({ type, children }: TreeNode): number | undefined {
  const [first, ...others] = children;
  if (/^call/i.test(type)) return first?.hash;
  return first && others.length === 0 ? calleeOf(first) : undefined;
}

/**
 * Whether two blocks are the same part of the same kind of construct: the body of a loop is no body
 * of a function, and what is done if a condition holds is no `else`. True for all other nodes.
 */
export function haveSameUse(a: TreeNode, b: TreeNode): boolean {
  if (a.role !== "block" || b.role !== "block") return true;
  return a.parent?.type === b.parent?.type && rankOf(a) === rankOf(b);
}

/** How many blocks of the construct come before one. */
function rankOf({ parent, index }: TreeNode): number {
  return (
    parent?.children.filter((child) => child.role === "block" && child.index < index).length ?? 0
  );
}

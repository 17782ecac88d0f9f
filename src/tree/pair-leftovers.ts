/**
 * @file Blocks that moved out of their surroundings: those without a partner are paired with blocks
 * of the other version that have none either, by how they begin and what stands in them, wherever
 * they are; the likeliest first.
 */
import { alignBlocks } from "./align-statements.ts";
import { haveSameUse } from "./bottom-up.ts";
import type { Mapping } from "./mapping.ts";
import { LEFTOVER_LIKENESS_MIN, LEFTOVER_PAIRS_MAX, NEARBY } from "./parameters.ts";
import type { TreeNode } from "./tree.ts";
import { ancestors, isWithin, statementAround } from "./tree.ts";
import type { Words } from "./words.ts";

interface Candidate {
  readonly a: TreeNode;
  readonly b: TreeNode;
  readonly likeness: number;
}

export function pairLeftovers(mapping: Mapping, words: Words): void {
  const ours = mapping.from.nodes.filter((node) => isLeft(node, mapping.partnerOf(node)));
  const theirs = mapping.to.nodes.filter((node) => isLeft(node, mapping.sourceOf(node)));
  if (ours.length * theirs.length > LEFTOVER_PAIRS_MAX) return;
  const candidates: Candidate[] = [];
  for (const a of ours) {
    for (const b of theirs) {
      if (!haveSameUse(a, b)) continue;
      const likeness = likenessOf(mapping, words, a, b);
      if (likeness >= LEFTOVER_LIKENESS_MIN) candidates.push({ a, b, likeness });
    }
  }
  candidates.sort((one, other) => {
    return other.likeness - one.likeness || one.a.id - other.a.id || one.b.id - other.b.id;
  });
  for (const { a, b } of candidates) {
    if (!mapping.isFree(a, b)) continue;
    mapping.add(a, b);
    alignBlocks(mapping, words, [[a, b]]);
  }
}

function isLeft({ role, parent }: TreeNode, partner: TreeNode | undefined): boolean {
  return role === "block" && parent !== null && partner === undefined;
}

function likenessOf(mapping: Mapping, words: Words, a: TreeNode, b: TreeNode): number {
  const [owner, other] = [statementAround(a), statementAround(b)];
  const header = owner && other ? words.headerLikeness(owner, other) : 0;
  const isEmpty = a.children.length === 0 || b.children.length === 0;
  const likeness = isEmpty ? header : (header + words.likeness(a, b)) / 2;
  return isNearby(mapping, a, b) ? likeness : likeness * NEARBY;
}

/** Whether both lie in the same paired construct, by the nearest around the first. */
function isNearby(mapping: Mapping, a: TreeNode, b: TreeNode): boolean {
  for (const outer of ancestors(a)) {
    const partner = mapping.partnerOf(outer);
    if (partner) return isWithin(b, partner);
  }
  return false;
}

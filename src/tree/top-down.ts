/**
 * @file GumTree's first phase: equal subtrees are paired, the highest first ("Fine-grained and
 * Accurate Source Code Differencing", ASE 2014, §3.1). Where several are equal, those whose
 * surroundings are paired already come first, then those at the same place in the file.
 */
import { dice } from "./mapping.ts";
import type { Mapping } from "./mapping.ts";
import { AMBIGUOUS_DISTANCE_MAX, AMBIGUOUS_PAIRS_MAX, TOP_DOWN_HEIGHT_MIN } from "./parameters.ts";
import type { TreeNode } from "./tree.ts";
import { ancestors, isWithin } from "./tree.ts";

interface Group {
  readonly ours: TreeNode[];
  readonly theirs: TreeNode[];
}

export function matchTopDown(mapping: Mapping): void {
  const ours = new ByHeight(mapping.from.root);
  const theirs = new ByHeight(mapping.to.root);
  const ambiguous: Group[] = [];
  while (ours.height >= TOP_DOWN_HEIGHT_MIN && theirs.height >= TOP_DOWN_HEIGHT_MIN) {
    if (ours.height > theirs.height) ours.openAll();
    else if (theirs.height > ours.height) theirs.openAll();
    else {
      for (const group of groupsOf(ours.take(), theirs.take())) {
        const [a, ...more] = group.ours;
        const [b, ...others] = group.theirs;
        if (!a) for (const node of group.theirs) theirs.open(node);
        else if (!b) for (const node of group.ours) ours.open(node);
        else if (more.length === 0 && others.length === 0) mapping.addSubtrees(a, b);
        else ambiguous.push(group);
      }
    }
  }
  ambiguous.sort((one, other) => sizeOf(other) - sizeOf(one));
  for (const group of ambiguous) matchAmbiguous(mapping, group);
}

function sizeOf({ ours }: Group): number {
  return ours[0]?.size ?? 0;
}

function groupsOf(ours: readonly TreeNode[], theirs: readonly TreeNode[]): Iterable<Group> {
  const groups = new Map<number, Group>();
  const groupOf = ({ hash }: TreeNode): Group => {
    let group = groups.get(hash);
    if (!group) groups.set(hash, (group = { ours: [], theirs: [] }));
    return group;
  };
  for (const node of ours) groupOf(node).ours.push(node);
  for (const node of theirs) groupOf(node).theirs.push(node);
  return groups.values();
}

interface Candidate {
  readonly a: TreeNode;
  readonly b: TreeNode;
  readonly likeness: number;
  readonly distance: number;
}

/** Pairs equal subtrees of which there are several, the likeliest first. */
function matchAmbiguous(mapping: Mapping, { ours, theirs }: Group): void {
  const isLarge = ours.length * theirs.length > AMBIGUOUS_PAIRS_MAX;
  const candidates: Candidate[] = [];
  for (const a of ours) {
    for (const b of theirs) {
      const distance = Math.abs(placeOf(a, mapping.from.root) - placeOf(b, mapping.to.root));
      if (isLarge && distance > AMBIGUOUS_DISTANCE_MAX) continue;
      if (!mapping.isFree(a, b)) continue;
      candidates.push({ a, b, likeness: isLarge ? 0 : likenessOf(mapping, a, b), distance });
    }
  }
  candidates.sort((one, other) => {
    return other.likeness - one.likeness || one.distance - other.distance || one.a.id - other.a.id;
  });
  for (const { a, b } of candidates) if (mapping.isFree(a, b)) mapping.addSubtrees(a, b);
}

function placeOf(node: TreeNode, root: TreeNode): number {
  return node.id / root.size;
}

/**
 * How far the surroundings of two equal subtrees are paired. The nearest that are count by how far both lie in
 * them: of two equal statements, one in a loop and one behind it, each is like its own.
 */
function likenessOf(mapping: Mapping, a: TreeNode, b: TreeNode): number {
  const around = a.parent && b.parent ? dice(mapping, a.parent, b.parent) : 0;
  for (const outer of ancestors(a)) {
    const partner = mapping.partnerOf(outer);
    if (!partner) continue;
    if (!isWithin(b, partner)) return around;
    return around + 1 / Math.max(depthIn(a, outer), depthIn(b, partner));
  }
  return around;
}

function depthIn(node: TreeNode, outer: TreeNode): number {
  let depth = 0;
  for (let at: TreeNode | null = node; at && at !== outer; at = at.parent) depth += 1;
  return depth;
}

/** Nodes of a tree that are next to be looked at, the highest first. */
class ByHeight {
  readonly #lists: TreeNode[][] = [];

  constructor(root: TreeNode) {
    this.#push(root);
  }

  get height(): number {
    return this.#lists.length - 1;
  }

  /** All nodes of the greatest height. */
  take(): readonly TreeNode[] {
    const taken = this.#lists.pop() ?? [];
    this.#trim();
    return taken;
  }

  open({ children }: TreeNode): void {
    for (const child of children) this.#push(child);
  }

  openAll(): void {
    for (const node of this.take()) this.open(node);
  }

  #push(node: TreeNode): void {
    while (this.#lists.length <= node.height) this.#lists.push([]);
    this.#lists[node.height]?.push(node);
  }

  #trim(): void {
    while (this.#lists.length > 0 && this.#lists.at(-1)?.length === 0) this.#lists.pop();
  }
}

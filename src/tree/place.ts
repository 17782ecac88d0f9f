/**
 * @file Where a statement goes in an older version: first the block, by the votes of its neighbours'
 * partners, then the gap between the statements of that block (FlorDB §5.3.1: code-block alignment).
 * Lines that did not change vote beside the tree. What names mean is the language's affair.
 */
import type { LinesAround } from "./line-evidence.ts";
import type { Mapping } from "./mapping.ts";
import {
  DEEPER,
  EDGE_DISTANCE,
  LINE_VOTE,
  LINES_MAX,
  OWN_BLOCK_VOTE,
  SIBLINGS_MAX,
} from "./parameters.ts";
import type { TreeNode } from "./tree.ts";
import { ancestors } from "./tree.ts";

/** A gap between the statements of a block: before the one with this index. */
export interface Gap {
  readonly block: TreeNode;
  readonly index: number;
}

export interface Place extends Gap {
  /** Lead of the block, and of the gap in it, over the second best. */
  readonly blockMargin: number;
  readonly gapMargin: number;
  /** Statements around the old place that the neighbours are paired with, if they stand at the gap. */
  readonly before: Neighbour;
  readonly after: Neighbour;
  /** To which neighbour the text is put close. */
  readonly near: "before" | "after";
  /** Statements around the new place, innermost first, that the old version does not have. */
  readonly climbed: readonly TreeNode[];
}

/**
 * What stands beside the gap, as seen from the newer version: the `same` statement, an `edited` one,
 * the `edge` of the block on both sides, or something `other`.
 */
export type Neighbour = "same" | "edited" | "edge" | "other";

/** A vote of a neighbour: the statement goes after (or before) this child of the block. */
interface Evidence {
  readonly isBefore: boolean;
  readonly partner: TreeNode;
  readonly distance: number;
  readonly weight: number;
}

/** Finds the place; undefined if nothing around the statement has a counterpart. */
export function findPlace(
  mapping: Mapping,
  at: Gap,
  lines: LinesAround,
  preferred: "before" | "after",
): Place | undefined {
  const climbed: TreeNode[] = [];
  let gap = at;
  for (;;) {
    const evidence = [...siblingEvidence(mapping, gap), ...lineEvidence(gap, lines)];
    const blocks = scoreBlocks(mapping, gap, evidence);
    const [best, second] = blocks;
    if (best) {
      const blockMargin = best.score - (second?.score ?? 0);
      const place = chooseGap(mapping, gap, best.block, evidence, preferred);
      return { ...place, blockMargin, climbed };
    }
    const owner = statementAround(gap.block);
    if (!owner?.parent) return undefined;
    climbed.push(owner);
    gap = { block: owner.parent, index: owner.index };
  }
}

/** The statement that a block is part of. */
function statementAround(block: TreeNode): TreeNode | undefined {
  for (let at: TreeNode | null = block; at; at = at.parent) {
    if (at.parent?.role === "block") return at;
  }
  return undefined;
}

function* siblingEvidence(mapping: Mapping, { block, index }: Gap): Generator<Evidence> {
  for (const [at, sibling] of block.children.entries()) {
    const isBefore = at < index;
    const distance = isBefore ? index - at : at - index + 1;
    if (distance > SIBLINGS_MAX) continue;
    const partner = mapping.partnerOf(sibling);
    if (partner?.parent?.role !== "block") continue;
    yield { isBefore, partner, distance, weight: 1 / distance };
  }
}

function* lineEvidence({ block }: Gap, { above, below }: LinesAround): Generator<Evidence> {
  for (const [lines, isBefore] of [
    [above, true],
    [below, false],
  ] as const) {
    const own = lines.filter(({ ours }) => ours?.parent === block).slice(0, LINES_MAX);
    for (const [at, { theirs }] of own.entries()) {
      if (!theirs) continue;
      yield { isBefore, partner: theirs, distance: at + 1, weight: LINE_VOTE / (at + 1) };
    }
  }
}

function scoreBlocks(
  mapping: Mapping,
  { block }: Gap,
  evidence: readonly Evidence[],
): { readonly block: TreeNode; readonly score: number }[] {
  const scores = new Map<TreeNode, number>();
  const vote = (node: TreeNode, weight: number): void => {
    scores.set(node, (scores.get(node) ?? 0) + weight);
  };
  const own = mapping.partnerOf(block);
  if (own) vote(own, OWN_BLOCK_VOTE);
  for (const { partner, weight } of evidence) if (partner.parent) vote(partner.parent, weight);
  return [...scores]
    .map(([node, score]) => ({ block: node, score }))
    .sort((one, other) => other.score - one.score || one.block.id - other.block.id);
}

type ChosenGap = Omit<Place, "blockMargin" | "climbed">;

function chooseGap(
  mapping: Mapping,
  now: Gap,
  block: TreeNode,
  evidence: readonly Evidence[],
  preferred: "before" | "after",
): ChosenGap {
  const inside = evidence.flatMap((one) => {
    const child = childOf(block, one.partner);
    if (!child) return [];
    return [{ ...one, child, weight: child === one.partner ? one.weight : one.weight * DEEPER }];
  });
  const votes = Array.from({ length: lastGap(block) + 1 }, (_, index) => {
    return inside.reduce((sum, { isBefore, child, weight }) => {
      const agrees = isBefore ? index > child.index : index <= child.index;
      return agrees ? sum + weight : sum;
    }, 0);
  });
  const best = Math.max(...votes);
  const first = votes.findIndex((vote) => isNear(vote, best));
  const last = votes.findLastIndex((vote) => isNear(vote, best));
  const second = Math.max(0, ...votes.filter((vote) => !isNear(vote, best)));
  const { index, near } = amongEqual(now, inside, { first, last }, preferred);
  return {
    block,
    index,
    near,
    gapMargin: best - second,
    before: neighbour(mapping, now.block.children[now.index - 1], block.children[index - 1]),
    after: neighbour(mapping, now.block.children[now.index], block.children[index]),
  };
}

/** The last gap of a block that is reached: behind a jump there is none. */
function lastGap({ children }: TreeNode): number {
  const jump = children.findIndex(({ role }) => role === "jump");
  return jump === -1 ? children.length : jump;
}

/**
 * Chooses among gaps that have the same votes: between them lie statements that are paired with none
 * near the new place. If as many stand there as in the newer version, each is taken for an edited
 * one; otherwise the statement goes to the side where its nearest witness stands.
 */
function amongEqual(
  { block, index }: Gap,
  evidence: readonly Evidence[],
  { first, last }: { readonly first: number; readonly last: number },
  preferred: "before" | "after",
): { readonly index: number; readonly near: "before" | "after" } {
  const distance = (isBefore: boolean): number | undefined => {
    const own = evidence.filter((one) => one.isBefore === isBefore);
    return own.length === 0 ? undefined : Math.min(...own.map((one) => one.distance));
  };
  const after = block.children.length - index;
  const [up, down] = [distance(true), distance(false)];
  const between = { before: (up ?? index + 1) - 1, after: (down ?? after + 1) - 1 };
  // The edge of a block is a weaker witness than a statement beside it.
  const distances = { before: up ?? index + EDGE_DISTANCE, after: down ?? after + EDGE_DISTANCE };
  const near =
    distances.before === distances.after
      ? preferred
      : distances.before < distances.after
        ? "before"
        : "after";
  if (between.before + between.after === last - first) {
    return { index: first + between.before, near };
  }
  return { index: near === "before" ? first : last, near };
}

function isNear(vote: number, best: number): boolean {
  return Math.abs(vote - best) < 1e-9;
}

/** The child of a block that is a node or holds it. */
function childOf(block: TreeNode, node: TreeNode): TreeNode | undefined {
  if (node.parent === block) return node;
  for (const outer of ancestors(node)) if (outer.parent === block) return outer;
  return undefined;
}

function neighbour(
  mapping: Mapping,
  ours: TreeNode | undefined,
  theirs: TreeNode | undefined,
): Neighbour {
  if (!ours && !theirs) return "edge";
  if (!ours || !theirs || mapping.partnerOf(ours) !== theirs) return "other";
  return ours.hash === theirs.hash ? "same" : "edited";
}

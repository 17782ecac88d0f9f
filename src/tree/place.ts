/**
 * @file Where a statement goes in an older version: first the block, by the votes of its neighbours'
 * partners, then the gap between the statements of that block (FlorDB §5.3.1: code-block alignment).
 * Lines that did not change vote beside the tree. What names mean is the language's affair.
 */
import { siblingEvidence, lineEvidence } from "./evidence.ts";
import type { Evidence, Gap } from "./evidence.ts";
import type { LinesAround } from "./line-evidence.ts";
import type { Mapping } from "./mapping.ts";
import { DEEPER, EDGE_DISTANCE, OWN_BLOCK_VOTE } from "./parameters.ts";
import type { TreeNode } from "./tree.ts";
import { ancestors, isLeaving, isWithin, statementAround } from "./tree.ts";

export interface Place extends Gap {
  /** The first and the last gap that are as good: between them stands what has no part in the choice. */
  readonly equal: { readonly first: number; readonly last: number };
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

/** Where a statement stands in the newer version, and which statements of its block gave it its values. */
export interface StatementGap extends Gap {
  readonly givers: ReadonlySet<TreeNode>;
}

/**
 * What stands beside the gap, as seen from the newer version: the `same` statement, an `edited` one,
 * the `edge` of the block on both sides, or something `other`.
 */
export type Neighbour = "same" | "edited" | "edge" | "other";

/**
 * Finds the place in each block that something around the statement speaks for, the likeliest first; none
 * if nothing around it has a counterpart.
 */
export function findPlaces(
  mapping: Mapping,
  at: StatementGap,
  lines: LinesAround,
  preferred: "before" | "after",
): Place[] {
  const climbed: TreeNode[] = [];
  let gap: Gap = at;
  for (;;) {
    const evidence = [...siblingEvidence(mapping, gap, at.givers), ...lineEvidence(gap, lines)];
    const blocks = scoreBlocks(mapping, gap, evidence);
    if (blocks.length > 0) {
      return blocks.map(({ block, score }, rank) => {
        const blockMargin = score - (blocks[rank === 0 ? 1 : 0]?.score ?? 0);
        const place = chooseGap(mapping, gap, block, evidence, preferred);
        return { ...place, blockMargin, climbed };
      });
    }
    const owner = statementAround(gap.block);
    if (!owner?.parent) return [];
    climbed.push(owner);
    gap = { block: owner.parent, index: owner.index };
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
  const inCallback = own ? followingInCallback(own, evidence) : new Set();
  for (const one of evidence) vote(own && inCallback.has(one) ? own : one.block, one.weight);
  return [...scores]
    .map(([node, score]) => ({ block: node, score }))
    .sort((one, other) => other.score - one.score || one.block.id - other.block.id);
}

/**
 * What follows a statement, with something between them, and stands in a function of that block then: a
 * callback of what stood between. The statement was executed before that is called.
 */
function followingInCallback(own: TreeNode, evidence: readonly Evidence[]): ReadonlySet<Evidence> {
  const inner = evidence.filter(({ block }) => {
    return block !== own && isWithin(block, own) && functionAround(block) !== functionAround(own);
  });
  const isBehind = inner.every(({ isBefore, distance }) => !isBefore && distance > 1);
  return new Set(isBehind ? inner : []);
}

function functionAround(block: TreeNode): TreeNode | undefined {
  return [...ancestors(block)].find(({ role }) => role === "function");
}

type ChosenGap = Omit<Place, "blockMargin" | "climbed">;

function chooseGap(
  mapping: Mapping,
  now: Gap,
  block: TreeNode,
  evidence: readonly Evidence[],
  preferred: "before" | "after",
): ChosenGap {
  const inside = evidence.flatMap((one) => within(block, one));
  const votes = Array.from({ length: lastGap(block) + 1 }, (_, index) => {
    return inside.reduce((sum, { isBefore, bound, weight }) => {
      const agrees = isBefore ? index >= bound : index <= bound;
      return agrees ? sum + weight : sum;
    }, 0);
  });
  const best = Math.max(...votes);
  const { first, last } = nearestRun(votes, best, inside);
  const second = Math.max(0, ...votes.filter((vote) => !isNear(vote, best)));
  const { index, near } = amongEqual(now, inside, { first, last }, preferred);
  return {
    block,
    index,
    equal: { first, last },
    near,
    gapMargin: best - second,
    before: neighbour(mapping, now.block.children[now.index - 1], block.children[index - 1]),
    after: neighbour(mapping, now.block.children[now.index], block.children[index]),
  };
}

/**
 * The gaps with the best votes. They may lie apart, where what stood before the statement now stands behind
 * what followed it: then those behind the nearest witness before it.
 */
function nearestRun(
  votes: readonly number[],
  best: number,
  evidence: readonly Evidence[],
): { readonly first: number; readonly last: number } {
  const runs: { first: number; last: number }[] = [];
  for (const [at, vote] of votes.entries()) {
    if (!isNear(vote, best)) continue;
    const run = runs.at(-1);
    if (run?.last === at - 1) run.last = at;
    else runs.push({ first: at, last: at });
  }
  const [nearest] = evidence
    .filter(({ isBefore }) => isBefore)
    .toSorted((a, b) => a.distance - b.distance);
  const own = nearest && runs.find(({ last }) => last >= nearest.bound);
  return own ?? runs[0] ?? { first: 0, last: 0 };
}

/** Evidence as a bound in a block that holds what it speaks of. */
function within(block: TreeNode, one: Evidence): Evidence[] {
  if (one.block === block) return [one];
  for (const outer of ancestors(one.block)) {
    if (outer.parent !== block) continue;
    const bound = one.isBefore ? outer.index + 1 : outer.index;
    return [{ ...one, block, bound, weight: one.weight * DEEPER }];
  }
  return [];
}

/** The last gap of a block that is reached: behind what always leaves it there is none. */
export function lastGap({ children }: TreeNode): number {
  const jump = children.findIndex(isLeaving);
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
  const between = {
    before: Math.ceil(up ?? index + 1) - 1,
    after: Math.ceil(down ?? after + 1) - 1,
  };
  // The edge of a block is a weaker witness than a statement beside it.
  const distances = { before: up ?? index + EDGE_DISTANCE, after: down ?? after + EDGE_DISTANCE };
  const side =
    distances.before === distances.after
      ? preferred
      : distances.before < distances.after
        ? "before"
        : "after";
  const isEven = between.before + between.after === last - first;
  const chosen = isEven ? first + between.before : side === "before" ? first : last;
  // A comment lies between the statement and the neighbour on its side.
  const isComment = distances[side] % 1 !== 0;
  return { index: chosen, near: isComment ? OTHER_SIDE[side] : side };
}

const OTHER_SIDE = { before: "after", after: "before" } as const;

function isNear(vote: number, best: number): boolean {
  return Math.abs(vote - best) < 1e-9;
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

/**
 * @file What is around a statement and has a counterpart in the older version: each such thing is a
 * witness of the block that the statement belongs to, and of a bound in it.
 */
import type { LinesAround, MatchedLine } from "./line-evidence.ts";
import type { Mapping } from "./mapping.ts";
import {
  COMMENT_NEARER,
  GIVER,
  LINE_VOTE,
  LINES_MAX,
  SIBLINGS_MAX,
  STILL_NEXT,
  UNWRAPPED,
} from "./parameters.ts";
import type { TreeNode } from "./tree.ts";

/** A gap between the statements of a block: before the one with this index. */
export interface Gap {
  readonly block: TreeNode;
  readonly index: number;
}

/** A witness: the statement goes at this gap of the block, or after it (or before it). */
export interface Evidence {
  readonly isBefore: boolean;
  readonly block: TreeNode;
  readonly bound: number;
  /** From the statement, in statements. */
  readonly distance: number;
  readonly weight: number;
}

/** The statements beside one, by their partners. */
export function* siblingEvidence(
  mapping: Mapping,
  { block, index }: Gap,
  givers: ReadonlySet<TreeNode>,
): Generator<Evidence> {
  const isBetween = areStillNext(mapping, block.children[index - 1], block.children[index]);
  for (const [at, sibling] of block.children.entries()) {
    const isBefore = at < index;
    const distance = isBefore ? index - at : at - index + 1;
    if (distance > SIBLINGS_MAX) continue;
    const weight = 1 / distance;
    const partner = mapping.partnerOf(sibling);
    if (partner?.parent?.role === "block") {
      const factor = givers.has(sibling) ? GIVER : isBetween && distance === 1 ? STILL_NEXT : 1;
      const bound = boundAt(partner, partner.parent, isBefore);
      yield { isBefore, distance, weight: weight * factor, ...bound };
    } else if (!partner) {
      const inner = innerWitness(mapping, sibling, isBefore);
      const own = mapping.partnerOf(block);
      if (!inner || (own && own !== inner.block)) continue;
      yield { isBefore, distance: distance + 1, weight: weight * UNWRAPPED, ...inner };
    }
  }
}

/** Whether two neighbours are neighbours in the older version too, in the same order. */
function areStillNext(
  mapping: Mapping,
  before: TreeNode | undefined,
  after: TreeNode | undefined,
): boolean {
  const [one, other] = [before, after].map((node) => node && mapping.partnerOf(node));
  if (!one || !other || one.parent !== other.parent) return false;
  return other.index === one.index + 1;
}

function boundAt(
  { index }: TreeNode,
  block: TreeNode,
  isBefore: boolean,
): Pick<Evidence, "block" | "bound"> {
  return { block, bound: isBefore ? index + 1 : index };
}

/**
 * For a construct that the older version does not have: what stands in it may stand there without
 * it. The nearest statement in it speaks for it.
 */
function innerWitness(
  mapping: Mapping,
  sibling: TreeNode,
  isBefore: boolean,
): Pick<Evidence, "block" | "bound"> | undefined {
  const inner = innerStatements(sibling);
  for (const statement of isBefore ? inner.toReversed() : inner) {
    const partner = mapping.partnerOf(statement);
    if (partner?.parent?.role === "block") return boundAt(partner, partner.parent, isBefore);
  }
  return undefined;
}

/** The statements of the outermost blocks in a node, functions left out. */
function innerStatements(node: TreeNode): TreeNode[] {
  return node.children.flatMap((child) => {
    if (child.role === "block") return [...child.children];
    return child.role === "function" || child.role === "class" ? [] : innerStatements(child);
  });
}

/** The lines around one that did not change: of its siblings, and comments between them. */
export function* lineEvidence({ block, index }: Gap, lines: LinesAround): Generator<Evidence> {
  for (const [list, isBefore] of [
    [lines.above, true],
    [lines.below, false],
  ] as const) {
    const own = list.filter((line) => isOwn(line, block)).slice(0, LINES_MAX);
    for (const [at, { ours, theirs, comment }] of own.entries()) {
      const weight = LINE_VOTE / (at + 1);
      if (comment) {
        const distance = Math.abs(comment.ours.index - index) + 1 - COMMENT_NEARER;
        const { block: there, index: bound } = comment.theirs;
        yield { isBefore, block: there, bound, distance, weight };
      } else if (ours && theirs?.parent) {
        const distance = isBefore ? index - ours.index : ours.index - index + 1;
        yield { isBefore, distance, weight, ...boundAt(theirs, theirs.parent, isBefore) };
      }
    }
  }
}

function isOwn({ ours, comment }: MatchedLine, block: TreeNode): boolean {
  return comment ? comment.ours.block === block : ours?.parent === block;
}

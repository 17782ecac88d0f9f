/**
 * @file A loop that was divided into two since, or two that were joined: what a question reads is changed in the
 * same loop in one version, and in another loop in the other one. There it has the value of each iteration,
 * here that of the last one, and both are right for their places.
 */
import type { Statement } from "../../languages/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import type { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { wholeValues } from "../adapting/settle-gap.ts";
import { freeNames } from "../pairing/paired-names.ts";
import type { Target, VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { resolveVisibleName } from "../pairing/visible-name.ts";
import type { Values } from "../pairing/written-values.ts";
import { changesPart } from "../pairing/written-values.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";
import { pairsBeside } from "./pair-beside.ts";

/** A statement that changes what is asked, and that one version has in another loop. */
export interface PartedStatement {
  readonly file: string;
  /** Its line in the newer version. */
  readonly line: number;
  readonly isParted: IsParted;
}

/** Which version has it in another loop than the question; `twice`: the older one has it in the same and in another one. */
type IsParted = "now" | "then" | "twice";

export function partedLoops(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): PartedStatement[] {
  return pairsBeside(edits, question).flatMap(({ file, edit, own, pair }) => {
    if (edit.now.loops.size === 0) return [];
    const others = edit.now.statements.filter(({ node, isLogOnly }) => {
      return !isLogOnly && !own.some((one) => isInside(node, one.node));
    });
    const found = own.flatMap((one) => partedFrom(pair, one, others).slice(-1));
    return found.map(({ node, isParted }) => {
      return { file, line: edit.now.lines.at(node.start).line, isParted };
    });
  });
}

interface Parted {
  readonly node: TreeNode;
  readonly isParted: IsParted;
}

/** What changes the values of a statement in one version in the loops around it, and not so in the other. */
function partedFrom(
  pair: VersionPair,
  statement: Statement,
  others: readonly Statement[],
): Parted[] {
  const block = pair.blockOf(statement);
  const target = pair.placeFor(statement);
  if (!block || !target) return [];
  const there = target.place.block;
  const values = wholeValues(pair, statement.node, namesAt(pair, statement, target));
  // What another function changes may do so in any loop that calls it.
  const changing = (side: Side, all: readonly Statement[], of: Values, at: TreeNode): TreeNode[] =>
    all.flatMap(({ node }) => {
      const own = side.tree.nodeOf.get(node);
      if (!own || isInside(at, own) || functionAround(own) !== functionAround(at)) return [];
      return changesPart(side, own, of) ? [own] : [];
    });
  const ours = changing(pair.now, others, values.now, block);
  const found = ours.flatMap((node): Parted[] => {
    const partner = pair.mapping.partnerOf(node);
    if (!partner || isInside(there, partner)) return [];
    if (functionAround(partner) !== functionAround(there)) return [];
    let [now, then] = [apartFrom(block, node), apartFrom(there, partner)];
    // With one loop more around all of it, what stands before the loops is apart from more of them.
    if (loopsAround(block).length !== loopsAround(there).length) {
      [now, then] = [Math.min(now, 1), Math.min(then, 1)];
    }
    return now === then ? [] : [{ node, isParted: now > then ? "now" : "then" }];
  });
  if (found.length > 0) return found;
  const theirs = changing(pair.then, pair.then.source.statements, values.then, there);
  const parted = partedByAll(ours, block, theirs, there);
  return parted.length > 0 ? parted : madeTwice(pair, ours, theirs, { block, there });
}

/** What changes it in the question's own loop does so in the older version in that and, word for word, in one more. */
function madeTwice(
  { mapping }: VersionPair,
  ours: readonly TreeNode[],
  theirs: readonly TreeNode[],
  { block, there }: { readonly block: TreeNode; readonly there: TreeNode },
): Parted[] {
  const [own, old] = [loopsAround(block)[0], loopsAround(there)[0]];
  if (!own || !old) return [];
  const isAgain = (node: TreeNode): boolean => {
    const partner = mapping.partnerOf(node);
    if (loopsAround(node)[0] !== own || !partner || loopsAround(partner)[0] !== old) return false;
    return theirs.some((one) => {
      const isOther = loopsAround(one)[0] !== old && !mapping.sourceOf(one);
      return isOther && one.hash === partner.hash && loopsAround(one).length > 0;
    });
  };
  return ours.filter(isAgain).map((node) => ({ node, isParted: "twice" }));
}

/** Whatever is paired with what: all that changes it does so in the loop in one version, and in others in the other. */
function partedByAll(
  ours: readonly TreeNode[],
  block: TreeNode,
  theirs: readonly TreeNode[],
  there: TreeNode,
): Parted[] {
  const isOwn = (around: TreeNode) => (node: TreeNode) => apartFrom(around, node) === 0;
  const isApart = (around: TreeNode) => (node: TreeNode) =>
    loopsAround(node).some((loop) => !isInside(around, loop));
  const [own] = ours.filter(isOwn(block));
  const [apart] = ours.filter(isApart(block));
  if (!own && apart && theirs.some(isOwn(there))) return [{ node: apart, isParted: "now" }];
  if (own && !theirs.some(isOwn(there)) && theirs.some(isApart(there))) {
    return [{ node: own, isParted: "then" }];
  }
  return [];
}

/** The names of a statement in the words of the older version. */
function namesAt(
  pair: VersionPair,
  { node }: Statement,
  { place }: Target,
): ReturnType<typeof namesWhereItGoes> {
  const at = pair.scopedOffsetOf(place);
  return freeNames(pair.now.scopes, node).flatMap((free) => {
    const [use] = free.uses;
    const called = pair.names.pairedNameAt(free, at);
    const written = called.kind === "renamed" ? called.to : free.name;
    const found = resolveVisibleName(pair.then.scopes, written, at);
    return use ? [{ free, use, written, found }] : [];
  });
}

/** How many of the loops around a block do not hold a statement. */
function apartFrom(block: TreeNode, node: TreeNode): number {
  const around = new Set(loopsAround(node));
  return loopsAround(block).filter((loop) => !around.has(loop)).length;
}

function functionAround(node: TreeNode): TreeNode | undefined {
  for (const one of ancestors(node)) if (one.role === "function") return one;
  return undefined;
}

function loopsAround(node: TreeNode): TreeNode[] {
  const loops: TreeNode[] = [];
  for (const one of ancestors(node)) {
    if (one.role === "function") break;
    if (one.role === "loop") loops.push(one);
  }
  return loops;
}

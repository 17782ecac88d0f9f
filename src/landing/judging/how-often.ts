/**
 * @file Whether a statement would be executed as often in the older version as in the newer one: not where a way leads
 * past its place there, where the loop that gives its value is over before it, where what it stands beside is executed
 * under a condition, where what gives its value stands once more in another loop or function, and not in another loop.
 * Each value would be right, and some would be missing.
 */
import type { Landing } from "../../format/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import type { Giver } from "../pairing/givers.ts";
import { functionName, nameOf } from "../pairing/named-functions.ts";
import type { Gap } from "../pairing/reaching.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { offsetOf } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";

type Warning = Landing["warnings"][number];

/** What gives a value last before a place in the newer version, and its partner in the older one. */
export interface LastGivers {
  readonly now: Giver;
  readonly then: Giver;
}

/** The older version may leave the loop or the function between what gives the value and the place. */
export function leftBefore(
  pair: VersionPair,
  givers: LastGivers,
  places: { readonly now: Gap; readonly then: Gap },
): string | undefined {
  const ours = jumpsBetween(pair.now, givers.now, places.now);
  const theirs = jumpsBetween(pair.then, givers.then, places.then);
  const first = theirs.find(({ type }) => {
    const isOfKind = (one: TreeNode): boolean => one.type === type;
    return theirs.filter(isOfKind).length > ours.filter(isOfKind).length;
  });
  if (!first || isBeforeNeighbour(pair, first, places)) return undefined;
  const { line } = pair.then.source.lines.at(first.start);
  return `line ${line} leaves the ${/^return/i.test(first.type) ? "function" : "loop"} before it there`;
}

/**
 * Whether a jump comes before what the statement directly follows in both versions: where that is left out, so is
 * what it follows. Not a jump that comes behind it in the newer version.
 */
function isBeforeNeighbour(
  { mapping }: VersionPair,
  jump: TreeNode,
  { now, then }: { readonly now: Gap; readonly then: Gap },
): boolean {
  const [own, old] = [neighbourBefore(now), neighbourBefore(then)];
  if (!own || !old || mapping.partnerOf(own) !== old || jump.end > old.start) return false;
  const guard = [jump, ...ancestors(jump)].find(({ parent }) => {
    return parent?.role === "block" && isInside(then.block, parent);
  });
  const moved = guard && mapping.sourceOf(guard);
  return !moved || moved.end <= own.start;
}

/** What stands directly before a place, or the statement whose block it begins. */
function neighbourBefore(
  { block, index }: Gap,
  children: readonly TreeNode[] = block.children,
): TreeNode | undefined {
  return children[index - 1] ?? block.parent ?? undefined;
}

function jumpsBetween({ tree }: Side, { at }: Giver, gap: Gap): TreeNode[] {
  const to = offsetOf(gap);
  return tree.nodes.filter((node) => {
    const isBetween = at.end <= node.start && node.end <= to;
    return node.role === "jump" && isBetween && leaves(node, gap.block);
  });
}

/** Whether a jump leaves what is around a place: not only a loop that ends before that. */
function leaves({ type, parent }: TreeNode, block: TreeNode): boolean {
  const isReturn = /^return/i.test(type);
  const isBreak = /^break/i.test(type);
  if (!isReturn && !isBreak && !/^continue/i.test(type)) return false;
  for (let at = parent; at; at = at.parent) {
    const isLeft =
      at.role === "function" ||
      (!isReturn && (at.role === "loop" || (isBreak && at.type === "SwitchStatement")));
    if (isLeft) return isInside(block, at);
  }
  return isReturn;
}

/** In one version a loop around what gives the value is over before the place, and in the other one it is not. */
export function givenInLoop(
  pair: VersionPair,
  givers: LastGivers,
  places: { readonly now: Gap; readonly then: Gap },
): string | undefined {
  const isOver = isLoopOver(givers.then, places.then);
  const wasOver = isLoopOver(givers.now, places.now);
  if ((isOver === true) === (wasOver === true)) return undefined;
  // What no loop gives is given once, as what a loop left behind.
  const isOnce = isOver === undefined || wasOver === undefined;
  if (isOnce && isInSameFunction(pair, places.now.block, places.then.block)) return undefined;
  const { line } = pair.then.source.lines.at(givers.then.at.start);
  return isOver
    ? `line ${line} gives it in a loop that is over before it there, and not in the newer version`
    : `line ${line} gives it in the loop that it stands in there, and in the newer version that is over`;
}

/** Undefined: no loop of its function gives it. */
function isLoopOver({ at }: Giver, { block }: Gap): boolean | undefined {
  const around = iterationAround(at);
  if (around?.role !== "loop") return undefined;
  // By its place in the tree: a body of nothing but a loop has the same text as the loop.
  return block.id <= around.id || block.id >= around.id + around.size;
}

/** The smallest statement whose text is taken for a sign: `total = 0` stands in every second loop. */
const TELLING_SIZE = 6;

/**
 * What gives the value stands once more in one version, in another loop or function, and the other one has both in one
 * function: that is another function, or one that is called oftener.
 */
export function givenOnceMore(pair: VersionPair, givers: LastGivers): string | undefined {
  const { mapping, now, then } = pair;
  const [own, old] = [givers.now.statement, givers.then.statement];
  if (old.size < TELLING_SIZE || old.children.some(({ role }) => role === "block"))
    return undefined;
  const again = then.tree.nodes.filter(({ hash }) => hash === old.hash);
  const here = now.tree.nodes.filter(({ hash }) => hash === own.hash);
  const isOther = (one: TreeNode, of: TreeNode): boolean =>
    one !== of && iterationAround(one) !== iterationAround(of);
  const other = again.find((one) => isOther(one, old) && !mapping.sourceOf(one));
  const mine = here.find((one) => isOther(one, own) && !mapping.partnerOf(one));
  const lineOf = ({ source }: Side, { start }: TreeNode): number => source.lines.at(start).line;
  const [ours, theirs] = [usesOfFunction(now, own), usesOfFunction(then, old)];
  if (other && again.length > here.length && (ours > theirs || !isInSameNamed(pair, own, old)))
    return `line ${lineOf(then, other)} gives it too there, where it would not be logged`;
  if (mine && here.length > again.length && theirs > ours)
    return `your line ${lineOf(now, mine)} gives it too, and its function is called for both there`;
  return undefined;
}

function isInSameNamed(pair: VersionPair, own: TreeNode, old: TreeNode): boolean {
  return isInSameFunction(pair, own, old) && nameAround(own) === nameAround(old);
}

/** In how many places the function around a node is called, or handed over, by its name. */
function usesOfFunction({ source, scopes }: Side, node: TreeNode): number {
  const own = nameAround(node);
  const named = scopes.references.filter(({ name, isRead }) => isRead && name === own);
  return named.length + source.uses.members.filter(({ name }) => name === own).length;
}

/** The innermost loop or function. */
function iterationAround(node: TreeNode): TreeNode | undefined {
  for (const one of ancestors(node)) if (one.role === "loop" || one.role === "function") return one;
  return undefined;
}

/** What stands directly beside it in the newer version is executed under a condition there, and it would not be. */
export function besideCondition(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { statement, target, question } = adapted;
  const asked = question ?? [statement];
  const around = pair.blockOf(statement);
  if (!around) return [];
  const siblings = around.children.filter((node) => {
    return !asked.some((one) => one.node.start === node.start);
  });
  const index = siblings.filter(({ start }) => start < statement.node.start).length;
  const beside = [siblings[index - 1], siblings[index]];
  const { block } = target.place;
  const own = neighbourBefore({ block: around, index }, siblings);
  if (own && pair.mapping.partnerOf(own) === neighbourBefore(target.place)) return [];
  const partners = beside.flatMap((node) => (node && pair.mapping.partnerOf(node)) ?? []);
  const under = partners.find((partner) => isUnderCondition(partner, block));
  if (!under) return [];
  const { line } = pair.then.source.lines.at(under.start);
  const text = `line ${line}, beside which it stands in the newer version, is executed under a condition there`;
  return [{ code: "order_changed", text }];
}

/** In a branch of an `if` that stands in the block. */
function isUnderCondition(node: TreeNode, block: TreeNode): boolean {
  let isBranch = false;
  for (const one of ancestors(node)) {
    if (one === block) return isBranch;
    if (one.role === "loop" || one.role === "function") return false;
    if (/^if/i.test(one.type)) isBranch = true;
  }
  return false;
}

/** Whether two places are in functions that are paired, and in classes of one name. */
export function isInSameFunction({ mapping }: VersionPair, own: TreeNode, old: TreeNode): boolean {
  const [ours, theirs] = [own, old].map((node) => [...ancestors(node)]);
  const [here, there] = [ours, theirs].map((all) => all?.find(({ role }) => role === "function"));
  if (!here || !there) return !here && !there;
  const [named, called] = [ours, theirs].map((all) => nameOf(all?.find(isClass)));
  return mapping.partnerOf(here) === there && named === called;
}

/** What the function around a node is called. */
function nameAround(node: TreeNode): string | undefined {
  return functionName([...ancestors(node)].find(({ role }) => role === "function"));
}

export function isClass({ role }: TreeNode): boolean {
  return role === "class";
}

/** @file Whether it matters at all where in its block a statement lands. */
import type { TreeNode } from "../../tree/index.ts";
import { isLeaving } from "../../tree/index.ts";
import { shownValues } from "../pairing/shown-values.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";

/**
 * Whether a log call gives the same in every gap of the block that is its own in both versions: it shows a
 * text and no value, or nothing in them may change any value. And nothing before their last statement leaves them.
 */
export function isSameThroughout(pair: VersionPair, adapted: AdaptedStatement): boolean {
  const { statement, target, question, isPushedDown } = adapted;
  const { block, climbed } = target.place;
  const own = pair.blockOf(statement);
  if (!own || pair.mapping.partnerOf(own) !== block) return false;
  if (question || isPushedDown || climbed.length > 0 || !statement.isLogOnly) return false;
  const others = own.children.filter(({ start }) => start !== statement.node.start);
  if ([others, block.children].some((list) => list.slice(0, -1).some(mayLeave))) return false;
  if (shownValues(pair.now, statement.node).kind === "text") return true;
  return (
    others.every((node) => isHarmless(pair.now, node)) &&
    block.children.every((node) => isHarmless(pair.then, node))
  );
}

/**
 * Whether a log call that shows a text and no value is executed as often in each of the gaps that are as good. The
 * lines must say that it is this block.
 */
export function isSameText(
  pair: VersionPair,
  { statement, target, ...rest }: AdaptedStatement,
): boolean {
  const { block, climbed, equal } = target.place;
  if (rest.question || rest.isPushedDown || climbed.length > 0 || !statement.isLogOnly)
    return false;
  if (block.children.slice(equal.first, equal.last).some(mayLeave)) return false;
  return shownValues(pair.now, statement.node).kind === "text";
}

/** What a call does to objects that it does not name nobody knows. */
function isHarmless(side: Side, node: TreeNode): boolean {
  const statement = statementFor(side, node);
  if (!statement || statement.changesOthers) return false;
  return statement.isLogOnly || statement.effect === "none" || statement.effect === "clock";
}

function mayLeave(node: TreeNode): boolean {
  if (node.role === "function" || node.role === "class") return false;
  return isLeaving(node) || node.children.some(mayLeave);
}

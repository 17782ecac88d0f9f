/** @file Whether it matters at all where in its block a statement lands. */
import type { TreeNode } from "../../tree/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { wholeValues } from "../adapting/settle-gap.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { Values } from "../pairing/written-values.ts";
import { writes } from "../pairing/written-values.ts";

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
  const values = wholeValues(pair, statement.node, namesWhereItGoes(pair, adapted));
  const others = own.children.filter(({ start }) => start !== statement.node.start);
  return isQuiet(pair.now, others, values.now) && isQuiet(pair.then, block.children, values.then);
}

function isQuiet(side: Side, statements: readonly TreeNode[], values: Values): boolean {
  if (statements.slice(0, -1).some(mayLeave)) return false;
  const isPlain =
    values.bindings.size === 0 && statements.every((one) => !writes(side, one, values));
  return isPlain || statements.every((node) => isHarmless(side, node));
}

/** What a call does to objects that it does not name nobody knows. */
function isHarmless(side: Side, node: TreeNode): boolean {
  const statement = statementFor(side, node);
  if (!statement || statement.changesOthers) return false;
  return statement.isLogOnly || statement.effect === "none" || statement.effect === "clock";
}

function mayLeave({ leaves, role, children }: TreeNode): boolean {
  if (role === "function" || role === "class") return false;
  return leaves || children.some(mayLeave);
}

/** @file Whether the old version has the statement already, or another one that logs the same name. */
import type { TreeNode } from "../../tree/index.ts";
import { statementHash } from "../pairing/version-tree.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { AdaptedStatement } from "./adapt-statement.ts";

export interface ExistingStatement {
  /** The statement of the old version that is the same. */
  readonly same: TreeNode | undefined;
  /** One that logs the same name with other arguments. */
  readonly conflict: TreeNode | undefined;
}

/**
 * Looks for the statement in the old version. One that is paired with another statement of the
 * newer version is that one, and not this. A value that is logged by name is looked for everywhere,
 * any other statement only where it would go.
 */
export function findExisting(
  pair: VersionPair,
  { statement, target, renaming }: AdaptedStatement,
): ExistingStatement {
  const names = new Map([...renaming].map(([{ node }, to]) => [node, to]));
  const hash = statementHash(pair.now.source, statement.node, pair.interner, names);
  const key = pair.now.source.logs(pair.mode).keyOf(statement.node);
  const free = unpairedStatements(pair, key === undefined ? target.place.block : undefined);
  const same = free.find((node) => node.hash === hash);
  if (same || key === undefined) return { same, conflict: undefined };
  const { keyOf } = pair.then.source.logs(pair.mode);
  const conflict = free.find((node) => {
    const syntax = pair.then.tree.syntaxOf.get(node);
    return syntax !== undefined && keyOf(syntax) === key;
  });
  return { same: undefined, conflict };
}

/** Old statements that are not paired with one of the same text. */
function unpairedStatements(pair: VersionPair, block: TreeNode | undefined): TreeNode[] {
  const nodes = block ? block.children : pair.then.tree.nodes;
  return nodes.filter((node) => {
    if (node.parent?.role !== "block") return false;
    return pair.mapping.sourceOf(node)?.hash !== node.hash;
  });
}

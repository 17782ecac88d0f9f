/**
 * @file What was added together with a statement and does not come with it: `model.eval()` before,
 * `model.train()` after. Without it the statement may log another value than its author meant.
 */
import type { Place, TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Statement, Syntax } from "../../languages/index.ts";
import { quotedLine } from "./judge-landing.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";

/**
 * Statements that the old version does not have, that do more than log, and that stay behind: those
 * directly beside the statement, and those directly beside a block around it that name something in
 * that block. Where nothing else than additions is new, also those in its function that name something
 * that it names: else they may well be the work of other days, as loops and conditions may.
 */
export function leftOutStatements(pair: VersionPair, adapted: AdaptedStatement): string[] {
  const { source } = pair.now;
  const carried = new Set(carriedBy(adapted));
  const shares = (node: Syntax, other: Syntax): boolean => {
    const names = namesIn(pair, other);
    return [...namesIn(pair, node)].some((name) => names.has(name));
  };
  const isOnlyAdded = hasOnlyAdditions(pair);
  const found: Statement[] = [];
  for (
    let statement: Statement | null = adapted.statement;
    statement;
    statement = aroundOf(pair, statement)
  ) {
    const { node: own } = statement;
    const { place } = adapted.target;
    const beside = new Set(
      neighbours(pair, statement, own === adapted.statement.node ? place : null),
    );
    const isMeant = (one: Statement): boolean => {
      const { node } = one;
      if (isOnlyAdded && shares(node, adapted.statement.node)) return true;
      if (!isOnlyAdded && holdsBlock(pair, node)) return false;
      if (!beside.has(one) || own === adapted.statement.node) return beside.has(one);
      return shares(node, own) && !isDefinition(pair, node);
    };
    const others = listOf(pair, statement).filter(({ node }) => node !== own);
    found.push(...others.filter((one) => isAdded(pair, one) && isMeant(one)));
  }
  return found
    .map(({ node }) => node)
    .filter((node) => !carried.has(node))
    .toSorted((a, b) => a.start - b.start)
    .map((node) => `${quotedLine(source.text, node)} at line ${source.lines.at(node.start).line}`);
}

/** A loop or a condition that another version does not have is a part of the program. */
function holdsBlock({ now }: VersionPair, node: Syntax): boolean {
  const visit = (tree: TreeNode): boolean => tree.role === "block" || tree.children.some(visit);
  const own = now.tree.nodeOf.get(node);
  return own !== undefined && visit(own);
}

/** The statement around a statement, in the same function. */
function aroundOf({ now }: VersionPair, { owner, parent }: Statement): Statement | null {
  return now.tree.nodeOf.get(owner)?.parent?.role === "function" ? null : parent;
}

/** The statements of the list in which one stands. */
function listOf({ now }: VersionPair, { owner }: Statement): readonly Statement[] {
  return now.source.lists.find((list) => list.owner === owner)?.statements ?? [];
}

/** Whether all of the old version is in the newer one as it was. */
function hasOnlyAdditions({ then, mapping }: VersionPair): boolean {
  return then.tree.nodes.every((node) => {
    const partner = mapping.sourceOf(node);
    return partner?.type === node.type && partner.label === node.label;
  });
}

function carriedBy({ definitions }: AdaptedStatement): Syntax[] {
  return definitions.flatMap((one) => [one.statement.node, ...carriedBy(one)]);
}

/**
 * From a statement on in both directions, as long as nothing stands there that the old version has. Where
 * that has something else instead, it was not added but replaced.
 */
function neighbours(pair: VersionPair, statement: Statement, place: Place | null): Statement[] {
  const list = listOf(pair, statement);
  const at = list.findIndex(({ node }) => node === statement.node);
  const block = pair.now.tree.nodeOf.get(statement.owner);
  const isOld = (one: Statement): boolean => {
    const own = pair.now.tree.nodeOf.get(one.node);
    return own !== undefined && pair.mapping.partnerOf(own) !== undefined && !isLog(one);
  };
  const isReplaced = (old: readonly TreeNode[]): boolean => {
    const next = old.find((one) => {
      const source = pair.mapping.sourceOf(one);
      const newer = source && pair.statementOf(source);
      return !newer || !isLog(newer);
    });
    // What stood there may be in a function now, which is called instead.
    return next !== undefined && pair.mapping.sourceOf(next)?.parent !== block;
  };
  const until = (nodes: readonly Statement[], old: readonly TreeNode[]): readonly Statement[] => {
    if (isReplaced(old)) return [];
    const end = nodes.findIndex(isOld);
    return end < 0 ? nodes : nodes.slice(0, end);
  };
  const { children = [] } = place?.block ?? {};
  const index = place?.index ?? 0;
  return [
    ...until(list.slice(0, at).toReversed(), children.slice(0, index).toReversed()),
    ...until(list.slice(at + 1), children.slice(index)),
  ];
}

function isLog(statement: Statement): boolean {
  return statement.isLog || statement.isLogOnly;
}

/** Whether it is not in the old version, and executing it does anything. */
function isAdded(pair: VersionPair, statement: Statement): boolean {
  const own = pair.now.tree.nodeOf.get(statement.node);
  if (!own || pair.mapping.partnerOf(own) || statement.isDeclaration || isLog(statement)) {
    return false;
  }
  const { effect } = statement;
  return !((effect === "none" || effect === "clock") && isDefinition(pair, statement.node));
}

/** Whether it gives values to names that nothing else gives one. */
function isDefinition({ now }: VersionPair, node: Syntax): boolean {
  const written = now.scopes.references.filter((one) => one.isWrite && isInside(one.node, node));
  return (
    written.length > 0 &&
    written.every(
      ({ binding }) => binding?.definitions.every((one) => isInside(one.node, node)) ?? false,
    )
  );
}

/** Variables that a part of the newer text names: what it imports and what every file has do not count. */
function namesIn({ now }: VersionPair, part: Syntax): ReadonlySet<string> {
  const inside = now.scopes.references.filter(({ node, binding }) => {
    const isOwn = binding !== null && binding.kind !== "import";
    return isOwn && isInside(node, part);
  });
  return new Set(inside.map(({ name }) => name));
}

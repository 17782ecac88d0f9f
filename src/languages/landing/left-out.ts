/**
 * @file What was added together with a statement and does not come with it: `model.eval()` before,
 * `model.train()` after. Without it the statement may log another value than its author meant.
 */
import type { Place, TreeNode } from "../../tree/index.ts";
import type { Syntax } from "./grammar.ts";
import { quote } from "./judge.ts";
import type { VersionPair } from "./pair.ts";
import type { Settled } from "./settle.ts";
import type { Unit } from "./unit.ts";
import { unitAround } from "./unit.ts";

/** They do nothing where they stand. */
const DECLARES = /import|function_?def|functiondecl|class_?d|decorated|comment|^TS/i;

/**
 * Statements that the old version does not have, that do more than log, and that stay behind: those
 * directly beside the statement, and those directly beside a block around it that name something in
 * that block. Where nothing else than additions is new, also those in its function that name something
 * that it names: else they may well be the work of other days, as loops and conditions may.
 */
export function leftOutOf(pair: VersionPair, settled: Settled): string[] {
  const { source } = pair.now;
  const carried = new Set(carriedBy(settled));
  const shares = (node: Syntax, other: Syntax): boolean => {
    const names = namesIn(pair, other);
    return [...namesIn(pair, node)].some((name) => names.has(name));
  };
  const isOnlyAdded = hasOnlyAdditions(pair);
  const found: Syntax[] = [];
  for (let unit: Unit | undefined = settled.unit; unit; unit = aroundOf(pair, unit)) {
    const list = source.grammar.reading.statementsOf(unit.owner) ?? [];
    const { node: own } = unit;
    const { place } = settled.target;
    const beside = new Set(neighbours(pair, unit, own === settled.unit.node ? place : null));
    const isMeant = (node: Syntax): boolean => {
      if (isOnlyAdded && shares(node, settled.unit.node)) return true;
      if (!isOnlyAdded && holdsBlock(pair, node)) return false;
      if (!beside.has(node) || own === settled.unit.node) return beside.has(node);
      return shares(node, own) && !isDefinition(pair, node);
    };
    found.push(...list.filter((node) => node !== own && isAdded(pair, node) && isMeant(node)));
  }
  return found
    .filter((node) => !carried.has(node))
    .toSorted((a, b) => a.start - b.start)
    .map((node) => `${quote(source.text, node)} at line ${source.lines.at(node.start).line}`);
}

/** A loop or a condition that another version does not have is a part of the program. */
function holdsBlock({ now }: VersionPair, node: Syntax): boolean {
  const visit = (tree: TreeNode): boolean => tree.role === "block" || tree.children.some(visit);
  const own = now.tree.nodeOf.get(node);
  return own !== undefined && visit(own);
}

/** The statement around a statement, in the same function. */
function aroundOf({ now }: VersionPair, { node, owner }: Unit): Unit | undefined {
  if (now.tree.nodeOf.get(owner)?.parent?.role === "function") return undefined;
  const around = unitAround(now.source, owner);
  return around?.node === node ? undefined : around;
}

/** Whether all of the old version is in the newer one as it was. */
function hasOnlyAdditions({ then, mapping }: VersionPair): boolean {
  return then.tree.nodes.every((node) => {
    const partner = mapping.sourceOf(node);
    return partner?.type === node.type && partner.label === node.label;
  });
}

function carriedBy({ definitions }: Settled): Syntax[] {
  return definitions.flatMap((one) => [one.unit.node, ...carriedBy(one)]);
}

/**
 * From a statement on in both directions, as long as nothing stands there that the old version has. Where
 * that has something else instead, it was not added but replaced.
 */
function neighbours(pair: VersionPair, { node, owner }: Unit, place: Place | null): Syntax[] {
  const list = pair.now.source.grammar.reading.statementsOf(owner) ?? [];
  const at = list.indexOf(node);
  const block = pair.now.tree.nodeOf.get(owner);
  const isOld = (one: Syntax): boolean => {
    const own = pair.now.tree.nodeOf.get(one);
    return own !== undefined && pair.mapping.partnerOf(own) !== undefined && !isLog(pair, one);
  };
  const isReplaced = (old: readonly TreeNode[]): boolean => {
    const next = old.find((one) => {
      const source = pair.mapping.sourceOf(one);
      const syntax = source && pair.now.tree.syntaxOf.get(source);
      return !syntax || !isLog(pair, syntax);
    });
    // What stood there may be in a function now, which is called instead.
    return next !== undefined && pair.mapping.sourceOf(next)?.parent !== block;
  };
  const until = (nodes: readonly Syntax[], old: readonly TreeNode[]): readonly Syntax[] => {
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

function isLog({ now }: VersionPair, node: Syntax): boolean {
  const { isLog: logs, isLogOnly } = now.source.grammar.statements;
  return logs(now.source, node) || isLogOnly(node);
}

/** Whether it is not in the old version, and executing it does anything. */
function isAdded(pair: VersionPair, node: Syntax): boolean {
  const own = pair.now.tree.nodeOf.get(node);
  if (!own || pair.mapping.partnerOf(own) || DECLARES.test(own.type) || isLog(pair, node)) {
    return false;
  }
  const effect = pair.now.source.grammar.effects.effectOf(node);
  return !((effect === "none" || effect === "clock") && isDefinition(pair, node));
}

/** Whether it gives values to names that nothing else gives one. */
function isDefinition({ now }: VersionPair, node: Syntax): boolean {
  const isInside = ({ start, end }: Syntax): boolean => node.start <= start && end <= node.end;
  const written = now.scopes.references.filter((one) => one.isWrite && isInside(one.node));
  return (
    written.length > 0 &&
    written.every(({ binding }) => binding?.definitions.every((one) => isInside(one.node)) ?? false)
  );
}

/** Variables that a part of the newer text names: what it imports and what every file has do not count. */
function namesIn({ now }: VersionPair, { start, end }: Syntax): ReadonlySet<string> {
  const inside = now.scopes.references.filter(({ node, binding }) => {
    const isOwn = binding !== null && binding.kind !== "import";
    return isOwn && start <= node.start && node.end <= end;
  });
  return new Set(inside.map(({ name }) => name));
}

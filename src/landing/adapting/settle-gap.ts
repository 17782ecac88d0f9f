/**
 * @file Which of several gaps that are as good by what stands around them. Between them lie statements that
 * only the older version has: before the last of them that writes what is logged, the value would be stale;
 * behind one that may leave the block, it would be logged less often.
 */
import type { TreeNode } from "../../tree/index.ts";
import { isInside, lastGap } from "../../tree/index.ts";
import type { Binding, Syntax } from "../../languages/index.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { AdaptedStatement, NameWhereItGoes } from "./adapt-statement.ts";

/** The gap in which a statement logs what it logs in the newer version, as often as there. */
export function settledGap(
  pair: VersionPair,
  adapted: AdaptedStatement,
  names: readonly NameWhereItGoes[],
): number {
  return gapAfterLastWrite(pair, adapted, names) ?? gapBeforeLeaving(pair, adapted);
}

/**
 * Before the first that may leave the block, if nothing that only the newer version has does so. In a
 * function that is called otherwise (a callback that got errors, say) it may be what is awaited now.
 */
function gapBeforeLeaving(pair: VersionPair, { statement, target }: AdaptedStatement): number {
  const { block, index, equal } = target.place;
  const own = pair.blockOf(statement);
  if (!own || pair.mapping.partnerOf(own) !== block || headOf(own) !== headOf(block)) return index;
  const mayLeave = (side: Side, node: TreeNode): boolean =>
    statementFor(side, node)?.leaves ?? false;
  const leaving = block.children.slice(equal.first, index).findIndex((node) => {
    return !pair.mapping.sourceOf(node) && mayLeave(pair.then, node);
  });
  const isLeftBefore = own.children.some((node) => {
    const isAdded = node.end <= statement.node.start && !pair.mapping.partnerOf(node);
    return isAdded && mayLeave(pair.now, node);
  });
  return leaving === -1 || isLeftBefore ? index : equal.first + leaving;
}

/** What stands around a block: the name and the parameters of a function, a condition. */
function headOf({ parent }: TreeNode): string {
  const parts = parent?.children.filter(({ role }) => role !== "block") ?? [];
  return [parent?.type ?? "", ...parts.map(({ hash }) => hash)].join();
}

/** Behind the last write; undefined: nothing between the place and the next witness writes it. */
function gapAfterLastWrite(
  pair: VersionPair,
  { statement, target }: AdaptedStatement,
  names: readonly NameWhereItGoes[],
): number | undefined {
  const { block, index, equal } = target.place;
  const values = readValues(pair, statement.node, names);
  const free = block.children.slice(index, Math.min(equal.last, lastGap(block)));
  // What stands behind the statement in the newer version stays behind it.
  const behind = free.findIndex((node) => {
    const source = pair.mapping.sourceOf(node);
    return source !== undefined && source.start > statement.node.start;
  });
  const crossed = behind === -1 ? free : free.slice(0, behind);
  const last = crossed.findLastIndex((node) => writes(pair.then, node, values.then));
  if (last === -1 || isWrittenBehind(pair, statement.node, values.now)) return undefined;
  return index + last + 1;
}

/** What is read of a version: variables, and properties from a name on. */
interface Values {
  readonly bindings: ReadonlySet<Binding>;
  readonly paths: readonly string[];
}

function readValues(
  { now }: VersionPair,
  statement: Syntax,
  names: readonly NameWhereItGoes[],
): { readonly now: Values; readonly then: Values } {
  const own = now.source.uses.members.filter(({ node }) => isInside(node, statement));
  const paths = [...new Set(own.flatMap(({ path }) => path ?? []))];
  const values = names.filter(({ free: { binding } }) => {
    return binding !== null && !/^(?:import|function|class|type)$/.test(binding.kind);
  });
  const called = new Map(values.map(({ free, written }) => [free.name, written]));
  const renamed = paths.map((path) => {
    const [root = "", ...rest] = path.split(".");
    return [called.get(root) ?? root, ...rest].join(".");
  });
  const there = values.flatMap(({ found }) => (found.kind === "visible" ? [found.binding] : []));
  return {
    now: { bindings: bindingsOf(values.map(({ free }) => free.binding)), paths },
    then: { bindings: bindingsOf(there), paths: renamed },
  };
}

function bindingsOf(found: readonly (Binding | null)[]): Set<Binding> {
  return new Set(found.filter((binding) => binding !== null));
}

/** Whether a statement gives one of some values another one; what its functions do is not executed. */
function writes(side: Side, node: TreeNode, { bindings, paths }: Values): boolean {
  const { source, scopes, tree } = side;
  if (statementFor(side, node)?.isLogOnly ?? true) return false;
  const isRead = (path: string): boolean => {
    return paths.some((own) => own === path || own.startsWith(`${path}.`));
  };
  const isExecuted = (inner: Syntax): boolean => {
    if (!isInside(inner, node)) return false;
    for (let at = tree.nodeOf.get(inner) ?? null; at && at !== node; at = at.parent) {
      if (at.role === "function" || at.role === "class") return false;
    }
    return node.role !== "function" && node.role !== "class";
  };
  const isAssigned = source.uses.writes.some(({ target, path }) => {
    return path?.includes(".") === true && isRead(path) && isExecuted(target);
  });
  if (isAssigned) return true;
  return scopes.references.some((one) => {
    if (!one.binding || !bindings.has(one.binding) || !isExecuted(one.node)) return false;
    return one.isWrite || (source.mutations.mutated.has(one.node) && !isPart(source, one.node));
  });
}

/** Only a part of an object is changed: by an assignment with a path, or by a method of the part. */
function isPart({ uses }: Side["source"], name: Syntax): boolean {
  const isSet = uses.writes.some(({ target, path }) => {
    return path?.includes(".") === true && isInside(name, target);
  });
  if (isSet) return true;
  const callees = uses.calls.filter(({ callee }) => callee.start === name.start);
  return uses.members.some(({ node, path = "" }) => {
    return path.split(".").length > 2 && callees.some(({ callee }) => callee === node);
  });
}

/**
 * Whether the newer version writes a value behind the statement, by one that the older does not have: what
 * that has instead may be its counterpart.
 */
function isWrittenBehind(pair: VersionPair, statement: Syntax, values: Values): boolean {
  const described = pair.now.source.describe(statement);
  const siblings = pair.blockOf(described)?.children ?? [];
  const behind = siblings.filter(({ start }) => start >= statement.end);
  const next = behind.findIndex((node) => pair.mapping.partnerOf(node));
  const until = next === -1 ? behind : behind.slice(0, next);
  return until.some((node) => writes(pair.now, node, values));
}

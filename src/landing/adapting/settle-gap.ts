/**
 * @file Which of several gaps that are as good by what stands around them. Between them lie statements that
 * only the older version has: before the last of them that writes what is logged, the value would be stale;
 * behind one that may leave the block, it would be logged less often.
 */
import type { TreeNode } from "../../tree/index.ts";
import { isInside, lastGap } from "../../tree/index.ts";
import type { Statement, Syntax } from "../../languages/index.ts";
import { isAttribute } from "../pairing/receiver-names.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { Values } from "../pairing/written-values.ts";
import {
  changesPart,
  isVariable,
  pathsIn,
  valuesOf,
  wholesIn,
  writes,
} from "../pairing/written-values.ts";
import type { AdaptedStatement, NameWhereItGoes } from "./adapt-statement.ts";

/** The gap in which a statement logs what it logs in the newer version, as often as there. */
export function settledGap(
  pair: VersionPair,
  adapted: AdaptedStatement,
  names: readonly NameWhereItGoes[],
): number {
  return (
    gapAfterLastWrite(pair, adapted, names) ??
    gapAtEntry(pair, adapted, names) ??
    gapBeforeLeaving(pair, adapted)
  );
}

/**
 * The first gap of the block, for a log statement that is the first of its own: it says that the block is entered.
 * What only the older version begins with is of another kind: it neither logs, nor has part in what is logged
 * or logs it. Undefined: it is not so.
 */
function gapAtEntry(
  pair: VersionPair,
  { statement, target }: AdaptedStatement,
  names: readonly NameWhereItGoes[],
): number | undefined {
  const { block, index, equal } = target.place;
  const own = pair.blockOf(statement);
  if (!own || pair.mapping.partnerOf(own) !== block || !statement.isLogOnly) return undefined;
  const isFirst = !own.children.some(({ start }) => start < statement.node.start);
  if (!isFirst || index === 0 || equal.first > 0) return undefined;
  const values = readValues(pair, statement.node, names).then;
  const roots = valuesOf([...values.bindings], values.paths.flatMap(prefixesOf));
  const logger = names.find(({ use }) => use.node.start === statement.node.start)?.written;
  const isOfOtherKind = (node: TreeNode): boolean => {
    const described = statementFor(pair.then, node);
    if (!described || described.isLogOnly || described.isDeclaration || described.leaves)
      return false;
    const isText = /^\w{0,2}["']/.test(pair.then.source.text.slice(node.start, node.start + 3));
    const isOfLogger = pair.then.scopes.references.some((one) => {
      return one.name === logger && isInside(one.node, node);
    });
    return !isText && !isOfLogger && !changesPart(pair.then, node, roots);
  };
  const crossed = block.children.slice(0, index);
  const isOnlyThere = crossed.every((node) => !pair.mapping.sourceOf(node));
  return isOnlyThere && crossed.every(isOfOtherKind) ? 0 : undefined;
}

/** `a`, `a.b` of `a.b.c`. */
function prefixesOf(path: string): string[] {
  const parts = path.split(".");
  return parts.map((_, at) => parts.slice(0, at + 1).join("."));
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
  const values = wholeValues(pair, statement.node, names);
  const free = block.children.slice(index, Math.min(equal.last, lastGap(block)));
  // What stands behind the statement in the newer version stays behind it.
  const behind = free.findIndex((node) => {
    const source = pair.mapping.sourceOf(node);
    return source !== undefined && source.start > statement.node.start;
  });
  const crossed = behind === -1 ? free : free.slice(0, behind);
  const last = crossed.findLastIndex((node) => writes(pair.then, node, values.then));
  if (last === -1 || isWrittenBehind(pair, statement, values.now)) return undefined;
  return index + last + 1;
}

/** What a statement reads, in the words of both versions. */
export function readValues(
  { now }: VersionPair,
  statement: Syntax,
  names: readonly NameWhereItGoes[],
): { readonly now: Values; readonly then: Values } {
  const paths = pathsIn(now, statement);
  const values = names.filter(({ free }) => isAttribute(free) || isVariable(free.binding));
  const called = new Map(values.map(({ free, written }) => [free.name, written]));
  const renamed = paths.map((path) => {
    const known = prefixesOf(path).find((prefix) => called.has(prefix));
    return known === undefined ? path : `${called.get(known)}${path.slice(known.length)}`;
  });
  const there = values.flatMap(({ found }) => (found.kind === "visible" ? [found.binding] : []));
  return {
    now: valuesOf(
      values.map(({ free }) => (isAttribute(free) ? null : free.binding)),
      paths,
    ),
    then: valuesOf(there, renamed),
  };
}

/** The same, with all of objects whose methods it calls, or that it hands over. */
export function wholeValues(
  pair: VersionPair,
  statement: Syntax,
  names: readonly NameWhereItGoes[],
): { readonly now: Values; readonly then: Values } {
  const { now, then } = readValues(pair, statement, names);
  const wholes = wholesIn(pair.now, statement);
  const called = new Map(names.map(({ free, written }) => [free.name, written]));
  const renamed = wholes.map((name) => called.get(name) ?? name);
  return { now: { ...now, wholes }, then: { ...then, wholes: renamed } };
}

/**
 * Whether the newer version writes a value behind the statement, by one that the older does not have: what
 * that has instead may be its counterpart.
 */
function isWrittenBehind(pair: VersionPair, statement: Statement, values: Values): boolean {
  const siblings = pair.blockOf(statement)?.children ?? [];
  const behind = siblings.filter(({ start }) => start >= statement.node.end);
  const next = behind.findIndex((node) => pair.mapping.partnerOf(node));
  const until = next === -1 ? behind : behind.slice(0, next);
  return until.some((node) => writes(pair.now, node, values));
}

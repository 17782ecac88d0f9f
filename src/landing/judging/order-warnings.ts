/**
 * @file Whether what changes the values of a statement is executed before it in both versions, or after
 * it in both. Where it is not, the statement would log what the values were at another time.
 */
import type { Landing } from "../../format/index.ts";
import type { Span, TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Binding, Language, Statement } from "../../languages/index.ts";
import type { Meaning } from "./meaning-warnings.ts";
import type { FreeName } from "../pairing/paired-names.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { offsetOf, statementFor } from "../pairing/version-pair.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { givesValue } from "../adapting/definitions.ts";
import { readValues, wholeValues } from "../adapting/settle-gap.ts";
import { isForEffect } from "./for-effect.ts";
import { besideCondition } from "./how-often.ts";
import { handedElsewhere, inOtherClass, setByCallee } from "./other-callees.ts";
import type { GapNeighbours } from "./gap-context.ts";
import { givenOtherwise } from "./what-gives.ts";
import { clearsUnseen, writerOrder } from "./writer-order.ts";
import { shownValues } from "../pairing/shown-values.ts";
import { wholesIn, writes } from "../pairing/written-values.ts";

type Warning = Landing["warnings"][number];

/** The names of a statement, and what they mean in the old version. */
interface StatementNames {
  readonly free: readonly FreeName[];
  readonly paired: readonly Meaning[];
}

export function orderWarnings(
  pair: VersionPair,
  adapted: AdaptedStatement,
  asked: StatementNames,
): Warning[] {
  const values = asked.free.filter((name) => isValue(pair.language, name));
  return [
    ...crossedStatements(pair, adapted, values),
    ...joinedStatements(pair, adapted, asked.paired),
    ...calledOnlyThere(pair, adapted),
    ...calledOnlyHere(pair, adapted, values),
    ...partedFromNeighbour(pair, adapted),
    ...changedInOneVersion(pair, adapted),
    ...writerOrder(pair, adapted),
    ...givenOtherwise(pair, adapted),
    ...besideCondition(pair, adapted),
    ...setByCallee(pair, adapted),
    ...handedElsewhere(pair, adapted),
    ...inOtherClass(pair, adapted),
  ];
}

/** Of what is said of one line only the first: one doubt about it is enough to look at it. */
export function oncePerLine(warnings: readonly Warning[]): Warning[] {
  const lines = new Set<string>();
  return warnings.filter(({ code, text }) => {
    const [line] = code === "order_changed" ? (/\bline \d+/.exec(text) ?? []) : [];
    if (line === undefined) return true;
    return !lines.has(line) && lines.add(line);
  });
}

/** Statements that may change what is logged, and stood on the other side of it. */
function crossedStatements(
  pair: VersionPair,
  adapted: AdaptedStatement,
  values: readonly FreeName[],
): Warning[] {
  const { statement, target } = adapted;
  const { block, index } = target.place;
  const siblings = pair.blockOf(statement)?.children ?? [];
  return siblings.flatMap((sibling) => {
    const partner = pair.mapping.partnerOf(sibling);
    const changing = pair.statementOf(sibling);
    if (!changing || !partner || functionOf(partner) !== functionOf(block)) return [];
    const isBefore = sibling.start < statement.node.start;
    const wasBefore = partner.start < offsetOf({ block, index });
    if (isBefore === wasBefore || !mayChange(pair.now, changing, values)) return [];
    if (clearsUnseen(pair, adapted, sibling)) return [];
    const line = pair.then.source.lines.at(partner.start).line;
    const text = `line ${line} may change what is logged, and is executed ${isBefore ? "before" : "after"} it in the newer version`;
    return [{ code: "order_changed", text }];
  });
}

/** The function that a node stands in; null: the file. */
function functionOf({ parent }: TreeNode): TreeNode | null {
  let at = parent;
  while (at && at.role !== "function") at = at.parent;
  return at;
}

/**
 * `p = f(p)` before it and `p = g(p)` behind it, where the older version has `p = g(f(p))`: nothing there
 * is what it logs.
 */
function joinedStatements(
  pair: VersionPair,
  { statement, target }: AdaptedStatement,
  paired: readonly Meaning[],
): Warning[] {
  const { block, index } = target.place;
  const lone = (pair.blockOf(statement)?.children ?? []).filter((node) => {
    return !pair.mapping.partnerOf(node) && node.start !== statement.node.start;
  });
  const joined = paired.flatMap(({ now, then }) => {
    const setters = lone.filter((node) => usesIn(pair.now, node, now).some(isSet));
    return setters.flatMap((own) => {
      const called = new Set(calledIn(pair.now, own));
      const isBefore = own.start < statement.node.start;
      const others = isBefore ? block.children.slice(index) : block.children.slice(0, index);
      return others.filter((node) => {
        const isSame = calledIn(pair.then, node).some((name) => called.has(name));
        return isSame && usesIn(pair.then, node, then).some(isSet);
      });
    });
  });
  return joined.slice(0, 1).map(({ start }) => {
    const { line } = pair.then.source.lines.at(start);
    const text = `line ${line} does at once what the newer version does before and behind it`;
    return { code: "order_changed", text };
  });
}

function calledIn({ source }: Side, node: Span): string[] {
  const calls = source.uses.calls.filter((call) => isInside(call.node, node));
  return calls.map(({ callee }) => source.text.slice(callee.start, callee.end));
}

/**
 * Between gaps that are as good the older version calls something that may change what is shown, and
 * the newer one has nothing there that it lacks: on which side of the call it was logged nothing says.
 * Behind what makes the value only a call that is given it may change it. Of a log call alone the
 * entry of a block says what is meant.
 */
function calledOnlyThere(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { statement, target, question } = adapted;
  const { block, index, equal } = target.place;
  const isLog = statement.isLogOnly || statement.isLog;
  if (question ? !givesValue(statement) : !isLog || isAtEntry(pair, adapted)) return [];
  if (hasNewBeside(pair, adapted)) return [];
  const names = namesWhereItGoes(pair, adapted);
  const giver = block.children[index - 1];
  const values = readValues(pair, statement.node, names).then;
  const isMade = giver && [...values.bindings].some((one) => isMadeBy(pair.then, giver, one));
  const shown = shownValues(pair.now, statement.node);
  const there = new Set(
    names.flatMap(({ free, written }) => (shown.names.has(free.name) ? [written] : [])),
  );
  const [logger] = isLog ? calledIn(pair.now, statement.node) : [];
  const changing = block.children.slice(equal.first, equal.last).find((node) => {
    const called = statementFor(pair.then, node);
    if (!called || pair.mapping.sourceOf(node) || called.isLogOnly) return false;
    // It logs too, whatever becomes of the result: `const f1 = log(…)`.
    if (logger !== undefined && calledIn(pair.then, node)[0] === logger) return false;
    if (!isForEffect(pair.then, called)) return false;
    if (!isMade && shown.kind === "state") return true;
    // Of what a log call alone stands behind, a call whose result is kept is taken for a reader.
    if (isMade && !question && called.defines) return false;
    return wholesIn(pair.then, called.node).some((one) => there.has(one));
  });
  if (!changing) return [];
  const { line } = pair.then.source.lines.at(changing.start);
  const text = `line ${line}, which only that version has, may change what is logged`;
  return [{ code: "order_changed", text }];
}

/**
 * Directly before a part of a question the newer version calls something that may change what it reads, and the
 * older one does not: what did so there, if anything, nobody knows.
 */
function calledOnlyHere(
  pair: VersionPair,
  { statement, question }: AdaptedStatement,
  values: readonly FreeName[],
): Warning[] {
  if (!question) return [];
  const isAsked = (node: TreeNode): boolean =>
    question.some((one) => one.node.start === node.start);
  const before = (pair.blockOf(statement)?.children ?? []).filter(({ end }) => {
    return end <= statement.node.start;
  });
  const last = before.findLast((node) => !isAsked(node));
  const called = last && pair.statementOf(last);
  if (!called || pair.mapping.partnerOf(last) || called.isLogOnly) return [];
  if (!isForEffect(pair.now, called) || !mayChange(pair.now, called, values)) return [];
  const { line } = pair.now.source.lines.at(last.start);
  const text = `your line ${line} may change what it reads, and that version does not have it`;
  return [{ code: "order_changed", text }];
}

/** What a part of a question directly follows stands further up in the older version, and what lies between does something. */
function partedFromNeighbour(
  pair: VersionPair,
  { statement, target, question }: AdaptedStatement,
): Warning[] {
  const { block, index } = target.place;
  if (!question || shownValues(pair.now, statement.node).kind !== "state") return [];
  const before = (pair.blockOf(statement)?.children ?? []).filter(({ end }) => {
    return end <= statement.node.start;
  });
  const last = before.findLast((node) => !question.some((one) => one.node.start === node.start));
  const partner = last && pair.mapping.partnerOf(last);
  if (partner?.parent !== block || partner.index >= index) return [];
  const between = block.children.slice(partner.index + 1, index).find((node) => {
    const described = statementFor(pair.then, node);
    return described && !described.isLogOnly && isForEffect(pair.then, described);
  });
  if (!between) return [];
  const { line } = pair.then.source.lines.at(between.start);
  const text = `line ${line} may change what it reads, and stands between it and what it follows in the newer version`;
  return [{ code: "order_changed", text }];
}

/** Whether a statement gives a name a value, and not only a part of what it holds. */
function isMadeBy(side: Side, statement: TreeNode, binding: Binding): boolean {
  return usesIn(side, statement, binding).some(isSet);
}

/** Whether a statement is the first of its block in both versions. */
function isAtEntry(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const [first] = pair.blockOf(statement)?.children ?? [];
  return target.place.index === 0 && !(first && first.start < statement.node.start);
}

/** Whether a neighbour of the statement has no counterpart in the block that it goes to. */
function hasNewBeside(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const siblings = pair.blockOf(statement)?.children ?? [];
  const index = siblings.filter(({ start }) => start < statement.node.start).length;
  return [siblings[index - 1], siblings[index]].some((node) => {
    return node !== undefined && pair.mapping.partnerOf(node)?.parent !== target.place.block;
  });
}

/** How many statements beside a gap may be what it lies on the other side of. */
const NEAR = 2;

/**
 * On the side on which a part of a question knows no neighbour, something close by changes what it reads: on
 * which side of that it belongs nothing says.
 */
export function writtenBeside(
  pair: VersionPair,
  adapted: AdaptedStatement,
  { before, after }: GapNeighbours,
): Warning[] {
  const { block, index } = adapted.target.place;
  const values = wholeValues(pair, adapted.statement.node, namesWhereItGoes(pair, adapted));
  const near = [
    ...(before === "other" ? block.children.slice(Math.max(0, index - NEAR), index) : []),
    ...(after === "other" ? block.children.slice(index, index + NEAR) : []),
  ];
  const written = near.filter((node) => writes(pair.then, node, values.then));
  return written.slice(0, 1).map(({ start }) => {
    const { line } = pair.then.source.lines.at(start);
    const text = `line ${line} changes what it reads: on which side of it it belongs is not certain`;
    return { code: "order_changed", text };
  });
}

/**
 * `normalise(y)` before it in one version and `z = normalise(y)` in the other: the first is there to change what it
 * is given, the second gives something else.
 */
function changedInOneVersion(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { statement, target } = adapted;
  const { block, index } = target.place;
  const names = namesWhereItGoes(pair, adapted);
  const here = new Set(names.map(({ free }) => free.name));
  const there = new Set(names.map(({ written }) => written));
  const changed = block.children.slice(0, index).find((node) => {
    const source = pair.mapping.sourceOf(node);
    if (!source || source.parent !== pair.blockOf(statement)) return false;
    const [old, own] = [statementFor(pair.then, node), pair.statementOf(source)];
    if (!old || !own || old.isLogOnly || own.isLogOnly) return false;
    const [wasAlone, isAlone] = [isCallAlone(pair.then, old), isCallAlone(pair.now, own)];
    if (wasAlone === isAlone) return false;
    return wasAlone ? isGiven(pair.then, old, there) : isGiven(pair.now, own, here);
  });
  if (!changed) return [];
  const { line } = pair.then.source.lines.at(changed.start);
  const text = `line ${line} may change what is logged in one of the two versions only`;
  return [{ code: "order_changed", text }];
}

/** Whether a statement is a call of which nobody takes the result. */
function isCallAlone({ source }: Side, { node }: Statement): boolean {
  return source.uses.calls.some((call) => call.node.start === node.start);
}

/** Whether a statement gives one of some names to what it calls. */
function isGiven(side: Side, { node }: Statement, names: ReadonlySet<string>): boolean {
  return wholesIn(side, node).some((one) => names.has(one));
}

interface Use {
  readonly isRead: boolean;
  readonly isWrite: boolean;
}

function isSet({ isWrite }: Use): boolean {
  return isWrite;
}

/** Where a binding is declared or used in a statement. */
function usesIn({ scopes }: Side, statement: TreeNode, binding: Binding | null): Use[] {
  if (!binding) return [];
  const declared = binding.declarations.filter((node) => isInside(node, statement));
  const used = scopes.references.filter((one) => {
    return one.binding === binding && isInside(one.node, statement);
  });
  return [...declared.map(() => ({ isRead: false, isWrite: true })), ...used];
}

function isValue({ isKnownObject }: Language, { name, binding }: FreeName): boolean {
  if (!binding) return !isKnownObject(name);
  return !/^(?:import|function|class|type)$/.test(binding.kind);
}

/** Whether a statement assigns one of some variables, or calls something with it, or changes it from afar. */
function mayChange({ scopes }: Side, statement: Statement, values: readonly FreeName[]): boolean {
  const own = scopes.references.filter(({ node, name, binding }) => {
    if (!isInside(node, statement.node)) return false;
    return values.some((one) => one.name === name && one.binding === binding);
  });
  if (own.some(({ isWrite }) => isWrite)) return true;
  if (values.length > 0 && statement.changesOthers) return true;
  if (own.length === 0 || statement.isLog) return false;
  return /^(?:calls|changes)$/.test(statement.effect);
}

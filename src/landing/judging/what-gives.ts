/**
 * @file Whether what gives a statement its values is the same in both versions: the statements whose values may
 * reach it in the newer version and those that may reach its place in the older one, compared by their partners.
 * A value that another statement gives, or one more, may be another.
 */
import type { Landing } from "../../format/index.ts";
import type { Binding, Statement, Syntax } from "../../languages/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import type { FileEdit } from "../edits/align.ts";
import { givenInLoop, givenOnceMore, leftBefore } from "./how-often.ts";
import type { Giver, Variable } from "../pairing/givers.ts";
import type { FreeName } from "../pairing/paired-names.ts";
import { freeNames } from "../pairing/paired-names.ts";
import type { Gap, Reaching } from "../pairing/reaching.ts";
import { functionBlock, reachingAt } from "../pairing/reaching.ts";
import { isAttribute } from "../pairing/receiver-names.ts";
import { shownValues } from "../pairing/shown-values.ts";
import { isSameKind } from "../pairing/statement-shape.ts";
import type { PairRequest } from "../pairing/version-pair.ts";
import { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { resolveVisibleName } from "../pairing/visible-name.ts";
import { isVariable } from "../pairing/written-values.ts";

type Warning = Landing["warnings"][number];

/** A value that is read, in the words of both versions. */
interface ReadValue {
  readonly now: Variable;
  readonly then: Variable;
}

/** Of a statement that lands by itself, or in a part of a question. */
export function givenOtherwise(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { statement, target } = adapted;
  const names = namesWhereItGoes(pair, adapted).flatMap(({ free, written, found }) => {
    return found.kind === "visible" ? [{ free, written, then: found.binding }] : [];
  });
  return warningsOf(pair, statement, names, target.place);
}

/**
 * Of statements that stand in the older version as they do in the newer one; `edit`: what the two differ in;
 * `landed`: what the older one has got by them. They are paired too, for one of them may give what another one reads.
 */
export function givenOtherwiseStanding(
  request: Pick<PairRequest, "statements" | "files" | "mode">,
  edit: FileEdit,
  landed: FileEdit,
): Warning[] {
  const there = landed.gaps.flatMap(({ added }) => added).toSorted(byStart);
  const own = request.statements.toSorted(byStart);
  if (there.length !== own.length) return [];
  const asked = own.flatMap((statement, at) => {
    const old = there[at];
    return old ? [[statement, old] as const] : [];
  });
  const pair = new VersionPair({
    ...request,
    now: edit.now,
    then: landed.now,
    statements: [],
    isSameFile: true,
    same: [...asked, ...sameInBoth(edit, landed)],
  });
  return asked.flatMap(([statement, old]) => {
    const block = pair.then.tree.nodeOf.get(old.owner);
    if (!block) return [];
    const place = { block, index: indexBefore(block, old) };
    const scoped = pair.scopedOffsetOf(place);
    const names = freeNames(pair.now.scopes, statement.node).flatMap((free) => {
      const found = resolveVisibleName(pair.then.scopes, free.name, scoped);
      return found.kind === "visible" ? [{ free, written: free.name, then: found.binding }] : [];
    });
    return warningsOf(pair, statement, names, place);
  });
}

function byStart(one: Statement, other: Statement): number {
  return one.node.start - other.node.start;
}

/** Statements that are one and the same of the version from which both texts come. */
function sameInBoth(edit: FileEdit, landed: FileEdit): [Statement, Statement][] {
  const old = new Map(
    landed.now.statements.map((one) => [landed.startBefore(one.node.start), one] as const),
  );
  return edit.now.statements.flatMap((one): [Statement, Statement][] => {
    const start = edit.startBefore(one.node.start);
    const other = start === undefined ? undefined : old.get(start);
    return other ? [[one, other]] : [];
  });
}

function indexBefore(block: TreeNode, { node }: Statement): number {
  return block.children.filter(({ start }) => start < node.start).length;
}

/** A name of a statement, and what it is in the older version. */
interface NameThere {
  readonly free: FreeName;
  readonly written: string;
  readonly then: Binding | null;
}

function warningsOf(
  pair: VersionPair,
  statement: Statement,
  names: readonly NameThere[],
  then: Gap,
): Warning[] {
  const block = pair.blockOf(statement);
  if (!block) return [];
  const index = indexBefore(block, statement);
  const texts = valuesRead(pair, statement, names).flatMap((value) => {
    return otherGiver(pair, value, { now: { block, index }, then }) ?? [];
  });
  return texts.slice(0, 1).map((text) => ({ code: "order_changed", text }));
}

/** The variables and attributes that a statement shows. */
function valuesRead(
  pair: VersionPair,
  { node }: Statement,
  names: readonly NameThere[],
): ReadValue[] {
  const shown = shownValues(pair.now, node).names;
  return names.flatMap(({ free, written, then }): ReadValue[] => {
    const { name, binding, uses } = free;
    const isShown = isAttribute(free) || (isVariable(binding) && shown.has(name));
    if (!isShown || !then) return [];
    const own = uses.filter((one) => one.isRead && isInside(one.node, node));
    const read = new Map(own.flatMap((one) => pathRead(pair.now, one.node, name)));
    return [...read].map(([path, isWhole]) => ({
      now: { binding, path, isWhole },
      then: { binding: then, path: written + path.slice(name.length), isWhole },
    }));
  });
}

/** The path from a name that is read, and whether any part of that may be. */
function pathRead({ source }: Side, name: Syntax, word: string): [string, boolean][] {
  const { members, calls } = source.uses;
  const paths = members.filter(({ node }) => node.start === name.start && node.end > name.end);
  const [longest] = paths
    .filter(({ path }) => path?.startsWith(`${word}.`))
    .toSorted((one, other) => other.node.end - one.node.end);
  if (!longest?.path) return [[word, source.mutations.passed.has(name)]];
  if (source.uses.writes.some(({ target }) => target === longest.node)) return [];
  const isCalled = calls.some(({ callee }) => callee === longest.node);
  if (!isCalled) return [[longest.path, source.mutations.passed.has(longest.node)]];
  return [[longest.path.slice(0, longest.path.lastIndexOf(".")), true]];
}

/** What a person should know of what gives a value in one version only. */
function otherGiver(
  pair: VersionPair,
  value: ReadValue,
  places: { readonly now: Gap; readonly then: Gap },
): string | undefined {
  const ours = sideOf(pair.now, value.now, places.now);
  const theirs = sideOf(pair.then, value.then, places.then);
  if (!ours || !theirs) return undefined;
  const partners = partnersOf(pair, ours.all, theirs.all);
  if (ours.isFromAround && theirs.isFromAround) partners.set(null, null);
  const both = { ours, theirs, partners };
  const other =
    passedElsewhere(both) ??
    takenPlace(both) ??
    addedOnlyThere(both) ??
    addedOnlyHere(both) ??
    changedInPlaceOf(pair, both);
  if (other !== undefined) return other;
  const now = lastIn(ours);
  const then = now && partners.get(now);
  if (!then || !theirs.givers.has(then)) return undefined;
  const givers = { now, then };
  return (
    leftBefore(pair, givers, places) ??
    givenInLoop(pair, givers, places) ??
    givenOnceMore(pair, givers)
  );
}

/** A version, a value of it, and what may give it. */
interface Given extends Reaching {
  readonly path: string;
  /** The block of the function, or of the file. */
  readonly around: TreeNode;
  /** The value from around a function is one that a giver here may take the place of. */
  readonly isFromAround: boolean;
  lineOf(this: void, giver: Giver): number;
  /** Whether a statement names it. */
  mentions(this: void, statement: TreeNode): boolean;
}

interface Both {
  readonly ours: Given;
  readonly theirs: Given;
  /** Of the newer version's givers, those of the older one. */
  readonly partners: ReadonlyMap<Giver | null, Giver | null>;
}

function sideOf(side: Side, variable: Variable, gap: Gap): Given | undefined {
  const reaching = reachingAt(side, variable, gap);
  if (!reaching) return undefined;
  const { binding, path } = variable;
  const around = functionBlock(gap.block);
  const isFromAround =
    binding?.kind === "parameter" ||
    binding?.declarations.every((one) => !isInside(one, around)) !== false;
  const lineOf = ({ at }: Giver): number => side.source.lines.at(at.start).line;
  const { scopes, source } = side;
  const names = binding
    ? scopes.references.filter((one) => one.binding === binding).map(({ node }) => node)
    : source.uses.members.filter((one) => one.path === path).map(({ node }) => node);
  const mentions = (node: TreeNode): boolean => names.some((one) => isInside(one, node));
  return { ...reaching, path, around, isFromAround, lineOf, mentions };
}

/** What gives it in both versions is executed before the place in one of them, and behind it in the other one. */
function passedElsewhere({ ours, theirs, partners }: Both): string | undefined {
  for (const [own, isLeft] of ours.givers) {
    const old = partners.get(own);
    const wasLeft = old && theirs.givers.get(old);
    if (!old || wasLeft === undefined || wasLeft === isLeft) continue;
    const [here, there] = isLeft ? ["behind", "before"] : ["before", "behind"];
    return `line ${theirs.lineOf(old)} gives ${theirs.path} its value ${there} it, and ${here} it in the newer version`;
  }
  return undefined;
}

/** What gives it in both versions reaches the place in one of them only: another one takes its place. */
function takenPlace({ ours, theirs, partners }: Both): string | undefined {
  for (const [own, old] of partners) {
    if (!own?.isSure || !old?.isSure || ours.givers.has(own) === theirs.givers.has(old)) continue;
    // When a function that is handed over is executed nobody knows.
    if (isInInner(own, ours) || isInInner(old, theirs)) continue;
    const [here, there] = [ours.givers.has(own) ? own : lastIn(ours), lastIn(theirs)];
    const given = theirs.givers.has(old) ? old : there;
    if (!here || !given) continue;
    return `line ${theirs.lineOf(given)} gives ${theirs.path} its value there, and your line ${ours.lineOf(here)} does here`;
  }
  return undefined;
}

function isInInner({ at }: Giver, { around }: Given): boolean {
  return functionBlock(at) !== around;
}

/** What gives it last before the place. */
function lastIn({ givers }: Given): Giver | undefined {
  const direct = [...givers].flatMap(([one, isLeft]) => (one && !isLeft ? [one] : []));
  return direct.toSorted((one, other) => one.at.id - other.at.id).at(-1);
}

/** What only the older version has takes the place of a value that both have, or adds to it. */
function addedOnlyThere({ ours, theirs, partners }: Both): string | undefined {
  const known = new Map([...partners].map(([own, old]) => [old, own]));
  const lone = loneIn(theirs, known);
  const added = lone.filter((old) => isOnWay(old, theirs, known));
  const own = loneIn(ours, partners);
  const last = added.at(-1);
  if (!last || own.length >= added.length) return undefined;
  return `line ${theirs.lineOf(last)}, which only that version has, gives ${theirs.path} another value`;
}

/** The same, of what only the newer version has. */
function addedOnlyHere({ ours, theirs, partners }: Both): string | undefined {
  const known = new Map([...partners].map(([own, old]) => [old, own]));
  const added = loneIn(ours, partners).filter((own) => isOnWay(own, ours, partners));
  const old = loneIn(theirs, known);
  const last = added.at(-1);
  if (!last || old.length >= added.length) return undefined;
  return `your line ${ours.lineOf(last)} gives ${ours.path} another value, and that version has no such line`;
}

/**
 * A statement of both versions that changes what the value holds in one of them, and in the other one another thing:
 * `meter.update(x)` and `val_meter.update(x)`.
 */
function changedInPlaceOf(pair: VersionPair, { ours, theirs, partners }: Both): string | undefined {
  const known = new Map([...partners].map(([own, old]) => [old, own]));
  // Lines that were made a function have names of their own there.
  const isOfOther = (
    { around, mentions }: Given,
    statement: TreeNode,
    node: TreeNode | undefined,
  ): boolean =>
    node !== undefined &&
    functionBlock(node) === around &&
    isSameKind(statement, node) &&
    !mentions(node);
  const old = loneIn(theirs, known).find((one) => {
    return !one.isWhole && isOfOther(ours, one.statement, pair.mapping.sourceOf(one.statement));
  });
  if (old)
    return `line ${theirs.lineOf(old)} changes ${theirs.path} there, and something else in the newer version`;
  const own = loneIn(ours, partners).find((one) => {
    return !one.isWhole && isOfOther(theirs, one.statement, pair.mapping.partnerOf(one.statement));
  });
  return (
    own && `your line ${ours.lineOf(own)} changes ${ours.path}, and something else in that version`
  );
}

type Known = ReadonlyMap<Giver | null, Giver | null>;

/** Givers of one version that reach the place in the same iteration, and that the other version lacks. */
function loneIn({ givers }: Given, known: Known): Giver[] {
  return [...givers].flatMap(([one, isLeft]) => (one && !isLeft && !known.has(one) ? [one] : []));
}

/**
 * Whether a value that both versions give comes to a giver of one of them. What an assignment that has grown in the
 * other version leaves may hold what was a statement of its own.
 */
function isOnWay(giver: Giver, side: Given, known: Known): boolean {
  if (!giver.isSure) return false;
  return [...(side.before.get(giver) ?? [])].some(([one, isLeft]) => {
    const other = known.get(one);
    if (isLeft || other === undefined || (one && isInInner(one, side))) return false;
    const isGrown = one && other && other.statement.size > one.statement.size;
    return giver.isWhole || !isGrown;
  });
}

/** Of givers of the newer version those of the older one, though they may be written in another way. */
function partnersOf(
  { mapping }: VersionPair,
  ours: readonly Giver[],
  theirs: readonly Giver[],
): Map<Giver | null, Giver | null> {
  const partners = new Map<Giver | null, Giver | null>();
  const isSame = (one: TreeNode, other: TreeNode): boolean => mapping.partnerOf(one) === other;
  const pairBy = (isPartner: (own: Giver, old: Giver) => boolean): void => {
    for (const own of ours.filter((one) => !partners.has(one))) {
      const taken = new Set(partners.values());
      const old = theirs.find((one) => !taken.has(one) && isPartner(own, one));
      if (old) partners.set(own, old);
    }
  };
  pairBy((own, old) => isSame(own.place, old.place));
  pairBy((own, old) => isSame(own.statement, old.statement));
  return partners;
}

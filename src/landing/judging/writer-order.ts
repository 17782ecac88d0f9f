/**
 * @file Whether what changes the values of a statement is executed in the same order in both versions. Of two
 * statements that changed places the other one has the last word in the older version, though both stand
 * before the statement in both of them.
 */
import type { Landing } from "../../format/index.ts";
import type { Span, TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Binding } from "../../languages/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { wholeValues } from "../adapting/settle-gap.ts";
import { isSameKind, shapeOf } from "../pairing/statement-shape.ts";
import { shownValues } from "../pairing/shown-values.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { Values } from "../pairing/written-values.ts";
import { changesPart } from "../pairing/written-values.ts";
import { isForEffect } from "./for-effect.ts";
import { areIndependent } from "./independent.ts";

type Warning = Landing["warnings"][number];

/** Statements before it that changed places, of which one changes what it reads and the other one has to do with that. */
export function writerOrder(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { statement, target, question = [] } = adapted;
  const { block, index } = target.place;
  const values = wholeValues(pair, statement.node, namesWhereItGoes(pair, adapted));
  const isState = shownValues(pair.now, statement.node).kind === "state";
  const before = (pair.blockOf(statement)?.children ?? []).filter((node) => {
    const isAsked = question.some((one) => one.node.start === node.start);
    return node.end <= statement.node.start && !isAsked;
  });
  const there = block.children.slice(0, index);
  const shown = { isState, seesGradients: seesGradients(pair, adapted) };
  const ours = before.map((node) => roleOf(pair.now, node, values.now, shown));
  const theirs = there.map((node) => roleOf(pair.then, node, values.then, shown));
  const places = placesThere(pair, { before, there, ours, theirs });
  for (const [at, place] of places.entries()) {
    if (place === undefined) continue;
    const later = places.findIndex((other, own) => {
      if (own <= at || other === undefined || other >= place) return false;
      const roles = [theirs[place], theirs[other]];
      // What has another part in the values than its partner is hardly the same statement.
      if (roles[0] !== ours[at] || roles[1] !== ours[own]) return false;
      if (!roles.includes("changes") || roles.includes("none")) return false;
      return !mayChangePlaces(pair, [before[at], before[own]], [there[place], there[other]]);
    });
    const node = later === -1 ? undefined : there[place];
    if (!node) continue;
    const { line } = pair.then.source.lines.at(node.start);
    const text = `line ${line} may change what it reads, and is executed in another order in the newer version`;
    return [{ code: "order_changed", text }];
  }
  return [];
}

type TwoStatements = readonly [TreeNode | undefined, TreeNode | undefined];

/** Whether two statements do the same in either order, in both versions. */
function mayChangePlaces(pair: VersionPair, now: TwoStatements, then: TwoStatements): boolean {
  const isEither = (side: Side, [one, other]: TwoStatements): boolean =>
    one !== undefined && other !== undefined && areIndependent(side, one, other);
  return isEither(pair.now, now) && isEither(pair.then, then);
}

/** What a statement has to do with values: it may change them, or only mentions them. */
type Role = "changes" | "mentions" | "none";

/** What a statement shows, besides the variables that it names. */
interface Shown {
  /** What objects hold, or functions give. */
  readonly isState: boolean;
  /** Gradients, or something that may come from them. */
  readonly seesGradients: boolean;
}

function roleOf(side: Side, node: TreeNode, values: Values, shown: Shown): Role {
  const statement = statementFor(side, node);
  if (!statement || statement.isLogOnly || statement.isDeclaration) return "none";
  // A function changes something when it is called, wherever it stands.
  if (statement.parameters !== undefined) return "none";
  if (changesPart(side, node, values)) return "changes";
  const isNamed = mentions(side, node, values.bindings);
  const isKnown =
    addsOption(side, node) || (!shown.seesGradients && ZEROES.test(textOf(side, node)));
  const mayReach = isNamed || (shown.isState && !isKnown);
  if (mayReach && isForEffect(side, statement)) return "changes";
  return isNamed ? "mentions" : "none";
}

/** Whether a statement, or one before it in the blocks of both versions, may read gradients. */
function seesGradients(
  pair: VersionPair,
  { statement, target, question }: AdaptedStatement,
): boolean {
  const { block, index } = target.place;
  const before = (pair.blockOf(statement)?.children ?? []).filter((node) => {
    const isAsked = question?.some((one) => one.node.start === node.start);
    return node.end <= statement.node.start && !isAsked;
  });
  return (
    [...before, statement.node].some((node) => mayReadGradients(pair.now, node)) ||
    block.children.slice(0, index).some((node) => mayReadGradients(pair.then, node))
  );
}

/** Whether a statement of the newer version only clears gradients, and what is shown has nothing to do with them. */
export function clearsUnseen(pair: VersionPair, adapted: AdaptedStatement, node: Span): boolean {
  return ZEROES.test(textOf(pair.now, node)) && !seesGradients(pair, adapted);
}

/** `opt.zero_grad()` changes gradients, and nothing else. */
const ZEROES = /^[\w.]+\.zero_?grad\([^()]*\);?$/i;

/** Whether a statement may read gradients: it names them, or calls a function that may do so. */
function mayReadGradients(side: Side, node: Span): boolean {
  const { source, scopes } = side;
  const text = textOf(side, node);
  if (ZEROES.test(text)) return false;
  if (/grad/i.test(text)) return true;
  return source.uses.calls.some((call) => {
    const binding = isInside(call.node, node) ? scopes.referenceOf.get(call.callee)?.binding : null;
    if (binding?.kind === "import") return true;
    return binding?.declarations.some((name) => {
      const made = source.statements.find((one) => one.parameters && isInside(name, one.node));
      return made !== undefined && /grad/i.test(textOf(side, made.node));
    });
  });
}

function textOf({ source }: Side, { start, end }: Span): string {
  return source.text.slice(start, end);
}

/** Whether a statement tells a parser of one more option: in which order it knows them changes no value. */
function addsOption({ source }: Side, node: TreeNode): boolean {
  const shape = shapeOf(source, node);
  return shape !== undefined && source.language.optionOf(shape) !== undefined;
}

function mentions({ scopes }: Side, node: TreeNode, bindings: ReadonlySet<Binding>): boolean {
  return scopes.references.some((one) => {
    return one.binding !== null && bindings.has(one.binding) && isInside(one.node, node);
  });
}

interface Before {
  readonly before: readonly TreeNode[];
  readonly there: readonly TreeNode[];
  readonly ours: readonly Role[];
  readonly theirs: readonly Role[];
}

/**
 * Where each statement before it stands in the older version. What stands under a condition in one version only is
 * where that is; and of the last ones to change the values, if each version has its own, one is for the other.
 */
function placesThere(
  { mapping }: VersionPair,
  { before, there, ours, theirs }: Before,
): (number | undefined)[] {
  const placeOf = (node: TreeNode): number => {
    // A part of an expression that another statement has, too, is no sign of this one.
    const partner = node.parent?.role === "block" ? mapping.partnerOf(node) : undefined;
    if (partner) return there.findIndex((one) => isInside(partner, one));
    return node.children.map(placeOf).find((place) => theirs[place] === "changes") ?? -1;
  };
  const found = before.map((node) => placeOf(node));
  const other = there.findLastIndex((node, at) => {
    return theirs[at] === "changes" && !found.includes(at) && !mapping.sourceOf(node);
  });
  const last = before.findLastIndex((node, at) => {
    const its = there[other];
    return found[at] === -1 && ours[at] === "changes" && its && isSameKind(node, its);
  });
  return found.map((place, at) => {
    const own = at === last ? other : place;
    return own === -1 ? undefined : own;
  });
}

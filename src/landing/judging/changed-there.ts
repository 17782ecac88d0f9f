/**
 * @file What only the older version does to a value, behind what gives it in both versions and before the place
 * where it is logged: `loss = loss / 4`, `clip(g)`; and what it does to it only behind that place.
 */
import type { Landing } from "../../format/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Binding, Syntax } from "../../languages/index.ts";
import type { AdaptedStatement, NameWhereItGoes } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { wholeValues } from "../adapting/settle-gap.ts";
import { shownValues } from "../pairing/shown-values.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { Values } from "../pairing/written-values.ts";
import { isVariable, writes } from "../pairing/written-values.ts";
import { statementAround } from "../placing/statement-at.ts";

type Warning = Landing["warnings"][number];

export function changedOnlyThere(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const changing = namesShown(pair, adapted).flatMap(
    (name) => changerOf(pair, adapted, name) ?? [],
  );
  return changing.slice(0, 1).map(({ start }) => {
    const { line } = pair.then.source.lines.at(start);
    const text = `line ${line}, which only that version has, changes what it reads`;
    return { code: "order_changed", text };
  });
}

/**
 * The newer version assigns what it reads before it, by a statement that the older one lacks, and that does so only behind
 * the place: `w -= …` there may be `w.data -= …` here.
 */
export function assignedBehind(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { statement, target, question = [] } = adapted;
  const { block, index } = target.place;
  const before = (pair.blockOf(statement)?.children ?? []).filter((node) => {
    const isAsked = question.some((one) => one.node.start === node.start);
    return node.end <= statement.node.start && !isAsked && !pair.mapping.partnerOf(node);
  });
  const behind = namesShown(pair, adapted).flatMap(({ free, written, found }) => {
    if (found.kind !== "visible" || !free.binding || !found.binding) return [];
    const [now, then] = [free.binding, found.binding];
    const isOurs = (node: TreeNode): boolean => assignsPart(pair.now, node, now, free.name);
    const theirs = block.children.filter((node) => {
      const source = pair.mapping.sourceOf(node);
      return assignsPart(pair.then, node, then, written) && !(source && isOurs(source));
    });
    const isBehind = theirs.length > 0 && theirs.every((node) => node.index >= index);
    return before.some(isOurs) && isBehind ? theirs.slice(0, 1) : [];
  });
  return behind.slice(0, 1).map(({ start }) => {
    const { line } = pair.then.source.lines.at(start);
    const text = `line ${line} changes what it reads, and what does so in the newer version is executed before it`;
    return { code: "order_changed", text };
  });
}

/** Whether a statement itself assigns what a name holds, or a part of it. */
function assignsPart(side: Side, node: TreeNode, binding: Binding, name: string): boolean {
  const { source, scopes } = side;
  const isSet = scopes.references.some((one) => {
    return one.isWrite && one.binding === binding && isInside(one.node, node);
  });
  const isOfName = source.uses.writes.some(({ target, path = "" }) => {
    return isInside(target, node) && path.startsWith(`${name}.`);
  });
  return node.role === null && (isSet || isOfName);
}

/** The variables that a statement shows. */
function namesShown(pair: VersionPair, adapted: AdaptedStatement): NameWhereItGoes[] {
  const shown = shownValues(pair.now, adapted.statement.node).names;
  return namesWhereItGoes(pair, adapted).filter(({ free }) => {
    return isVariable(free.binding) && shown.has(free.name);
  });
}

/** The statement that changes what a name holds behind all that both versions have. */
function changerOf(
  pair: VersionPair,
  { statement, target, question = [] }: AdaptedStatement,
  name: NameWhereItGoes,
): TreeNode | undefined {
  if (name.found.kind !== "visible" || !name.found.binding) return undefined;
  const old = name.found.binding;
  const then = ofName(wholeValues(pair, statement.node, [name]).then, name.written);
  const there = target.place.block.children.slice(0, target.place.index);
  const isPaired = (node: TreeNode): boolean => pair.mapping.sourceOf(node) !== undefined;
  const assigned = there.findLastIndex((node) => isPaired(node) && assigns(pair.then, node, then));
  // A method may only look at what an assignment gave.
  const last =
    assigned === -1
      ? there.findLastIndex((node) => isPaired(node) && writes(pair.then, node, then))
      : assigned;
  const giver = there[last];
  const isKnown = (node: TreeNode): boolean =>
    giver !== undefined ||
    old.kind === "parameter" ||
    old.definitions.some((one) => one.node.end <= node.start);
  const theirs = there.slice(last + 1).filter((node) => {
    if (isPaired(node) || !isKnown(node)) return false;
    return isGivenAnew(pair.then, node, old);
  });
  const own = giver && pair.mapping.sourceOf(giver);
  // What was a statement of its own may be a part of what gives the value since.
  const isJoined = own !== undefined && giver !== undefined && own.size > giver.size;
  const ours = (pair.blockOf(statement)?.children ?? []).filter((node) => {
    const isAsked = question.some((one) => one.node.start === node.start);
    // What stands in a block of its own there is no partner of what stands here.
    const isMet = pair.mapping.partnerOf(node)?.parent === target.place.block;
    if (node.start >= statement.node.start || isAsked || isMet) return false;
    return isGivenAnew(pair.now, node, name.free.binding);
  });
  return isJoined || ours.length >= theirs.length ? undefined : theirs[0];
}

/** Whether a statement assigns a value, or a part of it that is read. */
function assigns({ source, scopes }: Side, node: TreeNode, { bindings, paths }: Values): boolean {
  const isOwn = (binding: Binding | null | undefined): boolean =>
    binding != null && bindings.has(binding);
  return (
    [...bindings].some(({ definitions }) => definitions.some((one) => isInside(one.node, node))) ||
    scopes.references.some(
      (one) => one.isWrite && isOwn(one.binding) && isInside(one.node, node),
    ) ||
    source.uses.writes.some(({ target, path = "" }) => {
      return isInside(target, node) && paths.includes(path);
    })
  );
}

/** Of what a statement reads, what it reads of one name. */
function ofName({ bindings, paths, wholes = [] }: Values, name: string): Values {
  return {
    bindings,
    paths: paths.filter((path) => path.split(".")[0] === name),
    wholes: wholes.filter((one) => one === name),
  };
}

/**
 * Whether a statement gives a name another value, or hands what it holds to a function that changes it. Parts of an object
 * are set by so many statements that one without a partner tells nothing.
 */
function isGivenAnew(side: Side, node: TreeNode, binding: Binding | null): boolean {
  const isSet = side.scopes.references.some((one) => {
    return one.isWrite && one.binding === binding && isInside(one.node, node);
  });
  return (isSet && node.role === null) || mayChange(side, node, binding);
}

/** Whether a statement hands what a name holds to a function that changes it. */
function mayChange(side: Side, node: TreeNode, binding: Binding | null): boolean {
  const { source, scopes } = side;
  const statement = statementFor(side, node);
  if (!statement || statement.isLog || statement.isLogOnly || !binding) return false;
  const given = scopes.references.filter((one) => {
    const isGiven = one.binding === binding && source.mutations.passed.has(one.node);
    return isGiven && isInside(one.node, node);
  });
  return given.some((one) => {
    return source.uses.calls.some(({ node: call, callee }) => {
      return isInside(one.node, call) && changesArguments(side, callee);
    });
  });
}

/** Whether what is called is a function of the file that changes what it is given. */
function changesArguments({ source, scopes }: Side, callee: Syntax): boolean {
  const [declared] = scopes.referenceOf.get(callee)?.binding?.declarations ?? [];
  const made = declared && statementAround(source, declared);
  if (made?.parameters == null) return false;
  return scopes.references.some(({ node, binding }) => {
    const isGiven = binding?.kind === "parameter" && isInside(binding.scope.node, made.node);
    return isGiven && isInside(node, made.node) && source.mutations.mutated.has(node);
  });
}

/**
 * @file What a statement reads and that may not be there in the old version. Nothing declares
 * properties: the only witness is whether their names occur there, in whatever file. Names may have no value there,
 * though they surely have one where the statement stands in the newer version.
 */
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Statement, Syntax } from "../../languages/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import type { NeutralTree } from "../pairing/version-tree.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { givenProperties } from "../pairing/written-values.ts";
import { offsetOf } from "../pairing/version-pair.ts";

export interface MissingProperty {
  readonly name: string;
  /** The newer version uses it elsewhere too, or it is one of `this`: it came with a change. */
  readonly isNewer: boolean;
}

/** Names of properties that the statement, or what comes with it, reads, and nothing in the older version. */
export function missingProperties(
  pair: VersionPair,
  { statement, definitions, renaming, question = [] }: AdaptedStatement,
): MissingProperty[] {
  const replaced = new Set([...renaming.keys()].map((use) => use.node));
  const carried = [...definitions.flatMap(carriedNodes), ...question.map(({ node }) => node)];
  const isCarried = (node: Span): boolean => carried.some((one) => isInside(node, one));
  const now = propertyNamesIn(pair.now.tree, (node) => !isCarried(node));
  const then = propertyNamesIn(pair.then.tree, () => true);
  const given = new Set([
    ...givenIn(pair, isCarried),
    ...question.flatMap((one) => keysIn(pair, one)),
  ]);
  const found = new Map<string, boolean>();
  for (const node of [statement.node, ...carried]) {
    for (const [name, isThis] of propertiesOf(pair, node, replaced)) {
      found.set(name, isThis || found.get(name) === true);
    }
  }
  return [...found]
    .filter(([name]) => !then.has(name) && !given.has(name) && !isInOtherFile(pair, name))
    .map(([name, isThis]) => ({ name, isNewer: now.has(name) || isThis }));
}

/** Whether another file of that version has a property of that name, or an object with it. */
function isInOtherFile({ files: { then }, then: { source } }: VersionPair, name: string): boolean {
  if (!/^\w+$/.test(name)) return false;
  const has = new RegExp(`\\.${name}\\b|\\b${name}["']?\\s*[:=(]`);
  return then.files.some((file) => {
    if (file === source.file || !source.language.isOwn(file)) return false;
    return has.test(then.text(file) ?? "");
  });
}

function carriedNodes({ statement, definitions }: AdaptedStatement): Syntax[] {
  return [...definitions.flatMap(carriedNodes), statement.node];
}

/** Properties that what is carried gives its own objects: by a key, a method, an assignment. */
function givenIn({ now }: VersionPair, isCarried: (node: Span) => boolean): ReadonlySet<string> {
  const { members } = now.source.uses;
  const read = new Map<string, number>();
  for (const { node, name } of members) {
    if (isCarried(node)) read.set(name, (read.get(name) ?? 0) + 1);
  }
  const keys = now.tree.nodes.flatMap((node) => {
    return node.type === "PropertyName" && isCarried(node) ? [node.label] : [];
  });
  const named = keys.filter((name) => {
    return keys.filter((key) => key === name).length > (read.get(name) ?? 0);
  });
  return new Set([...named, ...givenProperties(now.source, isCarried)]);
}

/** Keys, methods and fields that a statement of a question gives: its tree is not in that of the version. */
function keysIn({ now }: VersionPair, { node, member }: Statement): string[] {
  const { source } = now;
  const inside = [...source.statements, ...source.members.flatMap((list) => list.statements)];
  const members = inside.filter((one) => isInside(one.node, node)).map((one) => one.member);
  const text = source.text.slice(node.start, node.end);
  const keys = [...text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)["']?\s*:/gu)].map(([, key]) => key);
  return [member, ...members, ...keys].flatMap((one) => one ?? []);
}

/**
 * Properties read in a node that not all values of their kind have, and whether of `this`. What logs is no
 * value: where it is missing nothing is logged, and not another thing.
 */
function propertiesOf(
  { now }: VersionPair,
  { start, end }: Syntax,
  replaced: ReadonlySet<Syntax>,
): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const logging = now.source.statements.filter(({ node, isLogOnly }) => {
    return isLogOnly && start <= node.start && node.end <= end;
  });
  const { calls, members } = now.source.uses;
  const loggers = calls.filter(({ node }) => logging.some((one) => one.node.start === node.start));
  for (const { node, name, isOwn, isKnown } of members) {
    if (isKnown || node.start < start || node.end > end || replaced.has(node)) continue;
    if (loggers.some(({ callee }) => isInside(node, callee))) continue;
    found.set(name, isOwn || found.get(name) === true);
  }
  return found;
}

/** Names of properties that a tree without the statement has. */
function propertyNamesIn(
  { nodes }: NeutralTree,
  counts: (node: Span) => boolean,
): ReadonlySet<string> {
  const own = nodes.filter((node) => node.type === "PropertyName" && counts(node));
  return new Set(own.map(({ label }) => label));
}

/** Names that may have no value where a statement goes, and have one in the newer version. */
export function perhapsUnsetNames(pair: VersionPair, adapted: AdaptedStatement): string[] {
  const { statement, target } = adapted;
  const { now, then } = pair;
  const block = then.tree.syntaxOf.get(target.place.block);
  if (!pair.blockOf(statement) || !block) return [];
  const { scope } = pair.scopedOffsetOf(target.place);
  const there = { block, offset: offsetOf(target.place), scope };
  return namesWhereItGoes(pair, adapted).flatMap(({ free, use, written, found }) => {
    if (!free.binding || found.kind !== "visible" || !found.binding) return [];
    const here = { block: statement.owner, offset: statement.node.start, scope: use.scope };
    const wasSure = now.source.isSurelySet(free.binding, here);
    return wasSure && !then.source.isSurelySet(found.binding, there) ? [written] : [];
  });
}

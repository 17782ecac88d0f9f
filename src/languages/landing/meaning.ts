/**
 * @file Signs that a statement would log another thing in the older version, though everything that
 * it names exists there: what changes its values stands on the other side of it, a name gathers there
 * and does not here, a function takes its arguments in another order. A person then has to look.
 */
import type { Call, Grammar, Parameter, Syntax, Write } from "./grammar.ts";
import type { Landing } from "../../format/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { isWithin } from "../../tree/index.ts";
import { isUnderSameHead } from "./heads.ts";
import type { FreeName } from "./names.ts";
import { freeNames } from "./names.ts";
import { changedOrder } from "./order.ts";
import type { Side, VersionPair } from "./pair.ts";
import { reach } from "./reach.ts";
import type { Binding } from "./scope.ts";
import type { Settled } from "./settle.ts";
import { unitAround } from "./unit.ts";

type Warning = Landing["warnings"][number];

export function changedMeanings(pair: VersionPair, settled: Settled): Warning[] {
  const free = freeNames(pair.now.scopes, settled.unit.node);
  const paired = free.flatMap((name) => oldMeaning(pair, settled, name));
  return [
    ...changedOrder(pair, settled, { free, paired }),
    ...twins(pair, settled),
    ...alikeBranches(pair, settled),
    ...paired.flatMap((one) => [
      ...gathered(pair, one),
      ...otherKey(pair, one),
      ...otherKind(pair, one),
    ]),
    ...[...propertyPaths(pair.grammar, settled.unit.node)].flatMap((path) =>
      gatheredProperty(pair, path),
    ),
    ...calls(pair.grammar, settled.unit.node).flatMap((call) =>
      otherParameters(pair, paired, call),
    ),
  ];
}

/** A name of the statement, and what it means where the statement goes. */
export interface Meaning {
  readonly name: string;
  readonly now: Binding;
  readonly then: Binding;
}

function oldMeaning(
  pair: VersionPair,
  settled: Settled,
  { name, binding, uses }: FreeName,
): Meaning[] {
  const [use] = uses;
  if (!binding || !use) return [];
  const written = settled.renaming.get(use) ?? name;
  const found = reach(pair.then.scopes, written, pair.spotOf(settled.target.place));
  if (found.kind !== "reached" || !found.binding) return [];
  return [{ name: written, now: binding, then: found.binding }];
}

/** Blocks that are alike: if what holds them has another name, it may be any of them. */
function twins(pair: VersionPair, { unit, target }: Settled): Warning[] {
  const [own, { block }] = [pair.blockOf(unit), target.place];
  const [ours, theirs] = [own && ownerName(own), ownerName(block)];
  if (block.parent?.role !== "function" || (ours !== "" && ours === theirs)) return [];
  const alike = pair.then.tree.nodes.filter(({ role, hash, parent }) => {
    return role === "block" && hash === block.hash && parent?.role === "function";
  });
  if (alike.length < 2) return [];
  return [{ code: "twins", text: `that version has ${alike.length} functions alike` }];
}

/** Branches that are alike: under another condition it may be any of them. */
function alikeBranches(pair: VersionPair, { unit, target }: Settled): Warning[] {
  const [own, { block }] = [pair.blockOf(unit), target.place];
  if (!own || isUnderSameHead(own, block)) return [];
  const around = statementAround(block);
  const isAlike = pair.then.tree.nodes.some((node) => {
    return (
      node !== block && node.role === "block" && node.hash === block.hash && isWithin(node, around)
    );
  });
  if (!isAlike) return [];
  return [{ code: "twins", text: "that version has another branch that is alike" }];
}

/** The statement of a block that holds another block. */
function statementAround(block: TreeNode): TreeNode {
  let at = block;
  while (at.parent && at.parent.role !== "block") at = at.parent;
  return at;
}

/** The name of the function, method or variable that a block belongs to; empty if it has none. */
function ownerName({ parent }: TreeNode): string {
  const named = [parent, parent?.parent].flatMap((node) => node?.children[0] ?? []);
  return named.find(({ type }) => /^(?:Identifier|PropertyName)$/.test(type))?.label ?? "";
}

/** A variable that sums up in one version only, unless its declarations are paired. */
function gathered(pair: VersionPair, { name, now, then }: Meaning): Warning[] {
  const [ours, theirs] = [declared(pair.now, now), declared(pair.then, then)];
  if (!ours || !theirs || pair.mapping.partnerOf(ours) === theirs) return [];
  if (isGathering(pair.now, now) === isGathering(pair.then, then)) return [];
  return [gatheringWarning(name)];
}

/** A name for another field: `{ loss: a }` and `{ accuracy: a }`. */
function otherKey(pair: VersionPair, { name, now, then }: Meaning): Warning[] {
  const [ours, theirs] = [declared(pair.now, now), declared(pair.then, then)].map((node) => {
    return node?.parent?.type === "Property" ? node.parent.children[0]?.hash : undefined;
  });
  if (ours === undefined || theirs === undefined || ours === theirs) return [];
  return [{ code: "doubtful_name", text: `${name} holds another field there` }];
}

/** A function here, and a value of the same name there, or the other way round. */
function otherKind(pair: VersionPair, { name, now, then }: Meaning): Warning[] {
  const isKnown = [now, then].every(({ kind }) => kind === "function" || kind === "const");
  if (!isKnown) return [];
  if (isFunction(pair.now, now) === isFunction(pair.then, then)) return [];
  return [{ code: "doubtful_name", text: `${name} is a function in one of the two versions only` }];
}

function declared({ tree }: Side, { declarations: [node] }: Binding): TreeNode | undefined {
  return node && tree.nodeOf.get(node);
}

function gatheringWarning(name: string): Warning {
  return { code: "doubtful_name", text: `${name} sums up in one of the two versions only` };
}

function isGathering({ scopes, source }: Side, binding: Binding): boolean {
  return writesIn(source.grammar, source.program).some(({ target, gathers }) => {
    return gathers && scopes.referenceOf.get(target)?.binding === binding;
  });
}

/** A property that is only set in one version, and only summed up in the other. */
function gatheredProperty(pair: VersionPair, path: string): Warning[] {
  const [now, then] = [pair.now, pair.then].map(({ source }) => {
    const { grammar, program } = source;
    const own = writesIn(grammar, program).filter(({ target }) => pathOf(grammar, target) === path);
    return new Set(own.map(({ gathers }) => gathers));
  });
  if (now?.size !== 1 || then?.size !== 1 || now.has(true) === then.has(true)) return [];
  return [gatheringWarning(path)];
}

function writesIn(grammar: Grammar, node: Syntax, found: Write[] = []): Write[] {
  const write = grammar.views.writeOf(node);
  if (write) found.push(write);
  for (const child of grammar.reading.childrenOf(node)) writesIn(grammar, child, found);
  return found;
}

/** `state.loss`, `this.model.loss`: a path of properties from a name. */
function pathOf(grammar: Grammar, node: Syntax): string | undefined {
  const { views } = grammar;
  const name = views.nameOf(node);
  if (name !== undefined) return name;
  if (views.isSelf(node)) return "this";
  const member = views.memberOf(node);
  const object = member && pathOf(grammar, member.object);
  return object && `${object}.${member.name}`;
}

function propertyPaths(
  grammar: Grammar,
  node: Syntax,
  found = new Set<string>(),
): ReadonlySet<string> {
  const path = grammar.views.memberOf(node) && pathOf(grammar, node);
  if (path !== undefined) found.add(path);
  for (const child of grammar.reading.childrenOf(node)) propertyPaths(grammar, child, found);
  return found;
}

function calls(grammar: Grammar, node: Syntax): Call[] {
  const inner = grammar.reading.childrenOf(node).flatMap((child) => calls(grammar, child));
  const call = grammar.views.callOf(node);
  return call ? [call, ...inner] : inner;
}

/** A function of the file that takes other arguments there, or in another order. */
function otherParameters(pair: VersionPair, paired: readonly Meaning[], call: Call): Warning[] {
  const { callee } = call;
  const own = pair.now.scopes.referenceOf.get(callee)?.binding;
  const meaning = paired.find(({ now }) => now === own);
  if (!meaning) return [];
  const now = parametersOf(pair.now, meaning.now);
  const then = parametersOf(pair.then, meaning.then);
  if (!now || !then) return [];
  if (call.isOpen) return [];
  const given = call.values.length;
  const words = call.named ?? [];
  const isOtherwise =
    given > then.length ||
    then.slice(given).some(({ name, isNeeded }) => isNeeded && !words.includes(name)) ||
    words.some((word) => !then.some(({ name }) => name === word)) ||
    now.slice(0, given).some(({ name }, at) => {
      return then.some((other, place) => other.name === name && place !== at);
    });
  if (!isOtherwise) return [];
  return [{ code: "changed_signature", text: `${meaning.name} takes other arguments there` }];
}

/** The parameters of a function, if all of them are listed. */
function parametersOf(side: Side, binding: Binding): readonly Parameter[] | undefined {
  const statement = statementOf(side, binding);
  if (!statement || binding.definitions.length > 1) return undefined;
  return side.source.grammar.views.parametersOf(statement);
}

function isFunction(side: Side, binding: Binding): boolean {
  const statement = statementOf(side, binding);
  return statement !== undefined && side.source.grammar.views.isFunction(statement);
}

/** The statement that declares a binding. */
function statementOf({ source }: Side, binding: Binding): Syntax | undefined {
  const [declaration] = binding.declarations;
  return declaration && unitAround(source, declaration)?.node;
}

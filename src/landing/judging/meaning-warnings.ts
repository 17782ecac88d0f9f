/**
 * @file Signs that a statement would log another thing in the older version, though everything that
 * it names exists there: what changes its values stands on the other side of it, a name accumulates
 * there and does not here, a function takes its arguments in another order. A person then has to look.
 */
import type { Landing } from "../../format/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { isInside, isWithin } from "../../tree/index.ts";
import type { Binding, Call, Parameter, Statement, Syntax } from "../../languages/index.ts";
import { isUnderSameCondition } from "./gap-context.ts";
import { handedOn } from "./handed-on.ts";
import { orderWarnings } from "./order-warnings.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { enclosingStatement } from "../pairing/version-tree.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { statementAround } from "../placing/statement-at.ts";

type Warning = Landing["warnings"][number];

export function meaningWarnings(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const names = namesWhereItGoes(pair, adapted);
  const free = names.map((name) => name.free);
  const paired = names.flatMap(({ free: { binding }, written, found }): Meaning[] => {
    if (!binding || found.kind !== "visible" || !found.binding) return [];
    return [{ name: written, now: binding, then: found.binding }];
  });
  return [
    ...orderWarnings(pair, adapted, { free, paired }),
    ...handedOn(pair, adapted, paired),
    ...alikeFunctions(pair, adapted),
    ...alikeBranches(pair, adapted),
    ...paired.flatMap((one) => [
      ...accumulationWarnings(pair, one),
      ...otherKey(pair, one),
      ...otherKind(pair, one),
    ]),
    ...propertyPaths(pair.now, adapted.statement.node).flatMap((path) =>
      accumulatedProperty(pair, path),
    ),
    ...pair.now.source.uses.calls
      .filter(({ node }) => isInside(node, adapted.statement.node))
      .flatMap((call) => otherParameters(pair, paired, call)),
  ];
}

/** A name of the statement, and what it means where the statement goes. */
export interface Meaning {
  readonly name: string;
  readonly now: Binding;
  readonly then: Binding;
}

/** Blocks that are alike: if what holds them has another name, it may be any of them. */
function alikeFunctions(pair: VersionPair, { statement, target }: AdaptedStatement): Warning[] {
  const [own, { block }] = [pair.blockOf(statement), target.place];
  const [ours, theirs] = [own && ownerName(own), ownerName(block)];
  if (block.parent?.role !== "function" || (ours !== "" && ours === theirs)) return [];
  const alike = pair.then.tree.nodes.filter(({ role, hash, parent }) => {
    return role === "block" && hash === block.hash && parent?.role === "function";
  });
  if (alike.length < 2) return [];
  return [{ code: "twins", text: `that version has ${alike.length} functions alike` }];
}

/** Branches that are alike: under another condition it may be any of them. */
function alikeBranches(pair: VersionPair, { statement, target }: AdaptedStatement): Warning[] {
  const [own, { block }] = [pair.blockOf(statement), target.place];
  if (!own || isUnderSameCondition(own, block)) return [];
  const around = enclosingStatement(block);
  const isAlike = pair.then.tree.nodes.some((node) => {
    return (
      node !== block && node.role === "block" && node.hash === block.hash && isWithin(node, around)
    );
  });
  if (!isAlike) return [];
  return [{ code: "twins", text: "that version has another branch that is alike" }];
}

/** The name of the function, method or variable that a block belongs to; empty if it has none. */
function ownerName({ parent }: TreeNode): string {
  const named = [parent, parent?.parent].flatMap((node) => node?.children[0] ?? []);
  return named.find(({ type }) => /^(?:Identifier|PropertyName)$/.test(type))?.label ?? "";
}

/** A variable that sums up in one version only, unless its declarations are paired. */
function accumulationWarnings(pair: VersionPair, { name, now, then }: Meaning): Warning[] {
  const [ours, theirs] = [declared(pair.now, now), declared(pair.then, then)];
  if (!ours || !theirs || pair.mapping.partnerOf(ours) === theirs) return [];
  if (isAccumulated(pair.now, now) === isAccumulated(pair.then, then)) return [];
  return [accumulationWarning(name)];
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

function accumulationWarning(name: string): Warning {
  return { code: "doubtful_name", text: `${name} sums up in one of the two versions only` };
}

function isAccumulated({ scopes, source }: Side, binding: Binding): boolean {
  return source.uses.writes.some(({ target, accumulates }) => {
    return accumulates && scopes.referenceOf.get(target)?.binding === binding;
  });
}

/** A property that is only set in one version, and only summed up in the other. */
function accumulatedProperty(pair: VersionPair, path: string): Warning[] {
  const [now, then] = [pair.now, pair.then].map(({ source }) => {
    const own = source.uses.writes.filter((write) => write.path === path);
    return new Set(own.map(({ accumulates }) => accumulates));
  });
  if (now?.size !== 1 || then?.size !== 1 || now.has(true) === then.has(true)) return [];
  return [accumulationWarning(path)];
}

/** Paths of properties from a name that a part of a text reads. */
function propertyPaths({ source }: Side, node: Syntax): string[] {
  const own = source.uses.members.filter((member) => isInside(member.node, node));
  return [...new Set(own.flatMap(({ path }) => path ?? []))];
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
  const { given, named: words } = call;
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

/** The parameters of a function, or of what makes an instance of a class, if all of them are listed. */
function parametersOf(side: Side, binding: Binding): readonly Parameter[] | undefined {
  const statement = statementOf(side, binding);
  if (!statement || binding.definitions.length > 1) return undefined;
  if (statement.parameters !== undefined) return statement.parameters ?? undefined;
  const maker = membersIn(side, statement).find(({ member }) => MAKERS.has(member ?? ""));
  const parameters = maker?.parameters ?? undefined;
  // An instance that is being made is no argument of the call.
  return maker?.member === "__init__" ? parameters?.slice(1) : parameters;
}

/** Members of classes that are called when an instance is made. */
const MAKERS: ReadonlySet<string> = new Set(["constructor", "__init__"]);

function membersIn({ source }: Side, { node }: Statement): Statement[] {
  const all = [...source.statements, ...source.members.flatMap(({ statements }) => statements)];
  return all.filter((one) => one.member !== undefined && isInside(one.node, node));
}

function isFunction(side: Side, binding: Binding): boolean {
  const statement = statementOf(side, binding);
  return statement?.parameters !== undefined;
}

/** The statement that declares a binding. */
function statementOf({ source }: Side, binding: Binding): Statement | undefined {
  const [declaration] = binding.declarations;
  return declaration && statementAround(source, declaration);
}

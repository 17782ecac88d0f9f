/**
 * @file Signs that a statement would log another thing in the older version, though everything that
 * it names exists there: what changes its values stands on the other side of it, a name gathers there
 * and does not here, a function takes its arguments in another order. A person then has to look.
 */
import type { ArrowFunctionExpression, Function, Node } from "oxc-parser";
import type { Landing } from "../../../format/index.ts";
import type { TreeNode } from "../../../tree/index.ts";
import { sdkNames } from "../log-calls.ts";
import { effectOf, isKnownObject } from "./effects.ts";
import type { FreeName } from "./names.ts";
import { freeNames } from "./names.ts";
import type { Side, VersionPair } from "./pair.ts";
import { reach } from "./reach.ts";
import type { Binding } from "./scope.ts";
import type { Settled } from "./settle.ts";
import { offsetOf } from "./settle.ts";
import { childrenOf } from "../syntax.ts";
import { unitAround } from "./unit.ts";

type Warning = Landing["warnings"][number];

export function changedMeanings(pair: VersionPair, settled: Settled): Warning[] {
  const free = freeNames(pair.now.scopes, settled.unit.node);
  const paired = free.flatMap((name) => oldMeaning(pair, settled, name));
  return [
    ...crossed(pair, settled, free),
    ...twins(pair, settled),
    ...paired.flatMap((one) => [
      ...gathered(pair, one),
      ...otherKey(pair, one),
      ...otherKind(pair, one),
    ]),
    ...[...propertyPaths(settled.unit.node)].flatMap((path) => gatheredProperty(pair, path)),
    ...calls(settled.unit.node).flatMap((call) => otherParameters(pair, paired, call)),
  ];
}

/** A name of the statement, and what it means where the statement goes. */
interface Meaning {
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
  const found = reach(pair.then.scopes, written, offsetOf(settled.target.place));
  if (found.kind !== "reached" || !found.binding) return [];
  return [{ name: written, now: binding, then: found.binding }];
}

/** Statements that may change what is logged, and stood on the other side of it. */
function crossed(pair: VersionPair, settled: Settled, free: readonly FreeName[]): Warning[] {
  const { unit, target } = settled;
  const { block, index } = target.place;
  const values = free.filter(isValue);
  const siblings = pair.blockOf(unit)?.children ?? [];
  return siblings.flatMap((sibling) => {
    const partner = pair.mapping.partnerOf(sibling);
    const syntax = pair.now.tree.syntaxOf.get(sibling);
    if (!syntax || partner?.parent !== block) return [];
    const isBefore = sibling.start < unit.node.start;
    if (isBefore === partner.index < index || !mayChange(pair.now, syntax, values)) return [];
    const line = pair.then.source.lines.at(partner.start).line;
    const text = `line ${line} may change what is logged, and is executed ${isBefore ? "before" : "after"} it in the newer version`;
    return [{ code: "order_changed", text }];
  });
}

function isValue({ name, binding }: FreeName): boolean {
  if (!binding) return !isKnownObject(name);
  return !/^(?:import|function|class|type)$/.test(binding.kind);
}

/** Whether a statement assigns one of some variables, or calls something with it. */
function mayChange({ scopes, source }: Side, node: Node, values: readonly FreeName[]): boolean {
  const own = scopes.references.filter(({ node: at, name, binding }) => {
    const isIn = node.start <= at.start && at.end <= node.end;
    return isIn && values.some((one) => one.name === name && one.binding === binding);
  });
  if (own.some(({ isWrite }) => isWrite)) return true;
  return own.length > 0 && !isLog(source.program, node) && callsOrChanges(node);
}

function callsOrChanges(node: Node): boolean {
  const effect = effectOf(node);
  return effect === "calls" || effect === "changes";
}

function isLog(program: Parameters<typeof sdkNames>[0], node: Node): boolean {
  if (node.type !== "ExpressionStatement" || node.expression.type !== "CallExpression")
    return false;
  const { callee } = node.expression;
  const { wholes, logs } = sdkNames(program);
  if (callee.type === "Identifier") return logs.has(callee.name);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
  return wholes.has(callee.object.name) || callee.object.name === "console";
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
  const [ours, theirs] = [functionOf(pair.now, now), functionOf(pair.then, then)];
  if ((ours === undefined) === (theirs === undefined)) return [];
  return [{ code: "doubtful_name", text: `${name} is a function in one of the two versions only` }];
}

function declared({ tree }: Side, { declarations: [node] }: Binding): TreeNode | undefined {
  return node && tree.nodeOf.get(node);
}

function gatheringWarning(name: string): Warning {
  return { code: "doubtful_name", text: `${name} sums up in one of the two versions only` };
}

function isGathering({ scopes, source }: Side, binding: Binding): boolean {
  return writesIn(source.program).some(({ target, gathers }) => {
    return gathers && scopes.referenceOf.get(target)?.binding === binding;
  });
}

/** A property that is only set in one version, and only summed up in the other. */
function gatheredProperty(pair: VersionPair, path: string): Warning[] {
  const [now, then] = [pair.now, pair.then].map(({ source }) => {
    const own = writesIn(source.program).filter(({ target }) => pathOf(target) === path);
    return new Set(own.map(({ gathers }) => gathers));
  });
  if (now?.size !== 1 || then?.size !== 1 || now.has(true) === then.has(true)) return [];
  return [gatheringWarning(path)];
}

interface Write {
  readonly target: Node;
  /** `+=`, `++`: it adds to what was there. */
  readonly gathers: boolean;
}

function writesIn(node: Node, found: Write[] = []): Write[] {
  if (node.type === "AssignmentExpression") {
    found.push({ target: node.left, gathers: node.operator === "+=" });
  } else if (node.type === "UpdateExpression") {
    found.push({ target: node.argument, gathers: node.operator === "++" });
  }
  for (const child of childrenOf(node)) writesIn(child, found);
  return found;
}

/** `state.loss`, `this.model.loss`: a path of properties from a name. */
function pathOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "ThisExpression") return "this";
  if (node.type !== "MemberExpression" || node.computed || !("name" in node.property)) {
    return undefined;
  }
  const object = pathOf(node.object);
  return object && `${object}.${node.property.name}`;
}

function propertyPaths(node: Node, found = new Set<string>()): ReadonlySet<string> {
  const path = node.type === "MemberExpression" ? pathOf(node) : undefined;
  if (path !== undefined) found.add(path);
  for (const child of childrenOf(node)) propertyPaths(child, found);
  return found;
}

type Call = Extract<Node, { type: "CallExpression" }>;

function calls(node: Node): Call[] {
  const inner = childrenOf(node).flatMap(calls);
  return node.type === "CallExpression" ? [node, ...inner] : inner;
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
  const given = call.arguments.length;
  const isOtherwise =
    given > then.length ||
    then.slice(given).some(({ isNeeded }) => isNeeded) ||
    now.slice(0, given).some(({ name }, at) => {
      return then.some((other, place) => other.name === name && place !== at);
    });
  if (!isOtherwise) return [];
  return [{ code: "changed_signature", text: `${meaning.name} takes other arguments there` }];
}

interface Parameter {
  /** Empty for a pattern. */
  readonly name: string;
  readonly isNeeded: boolean;
}

/** The parameters of a function, if all of them are listed. */
function parametersOf(side: Side, binding: Binding): Parameter[] | undefined {
  const made = functionOf(side, binding);
  if (!made || binding.definitions.length > 1) return undefined;
  if (made.params.some(({ type }) => type === "RestElement")) return undefined;
  return made.params.map((parameter) => {
    const isNeeded = parameter.type !== "AssignmentPattern";
    const target = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
    const isOptional = "optional" in target && target.optional;
    return {
      name: target.type === "Identifier" ? target.name : "",
      isNeeded: isNeeded && !isOptional,
    };
  });
}

/** The function that a binding is declared as. */
function functionOf({ source }: Side, binding: Binding): ReturnType<typeof functionIn> {
  const [declaration] = binding.declarations;
  const node = declaration && unitAround(source, declaration)?.node;
  return node && functionIn(node);
}

function functionIn(node: Node): Function | ArrowFunctionExpression | undefined {
  if (node.type === "ExportNamedDeclaration") {
    return node.declaration ? functionIn(node.declaration) : undefined;
  }
  if (node.type === "FunctionDeclaration") return node;
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return undefined;
  const init = node.declarations[0]?.init;
  const isFunction =
    init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
  return isFunction ? init : undefined;
}

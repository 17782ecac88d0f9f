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
import { isGivenBackFor } from "../pairing/made-functions.ts";
import { isAttribute } from "../pairing/receiver-names.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { enclosingStatement } from "../pairing/version-tree.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import type { NameWhereItGoes } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { statementAround } from "../placing/statement-at.ts";

type Warning = Landing["warnings"][number];

export function meaningWarnings(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const names = namesWhereItGoes(pair, adapted);
  const free = names.map((name) => name.free);
  const paired = names.flatMap(({ free, written, found }): Meaning[] => {
    const { binding } = free;
    if (!binding || isAttribute(free) || found.kind !== "visible" || !found.binding) return [];
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
    ...names.flatMap((name) => summedAttribute(pair, name)),
    ...propertyPaths(pair.now, adapted.statement.node).flatMap((path) =>
      accumulatedProperty(pair, path),
    ),
    ...pair.now.source.uses.calls
      .filter(({ node }) => isInside(node, adapted.statement.node))
      .flatMap((call) => {
        const meaning = functionOf(pair, paired, call);
        return meaning && takesOtherwise(pair, meaning, call)
          ? [{ code: "changed_signature", text: `${meaning.name} takes other arguments there` }]
          : [];
      }),
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

/** Whether a variable sums up, or the one does that a function gives back as its value. */
function isAccumulated(side: Side, binding: Binding): boolean {
  const { scopes, source } = side;
  return source.uses.writes.some(({ target, accumulates }) => {
    const own = accumulates ? scopes.referenceOf.get(target)?.binding : null;
    return own != null && (own === binding || isGivenBackFor(side, own, binding));
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

/** An attribute that a variable stands for there, and that sums up in one version only. */
function summedAttribute(pair: VersionPair, { free, found }: NameWhereItGoes): Warning[] {
  if (!isAttribute(free) || found.kind !== "visible" || !found.binding) return [];
  const isSum = pair.now.source.uses.writes.some(({ path, accumulates }) => {
    return path === free.name && accumulates;
  });
  return isSum === isAccumulated(pair.then, found.binding) ? [] : [accumulationWarning(free.name)];
}

/** Paths of properties from a name that a part of a text reads. */
function propertyPaths({ source }: Side, node: Syntax): string[] {
  const own = source.uses.members.filter((member) => isInside(member.node, node));
  return [...new Set(own.flatMap(({ path }) => path ?? []))];
}

function functionOf(
  { now }: VersionPair,
  paired: readonly Meaning[],
  { callee }: Call,
): Meaning | undefined {
  const own = now.scopes.referenceOf.get(callee)?.binding;
  return own ? paired.find((one) => one.now === own) : undefined;
}

/** Whether a function of the file takes other arguments there, or in another order. */
function takesOtherwise(pair: VersionPair, meaning: Meaning, call: Call): boolean {
  if (isKeyLacking(pair, meaning, call) || isCalledOtherwise(pair, meaning)) return true;
  const now = parametersOf(pair.now, meaning.now);
  const then = parametersOf(pair.then, meaning.then);
  if (!now || !then || call.isOpen) return false;
  const { given, named: words } = call;
  return (
    given > then.length ||
    then.slice(given).some(({ name, isNeeded }) => isNeeded && !words.includes(name)) ||
    words.some((word) => !then.some(({ name }) => name === word)) ||
    now.slice(0, given).some(({ name }, at) => {
      return then.some((other, place) => other.name === name && place !== at);
    })
  );
}

/** Whether a call gives an option that the function has a word for, and that of the older version has not. */
function isKeyLacking(pair: VersionPair, { now, then }: Meaning, { node, named }: Call): boolean {
  const [own, old] = [statementOf(pair.now, now), statementOf(pair.then, then)];
  if (own?.parameters === undefined || old?.parameters === undefined) return false;
  const text = ({ source }: Side, part: Syntax): string => source.text.slice(part.start, part.end);
  const keys = [...text(pair.now, node).matchAll(/[{,]\s*["']?(\w+)["']?\s*:/g)];
  const has = (side: Side, part: Syntax, key: string): boolean =>
    new RegExp(`\\b${key}\\b`).test(text(side, part));
  return [...named, ...keys.map(([, key = ""]) => key)].some((key) => {
    return has(pair.now, own.node, key) && !has(pair.then, old.node, key);
  });
}

/** Whether calls of a function hand over the same in another order there. Numbers tell nothing. */
function isCalledOtherwise(pair: VersionPair, { now, then }: Meaning): boolean {
  const theirs = callsOf(pair.then, then);
  return callsOf(pair.now, now).some((own) => {
    const partner = pair.mapping.partnerOf(enclosingStatement(own));
    return theirs.some((old) => {
      if (!partner || enclosingStatement(old) !== partner) return false;
      const [ours, others] = [own, old].map(({ children }) => {
        return children.slice(1).map(({ hash }) => hash);
      });
      const isSame = ours?.join() === others?.join();
      const isNamed = own.children.slice(1).some(({ start, end }) => {
        return /\p{L}/u.test(pair.now.source.text.slice(start, end));
      });
      return isNamed && !isSame && ours?.toSorted().join() === others?.toSorted().join();
    });
  });
}

function callsOf({ source, scopes, tree }: Side, binding: Binding): TreeNode[] {
  return source.uses.calls.flatMap(({ node, callee }) => {
    if (scopes.referenceOf.get(callee)?.binding !== binding) return [];
    return tree.nodeOf.get(node) ?? [];
  });
}

/** The parameters of a function, or of what makes an instance of a class, if all of them are listed. */
function parametersOf(side: Side, binding: Binding): readonly Parameter[] | undefined {
  const statement = statementOf(side, binding);
  if (!statement || binding.definitions.length > 1) return undefined;
  if (statement.parameters !== undefined) return statement.parameters ?? undefined;
  const maker = membersIn(side, statement).find(({ member }) => MAKERS.has(member ?? ""));
  if (!maker) return fieldsOf(side, statement);
  const parameters = maker.parameters ?? undefined;
  // An instance that is being made is no argument of the call.
  return maker.member === "__init__" ? parameters?.slice(1) : parameters;
}

/** The fields of a class that takes its arguments for them, in their order. */
function fieldsOf({ source }: Side, { node }: Statement): readonly Parameter[] | undefined {
  const [head = "", ...lines] = source.text.slice(node.start, node.end).split(/(?<=:)\s*\n/);
  // What a class that it extends takes comes first, and is not written here.
  const isListed = /@(?:\w+\.)?dataclass\b[^]*class\s+\w+\s*:|\bNamedTuple\)/.test(head);
  if (!isListed) return undefined;
  const [, indent = ""] = /^([ \t]*)/.exec(lines[0] ?? "") ?? [];
  const fields = lines
    .join("\n")
    .matchAll(new RegExp(`^${indent}(\\w+)[ \\t]*:[^=\\n]*(=?)`, "gm"));
  return [...fields].map(([, name = "", given]) => ({ name, isNeeded: given === "" }));
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

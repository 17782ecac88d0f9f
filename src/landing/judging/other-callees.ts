/**
 * @file What functions of the file do with what a statement shows, where the two versions have it done by other ones: a
 * function that is called beside the place and sets in one version only what is shown, and a parameter that is handed
 * what the other version hands to another one.
 */
import type { Landing } from "../../format/index.ts";
import type { ParsedFile, Reference, Statement, Syntax } from "../../languages/index.ts";
import type { Span, TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { isClass } from "./how-often.ts";
import { functionsIn, nameOf } from "../pairing/named-functions.ts";
import { functionBlock } from "../pairing/reaching.ts";
import { shapeOf } from "../pairing/statement-shape.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";

type Warning = Landing["warnings"][number];

/** What one version calls something, and the other one. */
interface Word {
  readonly now: string;
  readonly then: string;
}

/** A function that both versions call beside the place sets what is shown in one of them. */
export function setByCallee(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const { now, then, mapping } = pair;
  const around = functionBlock(adapted.target.place.block);
  const words = wordsShown(pair, adapted);
  const asked = adapted.question ?? [adapted.statement];
  const found = functionsIn(then.tree).flatMap((old) => {
    const own = mapping.sourceOf(old.node);
    if (!own || isInside(around, old.node) || !isCalledIn(then, old.name, around)) return [];
    // What the question itself adds to a function comes along.
    const [ours, theirs] = [setIn(now, own, asked), setIn(then, old.node, [])];
    const word = words.find((one) => ours.has(one.now) !== theirs.has(one.then));
    return word ? [{ line: then.source.lines.at(old.node.start).line, word }] : [];
  });
  const [first] = found;
  if (!first) return [];
  const { line, word } = first;
  const text = `the function in line ${line}, which is called there, sets ${word.then.replace(/^\W/, "")} in one of the two versions only`;
  return [{ code: "order_changed", text }];
}

function isCalledIn({ source }: Side, name: string, around: TreeNode): boolean {
  return source.uses.calls.some(({ callee, node }) => {
    const called = /[\w$#]*$/.exec(source.text.slice(callee.start, callee.end))?.[0];
    return called === name && isInside(node, around);
  });
}

/** Names from around it, properties and keys that a function sets, or empties and fills by a method. */
function setIn(
  { source, scopes }: Side,
  { start, end }: TreeNode,
  without: readonly Statement[],
): ReadonlySet<string> {
  const isLeftOut = (part: Span): boolean => without.some((one) => isInside(part, one.node));
  const found = [...source.text.slice(start, end).matchAll(SET)];
  const keys = found.flatMap(({ 1: word = "", index }) => {
    const at = start + index;
    return isLeftOut({ start: at, end: at + word.length }) ? [] : [plainWord(word)];
  });
  const names = scopes.references.flatMap(({ node, name, binding, isWrite }) => {
    const isOuter = binding !== null && !isInside(binding.scope.node, { start, end });
    const isSet = isWrite || source.mutations.mutated.has(node);
    const isIn = isInside(node, { start, end }) && !isLeftOut(node);
    return isOuter && isSet && isIn ? [name] : [];
  });
  return new Set([...keys, ...names]);
}

/** `.g = 0`, `["g"] += 1`, `.items.clear()` */
const SET =
  /((?:\.[A-Za-z_$][\w$]*|\[\s*["']\w+["']\s*\]))\s*(?:(?:[-+*/%&|^@?]|\*\*|\/\/|<<|>>|\|\||&&|\?\?)?=(?![=>])|\+\+|--|\.(?:clear|append|extend|pop|push|splice|zero_|fill_?|reset)\()/g;

function plainWord(word: string): string {
  return word.replaceAll(/[\s.[\]"']/g, "");
}

/** What a statement shows, in the words of both versions: names, properties and keys. */
function wordsShown(pair: VersionPair, adapted: AdaptedStatement): Word[] {
  const { statement } = adapted;
  const text = pair.now.source.text.slice(statement.node.start, statement.node.end);
  const own = [...text.matchAll(/\.[A-Za-z_$][\w$]*(?!\w*\()|\[\s*["']\w+["']\s*\]/g)];
  const names = namesWhereItGoes(pair, adapted).flatMap(({ free, written, found }) => {
    return found.kind === "visible" ? [{ now: free.name, then: written }] : [];
  });
  return [...names, ...own.map(([word]) => ({ now: plainWord(word), then: plainWord(word) }))];
}

/** A parameter that is shown is handed what the other version hands over in another place. */
export function handedElsewhere(pair: VersionPair, { statement }: AdaptedStatement): Warning[] {
  const { now, then, mapping } = pair;
  const shown = now.scopes.references.filter(({ node, binding }) => {
    return binding?.kind === "parameter" && isInside(node, statement.node);
  });
  const parameters = new Set(shown.flatMap(({ binding }) => binding ?? []));
  return [...parameters].flatMap((one): Warning[] => {
    const own = functionsIn(now.tree).findLast(({ node }) => isInside(one.scope.node, node));
    const old = own && mapping.partnerOf(own.node);
    if (!old) return [];
    const at = parameterAt(now, one.name, one.scope.node) ?? -1;
    // A parameter of that name may stand in another place there.
    const place = parameterAt(then, one.name, old) ?? at;
    const [ours, theirs] = [callsOf(now, own.node), callsOf(then, old)];
    if (ours.length !== theirs.length) return [];
    const other = theirs.find((call, nth) => {
      const given = ours[nth] && givenTo(now, ours[nth])[at];
      return given !== undefined && placeOf(given, givenTo(then, call), place) !== undefined;
    });
    if (!other) return [];
    const { line } = then.source.lines.at(other.start);
    return [{ code: "doubtful_name", text: `line ${line} hands ${one.name} something else there` }];
  });
}

/** In which place a function takes a parameter. */
function parameterAt({ source }: Side, word: string, part: Span): number | undefined {
  const made = source.statements.findLast(({ parameters, node }) => {
    return parameters?.some(({ name }) => name === word) && isInside(part, node);
  });
  return made?.parameters?.findIndex(({ name }) => name === word);
}

function callsOf(side: Side, made: TreeNode): Syntax[] {
  const { source } = side;
  const name = functionsIn(side.tree).find(({ node }) => node === made)?.name;
  return source.uses.calls.flatMap(({ node, callee }) => {
    return source.text.slice(callee.start, callee.end) === name ? [node] : [];
  });
}

/** Where what is handed over stands among what the older version hands over, if it does not stand in its own place. */
function placeOf(given: Given, theirs: readonly Given[], at: number): number | undefined {
  const isSame = (one: Given | undefined): boolean =>
    one?.some((text) => given.includes(text)) === true;
  const place = isSame(theirs[at]) ? -1 : theirs.findIndex(isSame);
  return place < 0 ? undefined : place;
}

/** An argument as it is written; of a variable also how its one value is. */
type Given = readonly string[];

/** What is given to a call by position. */
function givenTo({ source, scopes }: Side, call: Syntax): Given[] {
  const shape = shapeOf(source, call);
  const whole = shape && source.language.anatomyOf(shape);
  const anatomy = whole?.kind === "evaluation" ? source.language.anatomyOf(whole.value) : whole;
  if (anatomy?.kind !== "call") return [];
  return anatomy.given.map(({ start, end }) => {
    const name = scopes.references.find(({ node }) => node.start === start && node.end === end);
    const own = withoutSpaces(source.text.slice(start, end));
    // A number may stand in many places.
    return [own, ...valueText(source, name)].filter((text) => /[\p{L}_$]/u.test(text));
  });
}

function valueText({ text }: ParsedFile, name: Reference | undefined): string[] {
  const [definition, ...more] = name?.binding?.definitions ?? [];
  if (!definition || more.length > 0) return [];
  const [, value] = /^\s*(?::[^=]*)?=(?!=)(.*)/.exec(text.slice(definition.node.end)) ?? [];
  return value === undefined ? [] : [withoutSpaces(value)];
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/[\s;]/g, "");
}

/** Methods that are alike stand in classes that all have other names: which is which nobody can tell. */
export function inOtherClass(
  pair: VersionPair,
  { statement, target }: AdaptedStatement,
): Warning[] {
  const block = pair.blockOf(statement);
  const [own, old] = [block && methodAround(block), methodAround(target.place.block)];
  if (own?.name === undefined || !old || own.name === old.name) return [];
  const said = new Set(statementsOf(old.method));
  const others = pair.then.tree.nodes.flatMap((node) => {
    const other = node.role === "function" ? methodAround(node) : undefined;
    const isAlike = other?.method === node && statementsOf(node).some((hash) => said.has(hash));
    return isAlike && node !== old.method ? [other.name] : [];
  });
  const kept = new Set(pair.now.tree.nodes.flatMap((node) => (isClass(node) ? nameOf(node) : [])));
  const found = others.find((name) => name !== undefined && !kept.has(name));
  if (found === undefined) return [];
  const text = `it goes into ${old.name ?? "a class"} there, and ${found} has a method like it`;
  return [{ code: "doubtful_name", text }];
}

interface Method {
  readonly method: TreeNode;
  /** Of its class. */
  readonly name: string | undefined;
}

function methodAround(node: TreeNode): Method | undefined {
  const around = [node, ...ancestors(node)];
  const method = around.find(({ role }) => role === "function");
  const owner = around.find(isClass);
  return method && owner ? { method, name: nameOf(owner) } : undefined;
}

/** Signs of the statements of a function that say something. */
function statementsOf({ children }: TreeNode): string[] {
  const body = children.find(({ role }) => role === "block")?.children ?? [];
  return body.filter(({ size }) => size >= TELLING_SIZE).map(({ hash }) => `${hash}`);
}

const TELLING_SIZE = 6;

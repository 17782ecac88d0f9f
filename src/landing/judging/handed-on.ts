/**
 * @file Words that were handed on: what one version calls `v`, the other calls `s`, and has another `v`. The word is
 * there, so nothing is missing, but it means something else.
 */
import type { Landing } from "../../format/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { Binding, Call, Parameter, ParsedFile, Syntax } from "../../languages/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { givesValue } from "../adapting/definitions.ts";
import { loopsAround } from "../pairing/made-functions.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { enclosingStatement } from "../pairing/version-tree.ts";
import { resolveVisibleName } from "../pairing/visible-name.ts";
import { isVariable } from "../pairing/written-values.ts";
import { statementAround } from "../placing/statement-at.ts";

type Warning = Landing["warnings"][number];

interface Meaning {
  readonly name: string;
  readonly now: Binding;
  readonly then: Binding;
}

export function handedOn(
  pair: VersionPair,
  adapted: AdaptedStatement,
  paired: readonly Meaning[],
): Warning[] {
  const { node } = adapted.statement;
  const { calls } = pair.now.source.uses;
  return [
    ...handedWords(pair, node),
    ...paired.flatMap((one) => [
      ...(isVariable(one.now) ? handedWord(pair, one.now.name, one) : []),
      ...handedFunction(pair, one),
      ...begunElsewhere(pair, one),
      ...notAwaited(pair, one),
    ]),
    ...calls.filter((call) => isInside(call.node, node)).flatMap((call) => otherMethod(pair, call)),
    ...adapted.definitions.flatMap((one) => innerNames(pair, one, adapted)),
  ];
}

/** Properties and keys that a statement reads, and that mean something else there. */
export function handedWords(pair: VersionPair, node: Syntax): Warning[] {
  const { text, uses } = pair.now.source;
  const words = [
    ...uses.members.filter((one) => isInside(one.node, node)).map(({ name }) => `.${name}`),
    ...keysIn(text.slice(node.start, node.end)),
  ];
  return [...new Set(words)].flatMap((word) => {
    const handed = handedWord(pair, word);
    return handed.length > 0 ? handed : handedUses(pair, word);
  });
}

function doubtful(text: string): Warning {
  return { code: "doubtful_name", text };
}

/** `b` of `params["b"]`, `0` of `params[0]`, as they are written. */
function keysIn(text: string): string[] {
  return [...text.matchAll(/[\w)\]]\[\s*(["']\w+["']|\d+)\s*\]/g)].map(([, key = ""]) => key);
}

/** What gives a word its value in one version gives it to another word in the other one, and nothing so to it. */
function handedWord({ now, then }: VersionPair, word: string, variable?: Meaning): Warning[] {
  const [ours, theirs] = [givenTo(now), givenTo(then)];
  const written = variable?.name ?? word;
  const isHanded = [
    { from: ours, own: { word, of: variable?.now }, to: theirs, except: written },
    { from: theirs, own: { word: written, of: variable?.then }, to: ours, except: word },
  ].some(({ from, own, to, except }) => {
    const same = to.filter((one) => one.word === except).map(({ shape }) => shape);
    if (same.length === 0) return false;
    const left = new Set(
      from
        .filter((one) => isGivenTo(one, own))
        .flatMap(({ shape }) => {
          return !same.includes(shape) && SAYS_SOMETHING.test(shape) ? [shape] : [];
        }),
    );
    return to.some((other) => other.word !== except && left.has(other.shape));
  });
  return isHanded ? [doubtful(`${written.replace(".", "")} may mean something else there`)] : [];
}

/**
 * A property or key that all statements which read it in the older version have under another word now: `range(args.n)`,
 * now `range(args.hidden)`.
 */
function handedUses({ now, then, mapping }: VersionPair, word: string): Warning[] {
  const readers = new Set(readsOf(then, word).map((node) => enclosingStatement(node)));
  const words = [...readers].flatMap((old) => {
    const own = mapping.sourceOf(old);
    const [before, after] = [wordsIn(then, old), own ? wordsIn(now, own) : []];
    if (before.length !== after.length) return after.includes(word) ? [word] : [];
    return before.flatMap((one, at) => (one === word ? (after[at] ?? []) : []));
  });
  if (words.length === 0 || words.includes(word)) return [];
  return [doubtful(`${word.replaceAll(/[."']/g, "")} may mean something else there`)];
}

/** Where a property or key is read, and not called. */
function readsOf({ source, tree }: Side, word: string): TreeNode[] {
  const { text, uses } = source;
  const callees = new Set(uses.calls.map(({ callee }) => `${callee.start}-${callee.end}`));
  const nodes = word.startsWith(".")
    ? uses.members.filter((one) => `.${one.name}` === word).map(({ node }) => node)
    : [...tree.nodeOf.keys()].filter(({ start, end }) => {
        return text.slice(start, end) === word && text[start - 1] === "[" && text[end] === "]";
      });
  return nodes.flatMap((node) => {
    const isCalled = callees.has(`${node.start}-${node.end}`);
    const isSet = uses.writes.some(({ target }) => isInside(node, target));
    return isCalled || isSet ? [] : (tree.nodeOf.get(node) ?? []);
  });
}

/** The properties and keys of a statement in their order, without its blocks. */
function wordsIn({ source }: Side, statement: TreeNode): string[] {
  const block = statement.children.find(({ role }) => role === "block");
  const text = source.text.slice(statement.start, block?.start ?? statement.end);
  return [...text.matchAll(/\.[A-Za-z_]\w*|(?<=\[)["']\w+["'](?=\])/g)].map(([one]) => one);
}

/** A parameter of a function may have the name of a variable that was called otherwise. */
function isGivenTo(
  { word, binding }: Assignment,
  own: { readonly word: string; readonly of: Binding | undefined },
): boolean {
  return word === own.word && (!own.of || !binding || binding === own.of);
}

/** `# = 0` begins many values; `# = step(x)` does not. */
const SAYS_SOMETHING = /=.*(?:#|\b(?!None|True|False|null|true|false|new\b)[A-Za-z_]\w*)/s;

/** An assignment to a name, property or key, with `#` in its place. */
interface Assignment {
  readonly word: string;
  readonly shape: string;
  readonly binding: Binding | undefined;
}

const given = new WeakMap<ParsedFile, readonly Assignment[]>();

function givenTo({ source, scopes }: Side): readonly Assignment[] {
  const known = given.get(source);
  if (known) return known;
  const bindings = new Map<number, Binding | null>([
    ...scopes.references.map(({ node, binding }) => [node.start, binding] as const),
    ...[...scopes.bindingOf].map(([node, binding]) => [node.start, binding] as const),
  ]);
  const found: Assignment[] = [];
  for (const { target } of source.uses.writes) {
    const around = statementAround(source, target)?.node ?? target;
    const text = source.text.slice(around.start, around.end).replace(/;$/, "");
    const words = [...source.text.slice(target.start, target.end).matchAll(WORDS)];
    for (const { 0: word, index } of text.includes("\n") ? [] : words) {
      const shape = text.replaceAll(WORDS, (one) => (one === word ? "#" : one));
      // Many objects are given such a property.
      if (word !== words.at(-1)?.[0] && shape.split("#").length < 3) continue;
      found.push({ word, shape, binding: bindings.get(target.start + index) ?? undefined });
    }
  }
  given.set(source, found);
  return found;
}

/** Properties with their dots: a variable may have the same name. */
const WORDS = /["']\w+["']|\d+\.\d+|\.?\b\w+\b/g;

/** A function of the older version that says what another one says in the newer version. */
function handedFunction({ now, then }: VersionPair, meaning: Meaning): Warning[] {
  const [ours, theirs] = [bodyOf(now, meaning.now), bodyOf(then, meaning.then)];
  if (!ours || !theirs || ours.hash === theirs.hash) return [];
  const isElsewhere = now.source.statements.some(({ node, parameters }) => {
    const own = parameters === undefined ? undefined : bodyIn(now, node);
    return own !== undefined && own !== ours && own.hash === theirs.hash;
  });
  const text = `${meaning.name} does there what another function does in the newer version`;
  return isElsewhere ? [doubtful(text)] : [];
}

function bodyOf(side: Side, { kind, declarations: [name] }: Binding): TreeNode | undefined {
  const made = side.source.statements.find(({ node, parameters }) => {
    return parameters !== undefined && name !== undefined && isInside(name, node);
  });
  return kind === "function" && made ? bodyIn(side, made.node) : undefined;
}

function bodyIn({ tree }: Side, statement: Syntax): TreeNode | undefined {
  const own = tree.nodeOf.get(statement);
  return own?.children.find(({ role }) => role === "block");
}

/** A sum that begins anew in an iteration of another loop: in its function, and with the loops around the call of that. */
function begunElsewhere({ now, then }: VersionPair, { name, ...of }: Meaning): Warning[] {
  const isSame = [loopsIn, loopsAround].some((loops) => {
    const [ours, theirs] = [depthOfStart(now, of.now, loops), depthOfStart(then, of.then, loops)];
    return ours === undefined || theirs === undefined || ours === theirs;
  });
  return isSame ? [] : [doubtful(`${name} begins anew in another loop there`)];
}

/** Loops around the innermost place at which a sum gets its first value; undefined: it is no sum. */
function depthOfStart(side: Side, binding: Binding, loops: typeof loopsAround): number | undefined {
  const { source, scopes, tree } = side;
  const own = source.uses.writes.filter(({ target }) => {
    return scopes.referenceOf.get(target)?.binding === binding;
  });
  if (!isVariable(binding) || !own.some(({ accumulates }) => accumulates)) return undefined;
  const sums = own.filter(({ accumulates }) => accumulates).map(({ target }) => target);
  const plain = own.filter(({ accumulates }) => !accumulates).map(({ target }) => target);
  const starts = [...binding.declarations, ...plain].filter((node) => {
    return !sums.some((one) => one.start === node.start);
  });
  const depths = starts.flatMap((node) => {
    const at = tree.nodeOf.get(node);
    return at ? [loops(side, at)] : [];
  });
  return depths.length === 0 ? undefined : Math.max(...depths);
}

function loopsIn(_: Side, node: TreeNode): number {
  return [...ancestors(node)].filter(({ role }) => role === "loop").length;
}

/** A promise in one version, and in the other what it gave. */
function notAwaited({ now, then }: VersionPair, { name, ...of }: Meaning): Warning[] {
  const [ours, theirs] = [promiseOf(now, of.now), promiseOf(then, of.then)];
  const isOther = ours !== undefined && theirs !== undefined && ours !== theirs;
  return isOther ? [doubtful(`${name} is awaited in one of the two versions only`)] : [];
}

/** Whether a variable holds what an `async` function of the file gave, before it is there; undefined: nobody knows. */
function promiseOf({ source, scopes }: Side, binding: Binding): boolean | undefined {
  const [name] = binding.declarations;
  const made = name && statementAround(source, name);
  const call = source.uses.calls.find(({ node }) => made && isInside(node, made.node));
  const called = call && scopes.referenceOf.get(call.callee)?.binding;
  const [inner] = called?.declarations ?? [];
  const definition = inner && statementAround(source, inner);
  if (!made || !definition || !isVariable(binding)) return undefined;
  const isAsync = /^(?:export\s+)?(?:async\b|(?:const|let)\s+\w+\s*=\s*async\b)/;
  const text = source.text.slice(definition.node.start, definition.node.end);
  return isAsync.test(text) && !made.needs.awaits;
}

/** A method whose parameters changed places, if each version has one of that name. */
function otherMethod({ now, then }: VersionPair, { callee, given }: Call): Warning[] {
  const member = now.source.uses.members.find(({ node }) => node === callee);
  if (!member) return [];
  const [ours, theirs] = [methodOf(now, member.name), methodOf(then, member.name)];
  if (!ours || !theirs) return [];
  const isOtherwise = ours.slice(0, given + 1).some(({ name }, at) => {
    return theirs.some((other, place) => other.name === name && place !== at);
  });
  const text = `${member.name} takes its arguments in another order there`;
  return isOtherwise ? [{ code: "changed_signature", text }] : [];
}

function methodOf({ source }: Side, name: string): readonly Parameter[] | undefined {
  const all = [...source.statements, ...source.members.flatMap(({ statements }) => statements)];
  const own = new Map(all.map((one) => [one.node.start, one]));
  const found = [...own.values()].filter(({ member, parameters }) => {
    return member === name && parameters !== undefined;
  });
  return found.length === 1 ? (found[0]?.parameters ?? undefined) : undefined;
}

/** What a function that comes along reads must be what the statement that needs it would read by that name. */
export function innerNames(
  pair: VersionPair,
  inner: AdaptedStatement,
  { target }: AdaptedStatement,
): Warning[] {
  if (givesValue(inner.statement)) return [];
  const at = pair.scopedOffsetOf(target.place);
  return namesWhereItGoes(pair, inner).flatMap(({ free, written, found }) => {
    if (!isVariable(free.binding) || found.kind !== "visible") return [];
    const seen = resolveVisibleName(pair.then.scopes, written, at);
    const isOther = seen.kind === "visible" && seen.binding !== found.binding;
    return isOther ? [doubtful(`${written} is another one where it is asked`)] : [];
  });
}

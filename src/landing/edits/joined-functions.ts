/**
 * @file What functions and words of a question stand for in an older version, by all that uses them: a function that was
 * two, and properties and keys that others have by another word.
 */
import type { Statement } from "../../languages/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { TreeNode } from "../../tree/index.ts";
import { handedWords } from "../judging/handed-on.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { enclosingStatement } from "../pairing/version-tree.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";
import { pairsBeside } from "./pair-beside.ts";

/** Texts of what was handed on: properties and keys that the question reads, and that others have by another word now. */
export function handedWordsOf(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): string[] {
  const found = pairsBeside(edits, question).flatMap(({ own, pair }) => {
    return own.flatMap(({ node }) => handedWords(pair, node).map(({ text }) => text));
  });
  return [...new Set(found)];
}

/** A function that a question stands in, what the older version has for it, and what that calls besides. */
export interface JoinedFunction {
  readonly name: string;
  readonly then: string;
  readonly other: string;
}

/** `run(w, false)`, where the older version has `test(w)`, and the question goes into `train`. */
export function joinedFunctions(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): JoinedFunction[] {
  const found = pairsBeside(edits, question).flatMap(({ own, pair }) => {
    return own.flatMap((one) => joinedAround(pair, one));
  });
  return [...new Map(found.map((one) => [`${one.name} ${one.other}`, one])).values()];
}

function joinedAround(pair: VersionPair, statement: Statement): JoinedFunction[] {
  const { now, then, mapping } = pair;
  const block = pair.blockOf(statement);
  const around = block && [...ancestors(block)].find(({ role }) => role === "function");
  const partner = around && mapping.partnerOf(around);
  const [name, old] = [around && nameOf(now, around), partner && nameOf(then, partner)];
  if (name === undefined || old === undefined) return [];
  const known = new Set(namesOfFunctions(now));
  const theirs = new Set(namesOfFunctions(then));
  const callers = now.source.uses.calls.flatMap(({ node, callee }) => {
    const at = lastWord(now, callee) === name ? now.tree.nodeOf.get(node) : undefined;
    return at ? [enclosingStatement(at)] : [];
  });
  return [...new Set(callers)].flatMap((caller) => {
    const there = mapping.partnerOf(caller);
    const calls = there ? calledIn(then, there) : [];
    const isAsOften = callsOf(old, calls) >= callsOf(name, calledIn(now, caller));
    const other = calls.find((one) => theirs.has(one) && !known.has(one) && one !== old);
    return isAsOften || other === undefined ? [] : [{ name, then: old, other }];
  });
}

function callsOf(name: string, calls: readonly string[]): number {
  return calls.filter((one) => one === name).length;
}

function namesOfFunctions(side: Side): string[] {
  return side.source.statements.flatMap(({ node, parameters }) => {
    const own = parameters === undefined ? undefined : side.tree.nodeOf.get(node);
    return (own && nameOf(side, own)) ?? [];
  });
}

/** The name of a function, or of what it is given to. */
function nameOf({ source }: Side, { start, end }: TreeNode): string | undefined {
  const text = source.text.slice(start, end);
  return /^(?:export\s+)?(?:async\s+)?(?:def|function\*?|const|let)\s+([\w$]+)/.exec(text)?.[1];
}

/** Names of functions and methods that are called in the first line of a statement. */
function calledIn(side: Side, statement: TreeNode): string[] {
  const block = statement.children.find(({ role }) => role === "block");
  const head = { start: statement.start, end: block?.start ?? statement.end };
  const calls = side.source.uses.calls.filter(({ node }) => isInside(node, head));
  return calls.map(({ callee }) => lastWord(side, callee));
}

function lastWord({ source }: Side, { start, end }: { start: number; end: number }): string {
  return /[\w$]*$/.exec(source.text.slice(start, end))?.[0] ?? "";
}

/**
 * @file What two versions of a program differ in besides a question, as far as the question can see it:
 * functions that it calls, directly or not, and names that it mentions.
 */
import type { ParsedFile, Statement, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { givenProperties } from "../pairing/written-values.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";
import { isKnownAt } from "./names-at.ts";
import { onlyLooks } from "./changed-lines/passing.ts";
import { statementAround } from "../placing/statement-at.ts";

/** What differs, in the words of the newer version. */
export interface SeenDifference {
  readonly name: string;
  /** The functions to be brought for the question to use the newer one; empty: it cannot be. */
  readonly bring: readonly string[];
}

/**
 * What differs and is called by a question, directly or not, or mentioned by it. `renames`: what the older
 * version calls otherwise.
 */
export function differencesSeen(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
  renames: readonly Rename[],
): SeenDifference[] {
  const files = [...edits.values()];
  const words = new Map(
    files.flatMap((edit) => {
      const own = edit.gaps.flatMap(({ added }) => {
        return added.filter((one) => isAsked(question, edit, one));
      });
      const { bindingOf } = edit.now.scopes;
      const brought = [...bindingOf].filter(([at]) => own.some(({ node }) => isInside(at, node)));
      const names = new Set(brought.map(([, { name }]) => name));
      return own.flatMap(({ node }) => {
        const mentioned = mentionedIn(edit.now, node).filter((one) => !names.has(one));
        return mentioned.map((one): [string, string | undefined] => [one, undefined]);
      });
    }),
  );
  const functions = files.flatMap(({ now }) => functionsOf(now));
  const asked = new Set(words.keys());
  for (const [called, given] of files.flatMap(({ now }) => calledFor(now, asked))) {
    if (!words.has(called)) words.set(called, given);
  }
  for (const [name] of words) {
    for (const one of functions.filter((own) => own.name === name)) {
      for (const word of one.words()) if (!words.has(word)) words.set(word, name);
    }
  }
  const wayTo = (name: string): string[] => {
    const way = [name];
    for (let at = words.get(name); at !== undefined; at = words.get(at)) way.unshift(at);
    return way;
  };
  const isBrought = (name: string): boolean =>
    functions.some((one) => one.name === name && !one.isMethod);
  const isOfRun = (name: string): boolean => files.some(({ then }) => hasWord(then.text, name));
  const same = differingNames(edits, question).filter(isOfRun);
  const renamed = renames.filter((one) => files.some((edit) => isRewritten(edit, one)));
  return [...new Set([...same, ...renamed.map(({ from }) => from)])]
    .filter((name) => words.has(name))
    .map((name) => ({ name, bring: wayTo(name).every(isBrought) ? wayTo(name) : [] }));
}

/** Functions that are called where one of some names is given its value, each with that name. */
function calledFor(source: ParsedFile, names: ReadonlySet<string>): [string, string][] {
  const { scopes, uses } = source;
  return uses.calls.flatMap(({ node, callee }): [string, string][] => {
    const called = scopes.references.find((one) => one.node === callee);
    const maker = called && statementAround(source, node);
    if (!maker || isFunction(maker)) return [];
    const given = namesSetBy(source, maker).find((name) => names.has(name));
    return given === undefined ? [] : [[called.name, given]];
  });
}

interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Whether a function is called otherwise in the older version, and says something else there, too: more than
 * words that only one of both has.
 */
function isRewritten({ then, now }: FileEdit, { from, to }: Rename): boolean {
  const [old] = functionsOf(then).filter(({ name }) => name === to);
  const [own] = functionsOf(now).filter(({ name }) => name === from);
  if (!old || !own) return false;
  const isSame = (word: string, other: string | undefined): boolean => {
    if (word === other || other === undefined) return word === other;
    const areNames = [word, other].every((one) => /^[\p{L}_$]/u.test(one));
    return areNames && !hasWord(now.text, word) && !hasWord(then.text, other);
  };
  const isAlike = old.text.every((word, at) => isSame(word, own.text[at]));
  return old.text.length !== own.text.length || !isAlike;
}

function isAsked(question: QuestionStarts, { now }: FileEdit, { node }: Statement): boolean {
  return question.get(now.file)?.has(node.start) ?? false;
}

/** Names of all that differs besides a question, or that only one of both versions has. */
export function differingNames(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): string[] {
  const files = [...edits.values()];
  const names = files.flatMap((edit) => {
    const added = edit.gaps.flatMap((gap) => gap.added.filter((one) => !gap.shaped.has(one)));
    const gone = edit.gaps.flatMap(({ lost }) => lost);
    const changed = edit.changed.filter((one) => !isOnlyRenamed(edit, one.then, one.now));
    return [
      ...[...added, ...changed.map((one) => one.now)]
        .filter((one) => !isAsked(question, edit, one) && !isAside(edit, one))
        .flatMap((one) => knownBy(edit.now, one)),
      ...[...gone, ...changed.map((one) => one.then)].flatMap((one) => knownBy(edit.then, one)),
    ];
  });
  return [...new Set(names)];
}

/** A property that the older version does not have, and the statement that gives it. */
interface GivenElsewhere {
  readonly name: string;
  readonly file: string;
  readonly statement: Statement;
}

/**
 * Properties that a question mentions and only statements give that are no part of it, nor of the older version: a key
 * more in an object, a variable more in a namespace. Nothing would have that value there.
 */
export function givenElsewhere(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): GivenElsewhere[] {
  const files = [...edits.values()];
  const mentioned = new Set(
    files.flatMap((edit) => {
      const own = edit.gaps.flatMap(({ added }) =>
        added.filter((one) => isAsked(question, edit, one)),
      );
      const { members } = edit.now.uses;
      const isOwn = (part: Syntax): boolean => own.some(({ node }) => isInside(part, node));
      return members.filter(({ node }) => isOwn(node)).map(({ name }) => name);
    }),
  );
  const isNew = (name: string): boolean => files.every(({ then }) => !hasWord(then.text, name));
  return files.flatMap((edit) => {
    const { now } = edit;
    const added = edit.gaps.flatMap((gap) => gap.added);
    const left = [...added, ...edit.changed.map((one) => one.now)].filter((one) => {
      return !isAsked(question, edit, one) && !one.isLog && !one.isLogOnly;
    });
    return left.flatMap((statement) => {
      const names = [...namesSetBy(now, statement), ...keysOf(now, statement)];
      const known = [...new Set(names)].filter((name) => mentioned.has(name) && isNew(name));
      return known.map((name) => ({ name, file: now.file, statement }));
    });
  });
}

function keysOf({ text }: ParsedFile, { node }: Statement): string[] {
  const own = text.slice(node.start, node.end);
  return [...own.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)["']?\s*:/gu)].map(([, key]) => key ?? "");
}

/** Whether a statement gives values only to what the older version does not have. */
function isAside({ then, now }: FileEdit, statement: Statement): boolean {
  const { leaves, member } = statement;
  if (leaves || member !== undefined || isFunction(statement)) return false;
  const areNew = namesSetBy(now, statement).every((name) => !hasWord(then.text, name));
  return areNew && onlyLooks(now, statement, then);
}

/**
 * Properties that statements of the newer version read and that nothing in the older one has, though they
 * are no part of the question: to read what is not there gives no error, but a value that is none.
 */
export function propertiesLacking(
  { then, now }: FileEdit,
  statements: readonly Statement[],
): string[] {
  const isAsked = (part: Syntax): boolean => statements.some(({ node }) => isInside(part, node));
  const asked = now.uses.members.filter(({ node, isKnown }) => !isKnown && isAsked(node));
  const ordered = statements.toSorted((one, other) => one.node.start - other.node.start);
  const text = ordered.reduceRight(
    (left, { node }) => left.slice(0, node.start) + left.slice(node.end),
    now.text,
  );
  const inside = [...now.statements, ...now.members.flatMap((list) => list.statements)];
  const given = new Set([
    ...givenProperties(now, isAsked),
    ...inside.filter(({ node }) => isAsked(node)).map(({ member }) => member),
  ]);
  const isNewer = ({ name, isOwn }: (typeof asked)[number]): boolean =>
    !given.has(name) && !hasWord(then.text, name) && (isOwn || hasWord(text, name));
  return [...new Set(asked.filter(isNewer).map(({ name }) => name))];
}

interface NamedFunction {
  readonly name: string;
  readonly isMethod: boolean;
  /** What it says, word by word, without comments. */
  readonly text: readonly string[];
  words(this: void): string[];
}

function functionsOf(source: ParsedFile): NamedFunction[] {
  return source.statements.filter(isFunction).flatMap((statement) => {
    const name = nameOf(source, statement);
    const isMethod = statement.member !== undefined;
    const words = (): string[] => mentionedIn(source, statement.node);
    const { start, end } = statement.node;
    const own = source.text.slice(start, end).replaceAll(/(?:^|\s)(?:#|\/\/).*$/gmu, "");
    const text = own.match(/[\p{L}\p{N}_$]+|\S/gu) ?? [];
    return name === undefined ? [] : [{ name, isMethod, text, words }];
  });
}

function isFunction({ parameters, isDeclaration }: Statement): boolean {
  return parameters !== undefined || isDeclaration;
}

/** The first name that a definition declares: its own. */
function nameOf({ scopes }: ParsedFile, { node }: Statement): string | undefined {
  const own = [...scopes.bindingOf].filter(([at]) => isInside(at, node));
  return own.toSorted(([a], [b]) => a.start - b.start)[0]?.[1].name;
}

function mentionedIn({ scopes, uses }: ParsedFile, part: Syntax): string[] {
  return [
    ...scopes.references.filter(({ node }) => isInside(node, part)).map(({ name }) => name),
    ...uses.members.filter(({ node }) => isInside(node, part)).map(({ name }) => name),
  ];
}

/** The function or class that a statement is a part of, else the names that it gives values to. */
function knownBy(source: ParsedFile, statement: Statement): string[] {
  if (statement.isLog || statement.isLogOnly) return [];
  const { statements } = source;
  const { node } = statement;
  const around = statements.find((one) => isFunction(one) && isInside(node, one.node));
  if (around) return [nameOf(source, around) ?? []].flat();
  return [...namesSetBy(source, statement), ...namesChangedBy(source, statement)];
}

/** Names of what a statement changes by a method, or a part of it; a function of a module changes none. */
function namesChangedBy({ scopes, mutations }: ParsedFile, { node }: Statement): string[] {
  const own = scopes.references.filter((one) => {
    const isChanged = mutations.mutated.has(one.node) && one.binding?.kind !== "import";
    return isChanged && isInside(one.node, node);
  });
  return own.map(({ name }) => name);
}

/** Names and properties that a statement gives values to, itself or in its blocks. */
export function namesSetBy(source: ParsedFile, { node }: Statement): string[] {
  const { scopes } = source;
  const declared = [...scopes.bindingOf].filter(([at, { scope }]) => {
    return isInside(at, node) && !isInside(scope.node, node);
  });
  const set = scopes.references.filter((one) => one.isWrite && isInside(one.node, node));
  return [
    ...declared.map(([, { name }]) => name),
    ...set.map(({ name }) => name),
    ...givenProperties(source, (target) => isInside(target, node)),
  ];
}

/** Whether two statements say the same, but for words that only one of the versions has. */
export function isOnlyRenamed({ then, now }: FileEdit, old: Statement, own: Statement): boolean {
  const [before, after] = [wordsAround(then, old), wordsAround(now, own)];
  if (before.length !== after.length) return false;
  return before.every((word, at) => {
    const other = after[at] ?? "";
    if (word === other) return true;
    const isKnown =
      isKnownAt(now, own, { word, of: then }) || isKnownAt(then, old, { word: other, of: now });
    return /^[\p{L}_$]/u.test(word) && !isKnown;
  });
}

function hasWord(text: string, word: string): boolean {
  const own = word.replaceAll("$", String.raw`\$`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_$])${own}(?![\p{L}\p{N}_$])`, "u").test(text);
}

/** Names, texts as a whole (a key is not renamed with a variable), and signs; what is put into a text may be. */
const WORDS = /(?<![\p{L}\p{N}_$])(?:"[^"\n]*"|'[^'\n]*')|[\p{L}_$][\p{L}\p{N}_$]*|\S/gu;

/** The words of a statement up to what stands in its blocks. */
function wordsAround({ text, statements }: ParsedFile, { node }: Statement): readonly string[] {
  const inner = statements.filter((one) => one.node !== node && isInside(one.node, node));
  const end = Math.min(node.end, ...inner.map((one) => one.node.start));
  return text.slice(node.start, end).match(WORDS) ?? [];
}

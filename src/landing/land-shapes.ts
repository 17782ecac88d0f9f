/**
 * @file Statements that show more of the run (`g = clip(net)` for `clip(net)`), in an older version that
 * calls things otherwise: its own statement is written as the newer one is, in its own words. Whoever
 * uses the text finds out by comparing whether that is the same program with more to see.
 */
import type { Binding, Edit, ParsedFile, Statement } from "../languages/index.ts";
import type { Span } from "../tree/index.ts";
import { isInside } from "../tree/index.ts";
import type { ChangedStatement, FileEdit } from "./edits/align.ts";

/** The older text with these statements in it, and the names that they alone have there. */
export interface ShapedText {
  readonly text: string;
  readonly names: ReadonlySet<string>;
}

/** `starts`: where they begin in the newer text. Undefined: the older version has no such statement. */
export function shapeAsNow(edit: FileEdit, starts: ReadonlySet<number>): ShapedText | undefined {
  const { then, now } = edit;
  const renamed = namesThere(edit);
  const edits: Edit[] = [];
  for (const start of starts) {
    const pair = pairAt(edit, start, renamed);
    if (!pair) return undefined;
    const [old, own] = [headOf(then, pair.then), headOf(now, pair.now)];
    edits.push({ ...old, text: inWords(now, own, renamed) });
  }
  const text = edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((all, one) => all.slice(0, one.start) + one.text + all.slice(one.end), then.text);
  const known = new Set(wordsIn(then.text));
  const names = edits.flatMap((one) => wordsIn(one.text)).filter((word) => !known.has(word));
  return { text, names: new Set(names) };
}

/** The statement of the older version that one of the newer seems to be: of those that are gone there, the likest. */
function pairAt(
  { changed, gaps, then, now }: FileEdit,
  start: number,
  names: ReadonlyMap<Binding, string>,
): ChangedStatement | undefined {
  const known = changed.find((one) => one.now.node.start === start);
  if (known) return known;
  const gap = gaps.find(({ added }) => added.some(({ node }) => node.start === start));
  const own = gap?.added.find(({ node }) => node.start === start);
  if (!gap || !own) return undefined;
  const words = new Set(wordsIn(inWords(now, headOf(now, own), names)));
  const likeness = ({ start: from, end }: Span): number =>
    wordsIn(then.text.slice(from, end)).filter((word) => words.has(word)).length;
  const [old] = gap.gone.toSorted((one, other) => {
    return likeness(headOf(then, other)) - likeness(headOf(then, one));
  });
  return old && { then: old, now: own };
}

/** A statement up to its blocks. */
function headOf({ text, statements }: ParsedFile, { node }: Statement): Span {
  const inner = statements.filter((one) => one.node !== node && isInside(one.node, node));
  const end = Math.min(node.end, ...inner.map((one) => one.node.start));
  const { length } = text.slice(node.start, end).trimEnd();
  return { start: node.start, end: node.start + length };
}

/** What the names of the newer version are called in the older one, as changed statements tell. */
function namesThere({ then, now, changed }: FileEdit): Map<Binding, string> {
  const found = new Map<Binding, string>();
  for (const pair of changed) {
    const [old, own] = [tokensIn(then, pair.then), tokensIn(now, pair.now)];
    if (old.length !== own.length) continue;
    const isAlike = own.every(({ text }, at) => {
      const other = old[at]?.text ?? "";
      return text === other || (isWord(text) && isWord(other));
    });
    for (const [at, { start }] of isAlike ? own.entries() : []) {
      const binding = bindingAt(now, start);
      const word = old[at]?.text;
      if (binding && word !== undefined && !found.has(binding)) found.set(binding, word);
    }
  }
  return found;
}

function tokensIn(
  source: ParsedFile,
  statement: Statement,
): { readonly start: number; readonly text: string }[] {
  const { start, end } = headOf(source, statement);
  const tokens = source.text.slice(start, end).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*|\S/gu);
  return [...tokens].map((one) => ({ start: start + one.index, text: one[0] }));
}

function isWord(text: string): boolean {
  return /^[\p{L}_$]/u.test(text);
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
}

function bindingAt({ scopes }: ParsedFile, start: number): Binding | null | undefined {
  const declared = [...scopes.bindingOf].find(([node]) => node.start === start)?.[1];
  return declared ?? scopes.references.find(({ node }) => node.start === start)?.binding;
}

/** A part of a text with its names called otherwise. */
function inWords(
  source: ParsedFile,
  { start, end }: Span,
  names: ReadonlyMap<Binding, string>,
): string {
  const words = source.text.slice(start, end).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu);
  return [...words].toReversed().reduce(
    (text, word) => {
      const binding = bindingAt(source, start + word.index);
      const name = binding ? names.get(binding) : undefined;
      if (name === undefined) return text;
      return text.slice(0, word.index) + name + text.slice(word.index + word[0].length);
    },
    source.text.slice(start, end),
  );
}

/**
 * @file What is put into a version for a question, as a diff of that version: by statements, so that
 * comments and layout which differ anyway do not show. Pure.
 */
import { editBetween } from "../../landing/index.ts";
import type { ParsedFile, Statement } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";

export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
  /** On the first line of a statement that is put in: why; absent: nobody said. */
  readonly why?: string;
}

/** Lines of one place, as a unified diff has them. */
export interface DiffHunk {
  readonly file: string;
  /** `@@ -17,2 +17,4 @@`: where it begins and how long it is, in the version and with the question. */
  readonly head: string;
  readonly lines: readonly DiffLine[];
}

/** A change of whole lines: those from `first` up to `last`, which is not among them. */
interface LineChange {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly DiffLine[];
}

/** Lines of the version that are shown on each side of a change. */
const CONTEXT = 2;

/** The diff of a file; empty where one of the texts cannot be read. `whyOf`: of a statement's text. */
export function pieceDiff(
  file: string,
  texts: { readonly before: string | undefined; readonly after: string },
  whyOf: (text: string) => string | undefined,
): DiffHunk[] {
  const { before, after } = texts;
  if (before === undefined) {
    const lines = textLines(after).map((text): DiffLine => ({ sign: "+", text }));
    const [first, ...others] = lines;
    const all = first ? [{ ...first, why: "needed" }, ...others] : [];
    return all.length === 0 ? [] : [{ file, head: headOf(0, 1, all), lines: all }];
  }
  const [then, now] = [languageOf(file).read(file, before), languageOf(file).read(file, after)];
  if ("problem" in then || "problem" in now) return [];
  const { gaps } = editBetween(then, now);
  const all = gaps.flatMap((gap) => gap.added);
  const outer = gaps.filter(({ now: { owner } }) => {
    return !all.some(({ node }) => node.start < owner.start && owner.end <= node.end);
  });
  const changes = outer.map((gap): LineChange => {
    const next = gap.then.statements[gap.thenAt];
    const previous = gap.then.statements[gap.thenAt - 1];
    const [firstGone, lastGone] = [gap.gone[0], gap.gone.at(-1)];
    const first = firstGone
      ? lineOf(then, firstGone)
      : previous
        ? lastLineOf(then, previous) + 1
        : next
          ? lineOf(then, next)
          : firstLineIn(then, gap.then.owner.start);
    const last = lastGone ? lastLineOf(then, lastGone) + 1 : first;
    const gone = textLines(before).slice(first - 1, last - 1);
    const added = wholeLines(gap.added, now).flatMap(({ text, statements }): DiffLine[] => {
      const whys = statements.flatMap((one) => whyOf(textOf(now, one)) ?? []);
      return text.map((line, at) => {
        const isSaid = at === 0 && whys.length > 0;
        return { sign: "+", text: line, ...(isSaid ? { why: [...new Set(whys)].join(", ") } : {}) };
      });
    });
    const removed = gone.map((text): DiffLine => ({ sign: "-", text }));
    return { first, last, lines: [...removed, ...added] };
  });
  return hunksOf(
    file,
    textLines(before),
    changes.toSorted((a, b) => a.first - b.first),
  );
}

/** As `diff -u` writes it. */
export function unifiedDiff(hunks: readonly DiffHunk[]): string {
  const files = [...new Set(hunks.map(({ file }) => file))];
  return files
    .flatMap((file) => [
      `--- a/${file}`,
      `+++ b/${file}`,
      ...hunks
        .filter((hunk) => hunk.file === file)
        .flatMap(({ head, lines }) => [head, ...lines.map(({ sign, text }) => sign + text)]),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

function headOf(then: number, now: number, lines: readonly DiffLine[]): string {
  const count = (without: DiffLine["sign"]): number =>
    lines.filter(({ sign }) => sign !== without).length;
  return `@@ -${then},${count("+")} +${now},${count("-")} @@`;
}

function hunksOf(
  file: string,
  before: readonly string[],
  changes: readonly LineChange[],
): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let shift = 0;
  for (let at = 0; at < changes.length;) {
    let end = at + 1;
    const reaches = (one: LineChange | undefined, other: LineChange | undefined): boolean =>
      one !== undefined && other !== undefined && other.first - one.last <= 2 * CONTEXT;
    while (reaches(changes[end - 1], changes[end])) end += 1;
    const own = changes.slice(at, end);
    const first = Math.max(1, (own[0]?.first ?? 1) - CONTEXT);
    const last = Math.min(before.length, (own.at(-1)?.last ?? 1) - 1 + CONTEXT);
    const lines: DiffLine[] = [];
    let done = first;
    for (const change of own) {
      lines.push(...contextLines(before, done, change.first), ...change.lines);
      done = Math.max(done, change.last);
    }
    lines.push(...contextLines(before, done, last + 1));
    hunks.push({ file, head: headOf(first, first + shift, lines), lines });
    shift += lines.filter(({ sign }) => sign === "+").length;
    shift -= lines.filter(({ sign }) => sign === "-").length;
    at = end;
  }
  return hunks;
}

function contextLines(before: readonly string[], first: number, end: number): DiffLine[] {
  return before.slice(first - 1, Math.max(first, end) - 1).map((text) => ({ sign: " ", text }));
}

/** Statements by the lines on which they stand: several may share one. */
function wholeLines(
  statements: readonly Statement[],
  file: ParsedFile,
): { text: string[]; statements: Statement[] }[] {
  const lines = textLines(file.text);
  const groups: { first: number; last: number; statements: Statement[] }[] = [];
  for (const statement of statements) {
    const [first, last] = [lineOf(file, statement), lastLineOf(file, statement)];
    const known = groups.at(-1);
    if (known && first <= known.last) {
      known.statements.push(statement);
      known.last = Math.max(known.last, last);
    } else groups.push({ first, last, statements: [statement] });
  }
  return groups.map(({ first, last, statements: own }) => {
    return { text: lines.slice(first - 1, last), statements: own };
  });
}

function textOf({ text }: ParsedFile, { node }: Statement): string {
  return text.slice(node.start, node.end);
}

function textLines(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function lineOf({ lines }: ParsedFile, { node }: Statement): number {
  return lines.at(node.start).line;
}

function lastLineOf({ lines }: ParsedFile, { node }: Statement): number {
  return lines.at(Math.max(node.start, node.end - 1)).line;
}

/** Behind the line on which a block begins that had no statement. */
function firstLineIn({ lines, text }: ParsedFile, start: number): number {
  return text === "" ? 1 : lines.at(start).line + 1;
}

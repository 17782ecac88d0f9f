/**
 * @file The newer text with everything undone but a question: what the run executed, with the question
 * where its author put it. Lines stay those of the newer text where they can.
 */
import type { Edit, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isSameApartFrom } from "../writing/verify-insertion.ts";
import type { FileEdit, Gap } from "./align.ts";
import type { PieceStatement } from "./piece.ts";

/** The older version of a file with a question in it. */
export interface AskedText {
  readonly text: string;
  /** Where its statements begin that are no log calls. */
  readonly starts: readonly number[];
}

/**
 * Keeps the question and undoes the rest; undefined where the question stands in a block that has not
 * only gained statements, or where the result would be more than the older version with it in.
 */
export function keepPiece(edit: FileEdit, piece: readonly PieceStatement[]): AskedText | undefined {
  if (piece.some(({ gap }) => !gap.isOnlyGained)) return undefined;
  const added = piece.filter(({ statement, gap }) => !gap.shaped.has(statement));
  if (!isSound(edit, added)) return undefined;
  const { text, moved } = undoAllBut(edit, piece);
  const others = added.filter(({ statement }) => !statement.isLog);
  return { text, starts: others.map(({ statement }) => moved(statement.node.start)) };
}

/** Whether what is left, without what shows more of the run, is the older program with a question. */
function isSound(edit: FileEdit, added: readonly PieceStatement[]): boolean {
  const { text, moved } = undoAllBut(edit, added);
  const result = edit.then.language.read(edit.then.file, text);
  const parts = partsOf(added, moved);
  return !("problem" in result) && isSameApartFrom(edit.then.shape, result.shape, parts);
}

interface Undone {
  readonly text: string;
  /** Where an offset of the newer text comes to lie. */
  readonly moved: (offset: number) => number;
}

function undoAllBut(edit: FileEdit, piece: readonly PieceStatement[]): Undone {
  const kept = new Set(piece.map(({ statement }) => statement));
  const changes = edit.gaps
    .flatMap((gap) => {
      if (gap.lost.length > 0) return [restored(edit, gap)];
      return [...restoredLogs(edit, gap), ...removed(edit, gap, kept)];
    })
    .filter((one, _, all) => !all.some((other) => other !== one && holds(other, one)))
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    // What separates two statements of a line that are taken out is taken out once.
    .map((change, at, all) => {
      const start = Math.max(change.start, all[at - 1]?.end ?? 0);
      return { ...change, start, end: Math.max(start, change.end) };
    });
  return { text: changed(edit.now.text, changes), moved: movedBy(changes) };
}

/** Whether one change leaves nothing of where another is. */
function holds(outer: Edit, inner: Edit): boolean {
  const isBefore = inner.end === outer.start;
  return (
    outer.start <= inner.start && inner.end <= outer.end && outer.end > outer.start && !isBefore
  );
}

function changed(text: string, changes: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: instead } of changes) {
    result += text.slice(done, start) + instead;
    done = end;
  }
  return result + text.slice(done);
}

/** Where an offset comes to lie once the changes are made. */
function movedBy(changes: readonly Edit[]): (offset: number) => number {
  return (offset) =>
    changes
      .filter(({ end }) => end <= offset)
      .reduce((at, { start, end, text }) => at + text.length - (end - start), offset);
}

/** One span for what was added between two statements of the run: separators belong to it. */
function partsOf(piece: readonly PieceStatement[], moved: (offset: number) => number): Span[] {
  const spans = new Map<Gap | Statement, Span>();
  for (const { gap, statement } of piece) {
    const before = gap.added.slice(0, gap.added.indexOf(statement));
    const key = before.findLast((one) => gap.shaped.has(one)) ?? gap;
    const { start, end } = statement.node;
    spans.set(key, { start: spans.get(key)?.start ?? moved(start), end: moved(end) });
  }
  return [...spans.values()];
}

/** Added statements that are taken out, with what separates them from others of their lines. */
function removed({ now }: FileEdit, gap: Gap, kept: ReadonlySet<Statement>): Edit[] {
  return gap.added.flatMap((statement): Edit[] => {
    if (kept.has(statement)) return [];
    const { start, end } = statement.node;
    const shaped = gap.shaped.get(statement);
    if (shaped?.then || shaped?.wraps) return [...shaped.undo];
    const after = /^[ \t]*;[ \t]*/.exec(now.text.slice(end))?.[0] ?? "";
    const before = /[ \t]*;[ \t]*$/.exec(now.text.slice(0, start))?.[0] ?? "";
    const isLast = /^[ \t]*(?:$|[\r\n#])/.test(now.text.slice(end + after.length));
    const from = isLast ? start - before.length : start;
    const to = end + after.length;
    const breaks = now.text.slice(from, to).match(/\r?\n/g) ?? [];
    return [{ start: from, end: to, text: breaks.join("") }];
  });
}

/** Log calls that only the older version has: what it logged there is compared. */
function restoredLogs(edit: FileEdit, gap: Gap): Edit[] {
  const { then } = edit;
  const logs = gap.lostLogs;
  const [first] = logs;
  const next = gap.added[0];
  if (!first) return [];
  if (!next) return [restored(edit, { ...gap, gone: logs })];
  const indent = /[ \t]*$/.exec(edit.now.text.slice(0, next.node.start))?.[0] ?? "";
  const texts = logs.map(({ node }) => `${then.text.slice(node.start, node.end)}\n${indent}`);
  return [{ start: next.node.start, end: next.node.start, text: texts.join("") }];
}

/** What the older version has in a gap, in place of what the newer one has there. */
function restored({ then, now }: FileEdit, gap: Gap): Edit {
  const [first, last] = [gap.gone[0], gap.gone.at(-1)];
  const text = then.text.slice(first?.node.start, last?.node.end);
  const [firstAdded, lastAdded] = [gap.added[0], gap.added.at(-1)];
  if (firstAdded && lastAdded) {
    return { start: firstAdded.node.start, end: lastAdded.node.end, text };
  }
  const indent = /[ \t]*$/.exec(then.text.slice(0, first?.node.start))?.[0] ?? "";
  const next = gap.now.statements[gap.nowAt];
  if (next) return { start: next.node.start, end: next.node.start, text: `${text}\n${indent}` };
  const at = gap.now.statements.at(-1)?.node.end ?? now.text.length;
  return { start: at, end: at, text: `\n${indent}${text}` };
}

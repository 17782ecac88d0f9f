/**
 * @file Rows on standard output: a table for a person, tab-separated values in a pipe (what `cut`
 * and `awk` take apart without help), JSON with `--json`.
 */
import type { Table } from "../../app/read.ts";
import { jsonLines, plainText, rowToJson } from "../../app/read.ts";
import type { Cell, ResultColumn } from "../../catalog/index.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatNumber, formatTime } from "./format-units.ts";
import { originSign, signLegend } from "./origin-signs.ts";
import { renderTable } from "./text-table.ts";
import { createColors, onOneLine } from "./terminal-edge.ts";

/** Rows that a terminal gets unless it asks for more. */
export const TTY_ROWS = 200;
/** Rows kept in memory, so that the index is free again before anything is printed. */
const ROWS_IN_MEMORY = 200_000;

/** Rows, of the index or not; in JSON one key a column, if they do not say otherwise. */
export type Rows = Pick<Table, "columns" | "batches"> & Partial<Table>;

export interface PrintOptions {
  /** All rows, also on a terminal. */
  readonly all?: boolean;
  /** Columns that a terminal is spared where they repeat another one: `[column, other]`. */
  readonly repeats?: readonly (readonly [column: number, other: number])[];
  /** Columns of origins, each with the one it is about: on a terminal a sign beside the value. */
  readonly origins?: readonly (readonly [column: number, origin: number])[];
}

/** Prints rows as the context wants them; answers how many there were. */
export async function printRows(
  context: CliContext,
  rows: Rows,
  options: PrintOptions = {},
): Promise<number> {
  const source = bufferedRows(rows.batches(), rows.release);
  if (context.json) return printJson(context, rows, source);
  if (!context.isTTY) return printTsv(context, rows.columns, source);
  const shown: Cell[][] = [];
  let count = 0;
  for await (const batch of source) {
    const room = options.all ? batch.length : Math.max(0, TTY_ROWS - shown.length);
    shown.push(...batch.slice(0, room));
    count += batch.length;
  }
  const more = count - shown.length;
  const left = more > 0 ? `… ${formatCount(more)} more rows: add -L 0 for all, or use a pipe` : "";
  const { text, legend } = terminalText(context, { columns: rows.columns, shown }, options);
  const counted = left === "" ? `${formatCount(count)} row${count === 1 ? "" : "s"}` : left;
  await printLong(context, text, { notes: [left, legend], longNotes: [counted, legend] });
  return count;
}

/**
 * Prints to a terminal. What is longer than it goes through the pager, and the notes with it, as its last
 * lines; else they go to standard error.
 */
export async function printLong(
  context: CliContext,
  text: string,
  { notes = [], longNotes = notes }: LongNotes = {},
): Promise<void> {
  const { dim } = createColors(context.errColor);
  const linesOf = (all: readonly string[]): string =>
    all.flatMap((note) => (note === "" ? [] : [dim(`${onOneLine(note)}\n`)])).join("");
  if (context.page && text.split("\n").length > context.page.rows) {
    await context.page.show(text + linesOf(longNotes));
    return;
  }
  context.out(text);
  const below = linesOf(notes);
  if (below !== "") context.err(below);
}

interface LongNotes {
  readonly notes?: readonly string[];
  /** Where the text is long: how much it is, too. */
  readonly longNotes?: readonly string[];
}

function terminalText(
  context: CliContext,
  { columns, shown }: { readonly columns: Rows["columns"]; readonly shown: readonly Cell[][] },
  { repeats = [], origins = [] }: PrintOptions,
): { readonly text: string; readonly legend: string } {
  const repeating = repeats.filter(([column, other]) =>
    shown.every((row) => row[column] === row[other]),
  );
  const spared = new Set([
    ...repeating.map(([column]) => column),
    ...origins.map(([, origin]) => origin),
  ]);
  const kept = <T>(row: readonly T[]): T[] => row.filter((_, at) => !spared.has(at));
  const signs = new Set(
    shown.flatMap((row) => origins.map(([, origin]) => originSign(row[origin]))),
  );
  const signed = origins.filter(([, origin]) => shown.some((row) => originSign(row[origin])));
  const rows = shown.map((row) => {
    const cells = [...row];
    // A value without a sign ends where the others do.
    for (const [column, origin] of signed) {
      cells[column] = `${displayText(row[column])} ${originSign(row[origin]) || " "}`;
    }
    return kept(cells);
  });
  const text = renderTable(
    kept(columns).map(({ name, kind }) => {
      return { title: name, align: kind === "number" ? "right" : "left" };
    }),
    rows.map((row) => row.map(displayText)),
    { width: context.columns, color: context.color, named: context.named },
  );
  return { text, legend: signLegend(signs) };
}

/** Reads ahead up to a bound; if that is everything, releases what the rows come from. */
async function* bufferedRows(
  batches: AsyncIterable<Cell[][]>,
  release: (() => void) | undefined,
): AsyncIterable<Cell[][]> {
  const kept: Cell[][][] = [];
  const iterator = batches[Symbol.asyncIterator]();
  let count = 0;
  let next = await iterator.next();
  while (!next.done && count < ROWS_IN_MEMORY) {
    kept.push(next.value);
    count += next.value.length;
    next = await iterator.next();
  }
  if (next.done) release?.();
  yield* kept;
  for (; !next.done; next = await iterator.next()) yield next.value;
}

async function printJson(
  context: CliContext,
  { columns, toJson = (row) => rowToJson(columns, row) }: Rows,
  source: AsyncIterable<Cell[][]>,
): Promise<number> {
  let count = 0;
  context.out("[");
  for await (const text of jsonLines(source, toJson)) {
    context.out(text);
    count += 1;
  }
  context.out(count === 0 ? "]\n" : "\n]\n");
  return count;
}

async function printTsv(
  context: CliContext,
  columns: readonly ResultColumn[],
  source: AsyncIterable<Cell[][]>,
): Promise<number> {
  let count = 0;
  context.out(`${columns.map((column) => escapeTsv(column.name)).join("\t")}\n`);
  for await (const batch of source) {
    const lines = batch.map((row) => row.map((cell) => escapeTsv(plainText(cell))).join("\t"));
    if (lines.length > 0) context.out(`${lines.join("\n")}\n`);
    count += batch.length;
  }
  return count;
}

/** A field never holds a tab or a newline: they are written as in JSON. */
function escapeTsv(text: string): string {
  return !/[\\\t\n\r]/.test(text)
    ? text
    : text
        .replaceAll("\\", "\\\\")
        .replaceAll("\t", "\\t")
        .replaceAll("\n", "\\n")
        .replaceAll("\r", "\\r");
}

/** A cell for people. Missing is `⋯`: it could be filled. */
export function displayText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "⋯";
  if (typeof cell === "number") return formatNumber(cell);
  if (typeof cell === "bigint") return formatCount(cell);
  if (cell instanceof Date) return formatTime(cell);
  if (typeof cell === "object" && "$" in cell) return describeTagged(cell);
  return plainText(cell);
}

/** Tensors and other values that are more than JSON, in a few words. */
function describeTagged(value: { readonly $?: unknown }): string {
  const { $, v, dtype, shape, stats } = value as { readonly [key: string]: unknown };
  if ($ !== "tensor" || !Array.isArray(shape)) return plainText(typeof v === "string" ? v : value);
  const { mean } = (stats ?? {}) as { readonly mean?: unknown };
  const size = `${String(dtype)}[${shape.join(",")}]`;
  return typeof mean === "number" ? `${size} mean ${formatNumber(mean)}` : size;
}

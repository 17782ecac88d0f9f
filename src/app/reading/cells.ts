/** @file Cells of a result, and rows that are read as they are needed. */
import type { Cell, ResultColumn } from "../../catalog/index.ts";
import { cellToJson, parseJson } from "../../catalog/index.ts";
import { plainToJson } from "../../format/index.ts";

/** A row for JSON: one key a column, or as the question documents it. */
export type JsonRow = { readonly [column: string]: unknown };

/** Rows of the index. They can be read once, and as long as the index is lent. */
export interface Table {
  readonly columns: readonly ResultColumn[];
  batches(): AsyncIterable<Cell[][]>;
  toJson(row: readonly Cell[]): JsonRow;
  /** All that is wanted has been read: the index may be closed. */
  release(): void;
}

/** A cell in full, as text. Missing is empty. */
export function plainText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return Object.is(cell, -0) ? "-0" : String(cell);
  if (typeof cell === "string") return cell;
  const json = cellToJson(cell);
  return typeof json === "string" ? json : plainToJson(json);
}

/** One key a column. */
export function rowToJson(columns: readonly ResultColumn[], row: readonly Cell[]): JsonRow {
  return Object.fromEntries(columns.map(({ name }, at) => [name, cellToJson(row[at])]));
}

/** The elements of a JSON array of rows, a batch a text, with the commas between them. */
export async function* jsonLines(
  batches: AsyncIterable<Cell[][]>,
  toJson: Table["toJson"],
): AsyncIterable<string> {
  let first = true;
  for await (const batch of batches) {
    const lines = batch.map((row) => plainToJson(toJson(row)));
    if (lines.length > 0) yield `${first ? "" : ","}\n${lines.join(",\n")}`;
    first &&= lines.length === 0;
  }
}

/** A value of `args` or of a metric as one cell. */
export function valueOf(row: Readonly<{ [key: string]: unknown }>): Cell {
  if (row["type"] === "number") return row["number"] as number;
  if (row["type"] === "text") return row["text"] as string;
  return typeof row["value"] === "string" ? parseJson(row["value"]) : null;
}

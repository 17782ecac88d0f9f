/**
 * @file Long results as numbers: cells of a column in one array of doubles, without a value of JavaScript
 * for each of a million rows.
 */
import type { Connection } from "./database.ts";
import { cellOf, kindOf } from "./result.ts";

/** What a cell is: a number, nothing, or something else. */
export const NUMBER = 0;
export const NOTHING = 1;
export const OTHER = 2;

export interface NumberColumn {
  readonly name: string;
  readonly values: Float64Array<ArrayBuffer>;
  /** Of each cell: {@link NUMBER}, {@link NOTHING} or {@link OTHER}. */
  readonly states: Uint8Array<ArrayBuffer>;
}

/** Room for so many rows to begin with; it is doubled as they come. */
const ROWS = 4096;

/** Reads a whole result, chunk by chunk: other work has its turn between them. Throws DuckDB's error. */
export async function readNumberColumns(
  connection: Connection,
  sql: string,
): Promise<NumberColumn[]> {
  const stream = await connection.stream(sql);
  const names = stream.deduplicatedColumnNames();
  const columns = names.map((name, at) => {
    const type = stream.columnType(at);
    return { name, kind: kindOf(type.toString(), type.alias), ...emptyColumn(ROWS) };
  });
  let rows = 0;
  while (true) {
    const chunk = await stream.fetchChunk();
    const count = chunk?.rowCount ?? 0;
    if (!chunk || count === 0) break;
    for (const [at, column] of columns.entries()) {
      if (column.values.length < rows + count) Object.assign(column, grown(column, rows + count));
      const vector = chunk.getColumnVector(at);
      for (let row = 0; row < count; row++) {
        const cell = cellOf(vector.getItem(row), column.kind);
        if (typeof cell === "number") column.values[rows + row] = cell;
        else if (typeof cell === "bigint") column.values[rows + row] = Number(cell);
        else column.states[rows + row] = cell === null ? NOTHING : OTHER;
      }
    }
    rows += count;
  }
  return columns.map(({ name, values, states }) => ({
    name,
    values: values.subarray(0, rows),
    states: states.subarray(0, rows),
  }));
}

function emptyColumn(rows: number): Omit<NumberColumn, "name"> {
  return { values: new Float64Array(rows), states: new Uint8Array(rows) };
}

function grown(
  { values, states }: Omit<NumberColumn, "name">,
  rows: number,
): Omit<NumberColumn, "name"> {
  const next = emptyColumn(Math.max(rows, values.length * 2));
  next.values.set(values);
  next.states.set(states);
  return next;
}

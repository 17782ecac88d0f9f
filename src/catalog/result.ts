/**
 * @file Results of queries as plain values, chunk by chunk.
 *
 * JSON output keeps what JSON cannot say as strings: `"NaN"`, `"Infinity"`, `"-Infinity"`, and
 * integers that a double cannot hold. `null` is always a missing value, never a NaN.
 */
import type { Connection } from "./database.ts";

export interface ResultColumn {
  readonly name: string;
  readonly kind: "number" | "text" | "time" | "boolean" | "json";
}

/** A value of a row: scalars as JavaScript has them, everything else as parsed JSON. */
export type Cell = null | boolean | number | bigint | string | Date | object;

export interface Result {
  readonly columns: readonly ResultColumn[];
  /** Rows in the order of the query; can be read once. */
  batches(): AsyncIterable<Cell[][]>;
  /** How many rows there are that were not read: nothing is made of them. */
  rest(): Promise<number>;
}

/** Starts a query. Throws DuckDB's error. */
export async function runQuery(connection: Connection, sql: string): Promise<Result> {
  const stream = await connection.stream(sql);
  const names = stream.deduplicatedColumnNames();
  const columns = names.map((name, at): ResultColumn => {
    const type = stream.columnType(at);
    return { name, kind: kindOf(type.toString(), type.alias) };
  });
  return {
    columns,
    rest: async () => {
      for (let rows = 0; ;) {
        const count = (await stream.fetchChunk())?.rowCount ?? 0;
        if (count === 0) return rows;
        rows += count;
      }
    },
    batches: async function* () {
      for await (const rows of stream.yieldRowsJs()) {
        yield rows.map((row) => row.map((value, at) => cellOf(value, columns[at]?.kind)));
      }
    },
  };
}

/** What a column of this type of DuckDB holds. */
export function kindOf(type: string, alias: string | undefined): ResultColumn["kind"] {
  if (alias === "JSON" || /[[(]|MAP|STRUCT|UNION/.test(type.replace(/^DECIMAL\(.*\)$/, ""))) {
    return "json";
  }
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/.test(type)) return "number";
  if (/^(TIMESTAMP|DATE)/.test(type)) return "time";
  return type === "BOOLEAN" ? "boolean" : "text";
}

/** A value of DuckDB as a cell of such a column. */
export function cellOf(value: unknown, kind: ResultColumn["kind"] | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (kind === "json" && typeof value === "string") return parseJson(value);
  if (typeof value === "object" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  return typeof value === "boolean" || typeof value === "string" ? value : null;
}

/** JSON of the index; an integer too large for a double stays text, digit by digit. */
export function parseJson(text: string): Cell {
  if (/^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text))) return BigInt(text);
  return JSON.parse(text) as Cell;
}

/** A cell as something that `JSON.stringify` writes without loss. */
export function cellToJson(cell: unknown): unknown {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : String(cell);
  if (typeof cell === "bigint") {
    return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  }
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? null : cell.toISOString();
  if (Array.isArray(cell)) return cell.map(cellToJson);
  if (cell instanceof Map) {
    return Object.fromEntries([...cell].map(([key, value]) => [String(key), cellToJson(value)]));
  }
  if (typeof cell === "object" && cell !== null) {
    return Object.fromEntries(Object.entries(cell).map(([key, item]) => [key, cellToJson(item)]));
  }
  return cell ?? null;
}

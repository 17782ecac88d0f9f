/**
 * @file Columns of the table of runs as bytes: numbers as doubles, everything else as an index into the
 * distinct values, and a byte a cell that says where it comes from. Millions of cells are read by the
 * page without being parsed. `docs/http.md` describes the layout.
 */
import type { RunCells } from "../app/read.ts";
import type { Cell } from "../catalog/index.ts";
import { cellToJson } from "../catalog/index.ts";
import { BinaryBody } from "./binary-body.ts";

/** The first origins, whose numbers the page knows by their meaning: 0 is a cell without a value. */
const MISSING = 0;

interface ColumnHeader {
  readonly name: string;
  readonly kind: RunCells["columns"][number]["kind"];
  readonly encoding: "f64" | "dictionary";
  /** Where its cells begin, in bytes after the header. */
  readonly offset: number;
  /** Where the bytes of its origins begin. */
  readonly origins: number;
  /** The distinct values, as JSON has them. */
  readonly values?: readonly unknown[];
}

/** `rowOf`: the number by which the reader knows a run. */
export function encodeColumns(
  { columns, rows }: RunCells,
  generation: number,
  rowOf: (run: string) => number | undefined,
): Uint8Array<ArrayBuffer> {
  const known = rows.flatMap((row) => {
    const number = rowOf(row.run);
    return number === undefined ? [] : [{ ...row, number }];
  });
  const body = new BinaryBody();
  const names: (string | null)[] = [null];
  const numbers = new Map<string | null, number>([[null, MISSING]]);
  const originNumber = (origin: string | null): number => {
    const found = numbers.get(origin) ?? names.push(origin) - 1;
    numbers.set(origin, found);
    return found;
  };
  const rowsOffset = body.add(Uint32Array.from(known, ({ number }) => number));
  const headers = columns.map(({ name, kind }, at): ColumnHeader => {
    const cells = known.map((row) => row.cells[at] ?? null);
    const origins = body.add(
      Uint8Array.from(known, (row) => originNumber(row.origins[at] ?? null)),
    );
    if (cells.every((cell) => cell === null || typeof cell === "number"))
      return { name, kind, encoding: "f64", offset: body.add(doubles(cells)), origins };
    const { indices, values } = dictionary(cells);
    return { name, kind, encoding: "dictionary", offset: body.add(indices), origins, values };
  });
  const header = { schema: 1, generation, count: known.length, rows: rowsOffset, origins: names };
  return body.behind({ ...header, columns: headers });
}

/** What is missing has no origin; its double means nothing. */
function doubles(cells: readonly Cell[]): Float64Array<ArrayBuffer> {
  return Float64Array.from(cells, (cell) => (typeof cell === "number" ? cell : 0));
}

function dictionary(cells: readonly Cell[]): {
  readonly indices: Uint32Array<ArrayBuffer>;
  readonly values: readonly unknown[];
} {
  const places = new Map<string, number>();
  const values: unknown[] = [];
  const indices = Uint32Array.from(cells, (cell) => {
    const value = cellToJson(cell);
    const key = JSON.stringify(value);
    const at = places.get(key) ?? values.push(value) - 1;
    places.set(key, at);
    return at;
  });
  return { indices, values };
}

/** Columns as the server sends them: bytes, and where in them each begins (docs/http.md). */
import type { RunColumn } from "./api.ts";
import { askBytes, encodeNames } from "./api.ts";

export type Cell = null | boolean | number | string | object;
export type ColumnType = "number" | "text" | "time" | "boolean" | "json";

/** The cells of a column by the numbers of their rows; a cell without an origin has no value. */
export interface Column {
  readonly name: string;
  type: ColumnType;
  readonly values: Cell[];
  readonly origins: (string | null)[];
}

interface Header {
  readonly generation: number;
  readonly count: number;
  readonly rows: number;
  readonly origins: readonly (string | null)[];
  readonly columns: readonly {
    readonly name: string;
    readonly kind: ColumnType;
    readonly encoding: "f64" | "dictionary";
    readonly offset: number;
    readonly origins: number;
    readonly values?: readonly Cell[];
  }[];
}

/** So many are asked for in one request. */
const NAMES_MAX = 100;

export interface LoadedColumns {
  /** The state that all of them have at least. */
  readonly generation: number;
  readonly columns: readonly Column[];
}

export async function loadColumns(names: readonly string[]): Promise<LoadedColumns> {
  const columns: Column[] = [];
  let generation = Number.POSITIVE_INFINITY;
  for (let at = 0; at < names.length; at += NAMES_MAX) {
    const part = names.slice(at, at + NAMES_MAX);
    const found = decodeColumns(await askBytes(`/columns?names=${encodeNames(part)}`));
    generation = Math.min(generation, found.generation);
    columns.push(...found.columns);
  }
  return { generation, columns };
}

export function decodeColumns(bytes: ArrayBuffer): LoadedColumns {
  const length = new DataView(bytes).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Header;
  const start = Math.ceil((4 + length) / 8) * 8;
  const { count, generation } = header;
  const rows = new Uint32Array(bytes, start + header.rows, count);
  const columns = header.columns.map(({ name, kind, encoding, offset, origins, values = [] }) => {
    const column: Column = { name, type: kind, values: [], origins: [] };
    const marks = new Uint8Array(bytes, start + origins, count);
    const cells =
      encoding === "f64"
        ? new Float64Array(bytes, start + offset, count)
        : new Uint32Array(bytes, start + offset, count);
    for (let at = 0; at < count; at++) {
      const row = rows[at] ?? 0;
      const origin = header.origins[marks[at] ?? 0] ?? null;
      const cell = cells[at] ?? 0;
      column.origins[row] = origin;
      column.values[row] =
        origin === null ? null : encoding === "f64" ? cell : (values[cell] ?? null);
    }
    return column;
  });
  return { generation, columns };
}

/** A number that JSON cannot say came as a text. */
export function cellOfJson(value: Cell, type: ColumnType): Cell {
  if (type !== "number" || typeof value !== "string") return value;
  return ["NaN", "Infinity", "-Infinity"].includes(value) ? Number(value) : value;
}

const SHOWN_FACTS = ["started", "status", "seconds", "commit", "parent"];
/** Facts that are shown only if a run has them. */
const WHERE_ANY = ["parent"];
/** So many columns are shown without being asked for. */
const SHOWN_MAX = 24;

/** What is shown without being asked for: some facts, then what differs of logged values and of arguments. */
export function defaultColumns(columns: readonly RunColumn[], runs: number): string[] {
  const facts = SHOWN_FACTS.filter((name) => {
    const fact = columns.find((column) => column.name === name);
    return fact !== undefined && (!WHERE_ANY.includes(name) || fact.filled > 0);
  });
  const of = (kind: RunColumn["kind"], hindsight: boolean): string[] =>
    columns.flatMap((column) => {
      const { name, filled, differs } = column;
      if (column.kind !== kind || column.hindsight !== hindsight || filled === 0) return [];
      return differs || runs < 2 ? [name] : [];
    });
  // Of very many names those that were asked for in hindsight are not left out.
  const asked = of("metric", true);
  const rest = [...of("metric", false), ...of("arg", false)].slice(0, SHOWN_MAX);
  const shown = new Set([...asked, ...rest]);
  const inOrder = columns.filter(({ kind, name }) => kind === "metric" && shown.has(name));
  return [
    ...facts,
    ...inOrder.map(({ name }) => name),
    ...rest.filter((name) => !inOrder.some((one) => one.name === name)),
  ];
}

/** So many charts are shown without being asked for. */
const CHARTS_MAX = 2;

/** What is drawn without being asked for: values in hindsight, then those that differ. */
export function defaultCharts(columns: readonly RunColumn[], runs: number): string[] {
  if (runs === 0) return [];
  const logged = columns.filter(({ kind, filled }) => kind === "metric" && filled > 0);
  const order = [
    ...logged.filter(({ hindsight }) => hindsight),
    ...logged.filter(({ hindsight, differs }) => !hindsight && (differs || runs < 2)),
  ];
  return order.slice(0, CHARTS_MAX).map(({ name }) => name);
}

/** Values that all runs have, and that are therefore not shown. */
export function constantColumns(columns: readonly RunColumn[], runs: number): string[] {
  if (runs < 2) return [];
  return columns.flatMap(({ name, kind, differs, filled }) =>
    kind !== "fact" && !differs && filled === runs ? [name] : [],
  );
}

/** Missing and NaN come last, whichever way the rest is sorted; as `afterlog ls --sort-by` does. */
export function compareCells(
  a: Cell | undefined,
  b: Cell | undefined,
  descending: boolean,
): number {
  const [noA, noB] = [isMissing(a), isMissing(b)];
  if (noA || noB) return Number(noA) - Number(noB);
  const [x, y] = descending ? [b, a] : [a, b];
  if (typeof x === "number" && typeof y === "number") return x - y;
  const [s, t] = [plain(x), plain(y)];
  return s < t ? -1 : s > t ? 1 : 0;
}

function isMissing(cell: Cell | undefined): boolean {
  return cell === null || cell === undefined || Number.isNaN(cell);
}

export function plain(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

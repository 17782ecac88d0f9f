/** @file The runs, newest first, with their arguments and last values. */
import type { Catalog, Cell, Connection, ListedId } from "../../catalog/index.ts";
import {
  cellToJson,
  GIVING_WAY,
  nameOfColumn,
  readArgTypes,
  readFacts,
  readLastValues,
  readLoggedNames,
  readRunIds,
  RUN_COLUMNS,
} from "../../catalog/index.ts";
import { plainText } from "./cells.ts";
import { readFrame } from "./frame.ts";
import type { Offer } from "../asking/suggest-replay.ts";
import { withAbsent } from "../asking/suggest-replay.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";

export interface ListRequest {
  /** SQL: only runs for which it holds. */
  readonly where?: string | undefined;
  /** Also runs that somebody has hidden. */
  readonly hidden?: boolean | undefined;
  /** `column` or `column:desc`. */
  readonly sortBy?: string | undefined;
  /** How many of them are read; all, if it is not given or 0. */
  readonly limit?: number | undefined;
  /** Arguments and logged names that are read; all, if not given. */
  readonly columns?: readonly string[] | undefined;
}

/** What the list always knows of a run, besides arguments and logged names. */
export const RUN_FACTS = [
  "name",
  "started",
  "ended",
  "status",
  "seconds",
  "commit",
  "dirty",
  "overhead",
  "budget",
  "checkpoints",
  "checkpoint_bytes",
  "damaged",
  "kind",
  "parent",
  "point",
  "filename",
  "projid",
  "seed",
  "host",
  "exit_code",
] as const;

/** What is known of the runs of a list, by their places in it. */
export interface ListColumn {
  /** Places of the runs that have it, one for each of the cells. */
  readonly rows: readonly number[];
  readonly cells: readonly Cell[];
  /** Of what a run did not log itself: `hindsight:verified`. */
  readonly origins: readonly (string | null)[];
}

export interface RunList {
  readonly runs: readonly string[];
  /** How many of those that were asked for are hidden, and left out. */
  readonly hidden: number;
  /** What people said of the runs; in the columns too, unless the program calls something so. */
  readonly said: ReadonlyMap<string, ListColumn>;
  /** By the name of a fact, an argument or a logged value. */
  readonly columns: ReadonlyMap<string, ListColumn>;
  /** How many there are without the limit. */
  readonly total: number;
  /** What these runs have. */
  readonly args: readonly string[];
  readonly metrics: readonly string[];
  /** The column that they are sorted by. */
  readonly sortedBy: string | undefined;
  /** If columns were asked for: names that may be, and that a run has. */
  readonly known: ReadonlySet<string>;
  /** Names in the condition that only the working tree knows. */
  readonly absent: readonly string[];
  /** What these would take. */
  readonly offer: Offer | undefined;
}

/** A run of the list as JSON. */
export type ListedRun = { readonly [fact in (typeof RUN_FACTS)[number]]: unknown } & {
  readonly run: string;
  readonly tags: unknown;
  readonly note: unknown;
  readonly hidden: unknown;
  /** Names of the alerts that fired in it. */
  readonly alerts: unknown;
  readonly args: Readonly<{ [name: string]: unknown }>;
  /** Last values, by the names that were logged. */
  readonly metrics: Readonly<{ [name: string]: unknown }>;
  /** Of metrics that the run did not log itself: `hindsight:verified`. */
  readonly origins: Readonly<{ [name: string]: unknown }>;
};

/** Lists the runs, newest first or as asked. Throws AL020, AL021. */
export async function listRuns(ports: Ports, request: ListRequest): Promise<RunList> {
  const { value, offer } = await withAbsent(ports, { where: request.where }, (absent) =>
    withCatalog(ports, (catalog) => readRuns(catalog, request, absent)),
  );
  return { ...value, offer };
}

async function readRuns(
  { connection }: Catalog,
  request: ListRequest,
  absent: readonly string[],
): Promise<Omit<RunList, "offer">> {
  const { limit = 0, columns } = request;
  const { ids: all, sortedBy } = await chooseRuns(connection, request, absent);
  const hiddenRuns = request.hidden === true ? new Set() : await readHidden(connection);
  const ids = hiddenRuns.size === 0 ? all : all.filter(({ run }) => !hiddenRuns.has(run));
  const shown = limit === 0 ? ids : ids.slice(0, limit);
  const isAll = request.where === undefined && shown.length === all.length;
  const runs = isAll ? undefined : shown.map(({ no }) => no);
  const places = new Map(shown.map(({ no }, at) => [no, at]));
  const found = new Map<string, ListColumn>();
  const facts = await readFacts(connection, [...RUN_FACTS, ...GIVING_WAY], runs);
  for (const [fact, cells] of facts.columns) {
    found.set(fact, placed({ ...facts, cells, origins: [] }, places));
  }
  const said = new Map([...found].filter(([fact]) => GIVING_WAY.includes(fact)));
  const names = columns && [...columns, ...(sortedBy === undefined ? [] : [sortedBy])];
  const values = await readLastValues(connection, { runs, names });
  for (const [name, own] of values.columns) found.set(name, placed(own, places));
  const known = columns === undefined ? [] : await knownColumns(connection);
  return {
    runs: shown.map(({ run }) => run),
    hidden: all.length - ids.length,
    said,
    columns: found,
    total: ids.length,
    args: values.args,
    metrics: values.metrics,
    sortedBy,
    known: new Set(known),
    absent,
  };
}

async function readHidden(connection: Connection): Promise<ReadonlySet<unknown>> {
  const [runs = []] = await connection.columns("SELECT run FROM store.annotations WHERE hidden");
  return new Set(runs);
}

/** Values of runs, by the places of these in the list. */
function placed(
  { runs, cells, origins }: Omit<ListColumn, "rows"> & { readonly runs: readonly number[] },
  places: ReadonlyMap<number, number>,
): ListColumn {
  const kept = { rows: [] as number[], cells: [] as Cell[], origins: [] as (string | null)[] };
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? null;
    const place = places.get(runs[at] ?? -1);
    if (cell === null || place === undefined) continue;
    kept.rows.push(place);
    kept.cells.push(cell);
    kept.origins.push(origins[at] ?? null);
  }
  return kept;
}

/** A cell for each run of a list; null where it is missing. */
export function cellsOf({ runs, columns }: RunList, name: string): Cell[] {
  const cells = Array.from({ length: runs.length }, (): Cell => null);
  const column = columns.get(name);
  column?.rows.forEach((row, at) => (cells[row] = column.cells[at] ?? null));
  return cells;
}

/** Where each of these comes from; empty for what a run logged itself. */
export function originsOf({ runs, columns }: RunList, name: string): string[] {
  const origins = Array.from({ length: runs.length }, () => "");
  const column = columns.get(name);
  column?.rows.forEach((row, at) => (origins[row] = column.origins[at] ?? ""));
  return origins;
}

async function knownColumns(connection: Connection): Promise<string[]> {
  const args = await readArgTypes(connection);
  return [...RUN_COLUMNS, ...args.keys(), ...(await readLoggedNames(connection))];
}

/** The runs for which the condition holds, in their order. */
async function chooseRuns(
  connection: Connection,
  { where, sortBy }: ListRequest,
  absent: readonly string[],
): Promise<{ readonly ids: readonly ListedId[]; readonly sortedBy: string | undefined }> {
  if (where === undefined && sortBy === undefined) {
    return { ids: await readRunIds(connection), sortedBy: undefined };
  }
  const column = sortBy?.replace(/:(asc|desc)$/, "");
  // What every run has gives a row for every run.
  const names = ["ordinal", ...(column === undefined ? [] : [column])];
  const { table } = await readFrame(connection, {
    names,
    absent,
    where,
    grain: "run",
    newestFirst: true,
  });
  const at = table.columns.findIndex(({ name }) => name === column);
  const rows: { readonly run: string; readonly key: Cell }[] = [];
  for await (const batch of table.batches()) {
    for (const row of batch) rows.push({ run: plainText(row[0]), key: row[at] ?? null });
  }
  const descending = sortBy?.endsWith(":desc") === true;
  const sorted =
    column === undefined ? rows : rows.toSorted((a, b) => compareCells(a.key, b.key, descending));
  const all = new Map((await readRunIds(connection)).map((id) => [id.run, id]));
  return { ids: sorted.flatMap(({ run }) => all.get(run) ?? []), sortedBy: column };
}

/** The runs of the list, as JSON has them. */
export function listedRuns(list: RunList): ListedRun[] {
  const rows = list.runs.map((run) => ({
    run,
    facts: {} as { [fact: string]: unknown },
    args: {} as { [name: string]: unknown },
    metrics: {} as { [name: string]: unknown },
    origins: {} as { [name: string]: unknown },
  }));
  const own = { ...list, columns: new Map([...list.columns, ...list.said]) };
  for (const fact of [...RUN_FACTS, ...GIVING_WAY]) {
    cellsOf(own, fact).forEach((cell, at) => {
      const row = rows[at];
      if (row) row.facts[fact] = cellToJson(cell);
    });
  }
  for (const kind of ["args", "metrics"] as const) {
    for (const name of list[kind]) {
      const column = list.columns.get(name);
      column?.rows.forEach((place, at) => {
        const row = rows[place];
        if (row === undefined) return;
        define(row[kind], nameOfColumn(name), cellToJson(column.cells[at]));
        const origin = column.origins[at] ?? null;
        if (origin !== null) define(row.origins, nameOfColumn(name), origin);
      });
    }
  }
  return rows.map(({ run, facts, ...own }) => ({ run, ...facts, ...own }) as ListedRun);
}

/** Also if the name is `__proto__`. */
function define(object: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true });
}

function isMissingCell(cell: Cell): boolean {
  return cell === null || Number.isNaN(cell);
}

/** Missing and NaN come last, whichever way the rest is sorted. */
function compareCells(a: Cell, b: Cell, descending: boolean): number {
  if (isMissingCell(a) || isMissingCell(b))
    return Number(isMissingCell(a)) - Number(isMissingCell(b));
  const [x, y] = descending ? [b, a] : [a, b];
  if (typeof x === "object" || typeof x !== typeof y) {
    const [s, t] = [plainText(x), plainText(y)];
    return s < t ? -1 : s > t ? 1 : 0;
  }
  return x < (y as typeof x) ? -1 : x > (y as typeof x) ? 1 : 0;
}

/** @file The runs, newest first, with their arguments and last values. */
import type { Catalog, Cell, Connection, ResultColumn } from "../../catalog/index.ts";
import {
  cellToJson,
  GIVING_WAY,
  nameOfColumn,
  readArgTypes,
  readLoggedNames,
  RUN_COLUMNS,
} from "../../catalog/index.ts";
import { AfterlogError, nearestName } from "../../format/index.ts";
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

/** A run with what is known of it, by the name of a fact, an argument or a logged value. */
export interface RunRow {
  readonly run: string;
  /** What people said of it; in the cells too, unless the program calls something so. */
  readonly said: ReadonlyMap<string, Cell>;
  readonly cells: ReadonlyMap<string, Cell>;
}

export interface RunList {
  readonly runs: readonly RunRow[];
  /** How many of those that were asked for are hidden, and left out. */
  readonly hidden: number;
  readonly args: readonly string[];
  readonly metrics: readonly string[];
  readonly kinds: ReadonlyMap<string, ResultColumn["kind"]>;
  /** Names that may be asked for and that a run has. */
  readonly known: readonly string[];
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
  readonly args: Readonly<{ [name: string]: unknown }>;
  /** Last values, by the names that were logged. */
  readonly metrics: Readonly<{ [name: string]: unknown }>;
  /** Of metrics that the run did not log itself: `hindsight:verified`. */
  readonly origins: Readonly<{ [name: string]: unknown }>;
};

/** Lists the runs, newest first or as asked. Throws AL020, AL021. */
export async function listRuns(ports: Ports, request: ListRequest): Promise<RunList> {
  const { value, offer } = await withAbsent(ports, { where: request.where }, async (absent) => {
    const list = await withCatalog(ports, (catalog) => readRuns(catalog, request, absent));
    return { ...list, runs: sortRuns(list, request.sortBy) };
  });
  return { ...value, offer };
}

async function readRuns(
  catalog: Catalog,
  { where, hidden }: ListRequest,
  absent: readonly string[],
): Promise<Omit<RunList, "offer">> {
  const { connection } = catalog;
  const args = [...(await readArgTypes(connection)).keys()];
  const logged = await readLoggedNames(connection);
  // A name that is both is shown once.
  const metrics = logged.filter((name) => !args.includes(name));
  const names = [...RUN_FACTS, ...args, ...metrics];
  // First: rows of a frame are read from the index as they are needed.
  const said = await readSaid(connection);
  const { table } = await readFrame(connection, {
    names,
    absent,
    where,
    grain: "run",
    newestFirst: true,
  });
  const all: RunRow[] = [];
  for await (const batch of table.batches()) {
    for (const row of batch) {
      const run = plainText(row[0]);
      const own = said.get(run) ?? new Map<string, Cell>();
      const cells = table.columns.map((column, at) => [column.name, row[at] ?? null] as const);
      all.push({ run, said: own, cells: new Map([...own, ...cells]) });
    }
  }
  const runs = all.filter((run) => hidden === true || run.said.get("hidden") !== true);
  const kinds = new Map<string, ResultColumn["kind"]>([
    ...GIVING_WAY.map((name) => [name, "text"] as const),
    ...table.columns.map((column) => [column.name, column.kind] as const),
  ]);
  const known = [...kinds.keys(), ...RUN_COLUMNS];
  return { runs, hidden: all.length - runs.length, args, metrics, kinds, known, absent };
}

/** What people said of each run, by columns of `runs`. */
async function readSaid(connection: Connection): Promise<Map<string, Map<string, Cell>>> {
  const rows = await connection.rows(`SELECT run, ${GIVING_WAY.join(", ")} FROM runs`);
  return new Map(
    rows.map((row) => [
      String(row["run"]),
      new Map(GIVING_WAY.map((name) => [name, row[name] as Cell])),
    ]),
  );
}

/** A run of the list, as JSON has it. */
export function listedRun(list: RunList, run: RunRow): ListedRun {
  const pick = (names: readonly string[]): { [name: string]: unknown } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const cell = run.cells.get(name) ?? null;
        return cell === null ? [] : [[nameOfColumn(name), cellToJson(cell)]];
      }),
    );
  const facts = RUN_FACTS.map((name) => [name, cellToJson(run.cells.get(name) ?? null)] as const);
  return {
    run: run.run,
    ...(Object.fromEntries(facts) as { [fact in (typeof RUN_FACTS)[number]]: unknown }),
    tags: cellToJson(run.said.get("tags") ?? null),
    note: cellToJson(run.said.get("note") ?? null),
    hidden: cellToJson(run.said.get("hidden") ?? null),
    args: pick(list.args),
    metrics: pick(list.metrics),
    origins: Object.fromEntries(
      list.metrics.flatMap((name) => {
        const origin = run.cells.get(`${name}_origin`) ?? null;
        return origin === null || origin === "recorded" ? [] : [[nameOfColumn(name), origin]];
      }),
    ),
  };
}

function sortRuns(list: Omit<RunList, "offer">, sortBy: string | undefined): readonly RunRow[] {
  if (sortBy === undefined) return list.runs;
  const descending = sortBy.endsWith(":desc");
  const column = sortBy.replace(/:(asc|desc)$/, "");
  if (column !== "run" && !list.kinds.has(column)) {
    const close = nearestName(column, [...list.kinds.keys()]);
    throw new AfterlogError("AL021", `there is no column ${JSON.stringify(column)} to sort by`, {
      help: [
        close === undefined ? "see them:  afterlog ls --all-columns" : `did you mean ${close}?`,
      ],
    });
  }
  const value = (run: RunRow): Cell =>
    column === "run" ? run.run : (run.cells.get(column) ?? null);
  return list.runs.toSorted((a, b) => compareCells(value(a), value(b), descending));
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

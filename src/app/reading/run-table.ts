/**
 * @file The table of runs in parts, for who keeps it and follows what changes: which runs and columns
 * there are, the cells of columns that are looked at, and the runs for which a condition holds. The cells
 * are those of `listRuns`.
 */
import { existsSync } from "node:fs";
import type { Cell, Connection, ResultColumn, RunColumn } from "../../catalog/index.ts";
import { readRunColumns, readRunIds } from "../../catalog/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { projectAround } from "../required-project.ts";
import { plainText } from "./cells.ts";
import { readFrame } from "./frame.ts";
import { RUN_FACTS } from "./list-runs.ts";

export interface RunTable {
  /** The newest first. */
  readonly runs: readonly string[];
  readonly columns: readonly RunColumn[];
}

/** Cells of some columns, by run. */
export interface RunCells {
  readonly columns: readonly {
    readonly name: string;
    readonly kind: ResultColumn["kind"];
  }[];
  /** Of each run that has any of them: the cells, and where each comes from; null: the run has none. */
  readonly rows: readonly {
    readonly run: string;
    readonly cells: readonly Cell[];
    readonly origins: readonly (string | null)[];
  }[];
}

/** The runs and what there is to know of them; where nothing was ever recorded there are none. */
export async function readRunTable(ports: Ports): Promise<RunTable> {
  if (!existsSync(projectAround(ports).store)) return { runs: [], columns: [] };
  return withCatalog(ports, async ({ connection }) => ({
    runs: (await readRunIds(connection)).map(({ run }) => run),
    columns: await readRunColumns(connection, RUN_FACTS),
  }));
}

/** Cells of these columns, of some runs or of all. Throws AL021 for a name that no run has. */
export function readRunCells(
  ports: Ports,
  names: readonly string[],
  runs?: readonly string[],
): Promise<RunCells> {
  return withCatalog(ports, ({ connection }) => cellsOf(connection, names, runs));
}

async function cellsOf(
  connection: Connection,
  names: readonly string[],
  runs: readonly string[] | undefined,
): Promise<RunCells> {
  const list = runs?.map((run) => `'${run.replaceAll("'", "''")}'`).join(", ");
  const where = list === undefined ? undefined : `run IN (${list === "" ? "NULL" : list})`;
  const request = { names, where, grain: "run", newestFirst: true };
  const { table } = await readFrame(connection, request);
  const origins = new Map(table.origins);
  const own = table.columns.flatMap(({ name, kind }, at) =>
    names.includes(name) ? [{ name, kind, at, origin: origins.get(at) }] : [],
  );
  const rows: RunCells["rows"][number][] = [];
  for await (const batch of table.batches()) {
    for (const row of batch) {
      const cells = own.map(({ at }) => row[at] ?? null);
      rows.push({
        run: plainText(row[0]),
        cells,
        origins: own.map(({ origin }, at) => originOf(cells[at], origin && row[origin])),
      });
    }
  }
  return { columns: own.map(({ name, kind }) => ({ name, kind })), rows };
}

function originOf(cell: Cell | undefined, origin: Cell | undefined): string | null {
  if (cell === null || cell === undefined) return null;
  return typeof origin === "string" ? origin : "recorded";
}

/** The runs for which the condition holds, the newest first. Throws AL020. */
export function matchRuns(ports: Ports, where: string): Promise<string[]> {
  return withCatalog(ports, async ({ connection }) => {
    // A column that every run has, so that there is a row of each.
    const request = { names: ["status"], where, grain: "run", newestFirst: true };
    const { table } = await readFrame(connection, request);
    const runs: string[] = [];
    for await (const batch of table.batches()) runs.push(...batch.map((row) => plainText(row[0])));
    return runs;
  });
}

/**
 * @file For which runs a condition holds, by the last values that each has logged: the rows of the
 * frame with one row a run. What a run has not logged, or not yet, leaves it undecided.
 */
import type { Connection } from "../database.ts";
import { columnSpelling, planFrame } from "../frame/plan-frame.ts";
import { RUN_COLUMNS } from "../frame/value-names.ts";
import { readArgTypes, readLoggedNames } from "../frame/names.ts";
import type { Cell } from "../result.ts";
import { runQuery } from "../result.ts";
import { identifier, literal } from "../schema.ts";
import { parseCondition, refusingSql } from "./where-condition.ts";

/** What a run says to a condition. */
export interface JudgedRun {
  readonly run: string;
  readonly status: string;
  /** Null while a name that the condition mentions has no value. */
  readonly holds: boolean | null;
  readonly values: ReadonlyMap<string, Cell>;
  /** Of the values that have one: `recorded`, `hindsight:verified`, … */
  readonly origins: readonly string[];
}

export interface JudgedRuns {
  /** The names that it mentions and that are logged: by a run, or by none yet. */
  readonly logged: readonly string[];
  readonly missing: readonly string[];
  /** Oldest first. */
  readonly runs: readonly JudgedRun[];
}

/** Asks the runs, all or `only` some. Throws AL020 if it is not a condition. */
export async function judgeRuns(
  connection: Connection,
  condition: string,
  only?: readonly string[],
): Promise<JudgedRuns> {
  const { columns, sql: asked } = await parseCondition(connection, condition);
  const known = await readLoggedNames(connection);
  const args = [...(await readArgTypes(connection)).keys()];
  const logged = columns.flatMap((column) => columnSpelling(column, known) ?? []);
  const given = columns.flatMap(
    (column) => columnSpelling(column, [...args, ...RUN_COLUMNS]) ?? [],
  );
  const missing = columns.filter(
    (column) => !columnSpelling(column, [...known, ...args, ...RUN_COLUMNS]),
  );
  // Every run has this column, so that those without values have a row as well.
  const names = ["ordinal", ...logged, ...given.filter((name) => name !== "run")];
  const frame = await planFrame(connection, { names: [...new Set(names)], grain: "run" });
  const origins = frame.columns.filter(({ kind, of }) => kind === "origin" && logged.includes(of));
  // A name that nobody has logged has no type to compute with: nothing is decided then.
  const holds = missing.length > 0 ? "NULL::BOOLEAN" : `CAST((${asked}\n) AS BOOLEAN)`;
  const sql = `SELECT run, __status, ${holds} AS __holds, ${judgedColumns(logged, origins)} FROM (
    SELECT f.*, r.status AS __status, r.ordinal AS __ordinal
    FROM (${frame.sql}) f JOIN main.runs r ON r.run = f.run
    ${only === undefined ? "" : `WHERE r.run IN (${only.map(literal).join(", ")})`})
    ORDER BY __ordinal, run`;
  const rows = await refusingSql(condition, frame.known, async () => {
    const result = await runQuery(connection, sql);
    const found: Cell[][] = [];
    for await (const batch of result.batches()) found.push(...batch);
    return found;
  });
  return {
    logged: [...new Set(logged)],
    missing,
    runs: rows.map((row) => judgedRun(row, [...new Set(logged)])),
  };
}

function judgedColumns(
  logged: readonly string[],
  origins: readonly { readonly key: string }[],
): string {
  const keys = [...new Set(logged), ...origins.map(({ key }) => key)];
  return ["0 AS __values", ...keys.map(identifier)].join(", ");
}

function judgedRun(row: readonly Cell[], logged: readonly string[]): JudgedRun {
  const [run, status, holds, , ...rest] = row as [string, string, ...Cell[]];
  const values = new Map(logged.map((name, at) => [name, rest[at] ?? null]));
  const isWhole = [...values.values()].every((value) => value !== null);
  return {
    run,
    status,
    holds: isWhole && typeof holds === "boolean" ? holds : null,
    values,
    origins: rest.slice(logged.length).filter((origin) => typeof origin === "string"),
  };
}

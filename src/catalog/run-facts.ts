/** @file What is known of runs whatever they logged: the columns of the view `runs`. */
import type { Connection } from "./database.ts";
import { isAmong } from "./ingest/batch.ts";
import type { Cell } from "./result.ts";
import { identifier, literal } from "./schema.ts";

/** A run, and its number in the index. */
export interface ListedId {
  readonly no: number;
  readonly run: string;
}

/** All runs that are no replays, newest first. */
export async function readRunIds(connection: Connection): Promise<ListedId[]> {
  const [numbers = [], runs = []] = await connection.columns(
    "SELECT no, run FROM store.runs WHERE kind <> 'replay' ORDER BY ordinal DESC, no",
  );
  return numbers.map((no, at) => ({ no: no as number, run: runs[at] as string }));
}

/** The numbers of these runs, in their order. */
export async function readRunNumbers(
  connection: Connection,
  runs: readonly string[],
): Promise<number[]> {
  const those = `run IN (${runs.map(literal).join(", ")})`;
  const rows = await connection.rows(`SELECT no, run FROM store.runs WHERE ${those}`);
  const byRun = new Map(rows.map((row) => [String(row["run"]), Number(row["no"])]));
  return runs.flatMap((run) => byRun.get(run) ?? []);
}

/** Facts of these runs, or of all: by fact the cells, in the order of the numbers that come with them. */
export async function readFacts(
  connection: Connection,
  facts: readonly string[],
  numbers: readonly number[] | undefined,
): Promise<{ readonly runs: readonly number[]; readonly columns: ReadonlyMap<string, Cell[]> }> {
  const isWanted =
    numbers === undefined
      ? ""
      : numbers.length === 0
        ? "WHERE false"
        : `WHERE s.${isAmong(numbers).replace(" AND no", " AND s.no")}`;
  const [runs = [], ...columns] = await connection.columns(
    `SELECT s.no, ${facts.map((fact) => `v.${identifier(fact)}`).join(", ")}
     FROM store.runs s JOIN main.runs v USING (run) ${isWanted}`,
  );
  return {
    runs: runs as number[],
    columns: new Map(facts.map((fact, at) => [fact, (columns[at] ?? []) as Cell[]])),
  };
}

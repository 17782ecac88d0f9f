/**
 * @file What there is to show of runs, without the values: the runs in order, and each column with how
 * many runs have it. With thousands of names only those that are looked at are read.
 */
import type { Connection } from "./database.ts";
import { RUN_COLUMNS, valueColumn } from "./frame/value-names.ts";
import { identifier } from "./schema.ts";

/** A column of the table of runs. */
export interface RunColumn {
  /** As it stands in a condition. */
  readonly name: string;
  /** What is known of every run, an argument of the program, or a logged value. */
  readonly kind: "fact" | "arg" | "metric";
  /** How many runs have a value of it. */
  readonly filled: number;
  /** False: it is known to be the same in all runs. */
  readonly differs: boolean;
  /** Some of it was logged in hindsight. */
  readonly hindsight: boolean;
}

/** Facts in the order given, then arguments in that of the programs, then names, most used first. */
export async function readRunColumns(
  connection: Connection,
  facts: readonly string[],
): Promise<RunColumn[]> {
  const args = await valueColumns(connection, {
    kind: "arg",
    from: "store.args v",
    order: "min(v.seq), v.name",
  });
  const metrics = await valueColumns(connection, {
    kind: "metric",
    from: "(SELECT * FROM store.names WHERE NOT item) v",
    order: "min(len(string_split(v.shape, ','))), sum(v.rows) DESC, v.name",
  });
  const taken = new Set(args.map(({ name }) => name));
  // A name that is both is shown once.
  const own = metrics.filter(({ name }) => !taken.has(name));
  return [...(await factColumns(connection, facts)), ...args, ...own];
}

async function factColumns(connection: Connection, facts: readonly string[]): Promise<RunColumn[]> {
  const known = facts.filter((name) => RUN_COLUMNS.includes(name));
  const counts = known.map((name, at) => {
    const column = identifier(name);
    return `count(${column})::DOUBLE AS n${at}, count(DISTINCT ${column})::DOUBLE AS d${at}`;
  });
  const [row = {}] = await connection.rows(
    `SELECT count(*)::DOUBLE AS runs, ${counts.join(", ")} FROM main.runs WHERE kind <> 'replay'`,
  );
  return known.map((name, at) => {
    const filled = Number(row[`n${at}`]);
    const differs = Number(row[`d${at}`]) > 1 || (filled > 0 && filled < Number(row["runs"]));
    return { name, kind: "fact", filled, differs, hindsight: false };
  });
}

async function valueColumns(
  connection: Connection,
  { kind, from, order }: { kind: "arg" | "metric"; from: string; order: string },
): Promise<RunColumn[]> {
  const rows = await connection.rows(`
    SELECT v.name, count(DISTINCT CASE WHEN r.kind = 'replay' THEN r.parent ELSE r.run END)::DOUBLE AS filled,
      count(DISTINCT coalesce(v.text, v.number::VARCHAR, v.value::VARCHAR)) > 1
        OR filled < any_value((SELECT count(*) FROM store.runs WHERE kind <> 'replay')) AS differs,
      bool_or(r.kind = 'replay') AS hindsight
    FROM ${from} JOIN store.runs r USING (no)
    WHERE ${kind === "arg" ? "r.kind <> 'replay'" : "true"}
    GROUP BY v.name ORDER BY ${order}`);
  return rows.map((row) => ({
    name: valueColumn(kind === "arg" ? "arg" : "log", String(row["name"])),
    kind,
    filled: Number(row["filled"]),
    differs: row["differs"] === true,
    hindsight: row["hindsight"] === true,
  }));
}

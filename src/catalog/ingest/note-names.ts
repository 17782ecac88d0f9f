/**
 * @file The names that the index has, beside it: a shell that completes a word reads them without a database.
 * Written when the index has been brought up to date, and as dispensable as the index.
 */
import { runLabels } from "../../format/index.ts";
import { replaceFile, storePaths } from "../../store/index.ts";
import type { Connection } from "../database.ts";
import { readNamedRuns } from "../run-names.ts";
import { valueColumn } from "../frame/value-names.ts";

/** A shell shows no more. */
const NAMES_MAX = 5000;

export async function noteNames(store: string, connection: Connection): Promise<void> {
  const [names = [], kinds = []] = await connection.columns(`SELECT name, kind FROM (
      SELECT name, 'arg' AS kind, 0 AS depth, count(*) AS uses FROM store.args GROUP BY name
      UNION ALL SELECT name, 'log', min(len(string_split(shape, ','))), sum(rows)
      FROM store.names WHERE NOT item GROUP BY name)
    ORDER BY depth, uses DESC, name LIMIT ${NAMES_MAX}`);
  const named = await readNamedRuns(connection);
  const labels = runLabels(named);
  const runs = named.slice(0, NAMES_MAX).map(([run, name]) => labels.get(run) ?? name);
  const columns = names.map((name, at) => valueColumn(kinds[at] as "arg" | "log", String(name)));
  const noted = { names: [...new Set(columns)], runs };
  replaceFile(storePaths.names(store), `${JSON.stringify(noted)}\n`);
}

/**
 * @file A summary of each name in each run: in which loops, of which types, its last value.
 *
 * The lists of runs, the choice of a frame's grain and the search for a misspelt name read this
 * instead of the logs themselves.
 */
import { isAmong } from "./batch.ts";
import type { Connection } from "../database.ts";

/** Makes the summaries of these runs again from their rows. */
export async function summarizeNames(
  connection: Connection,
  numbers: readonly number[],
): Promise<void> {
  await connection.run(`DELETE FROM store.names WHERE ${isAmong(numbers)}`);
  for (const [table, name, item, probe] of [
    ["logs", "name", false, 'arg_max_null(probe, seq), arg_max_null("check", seq)'],
    ["items", "NULL", true, "NULL, NULL"],
  ] as const) {
    await connection.run(`INSERT INTO store.names
      SELECT no, ${name}, ${item}, shape, count(*), count(*) FILTER (type = 'number'),
        count(*) FILTER (type = 'text'), count(*) FILTER (type = 'boolean'),
        count(*) FILTER (type = 'bigint'), count(*) FILTER (type = 'bigint' AND number IS NULL),
        count(*) FILTER (type = 'json'
          OR type = 'bigint' AND try_cast(value::VARCHAR AS HUGEINT) IS NULL),
        min(seq), max(seq), arg_max(type, seq), arg_max_null(number, seq),
        arg_max_null(text, seq), arg_max_null(value, seq), ${probe}
      FROM store.${table} WHERE ${isAmong(numbers)} GROUP BY no, ${item ? "" : "name, "}shape`);
  }
}

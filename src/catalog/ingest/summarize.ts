/**
 * @file A summary of each name in each run: in which loops, of which types, its last value.
 *
 * The lists of runs, the choice of a frame's grain and the search for a misspelt name read this
 * instead of the logs themselves. What a run logs further is added to its summary: a long log is read once,
 * in however many pieces it comes.
 */
import { isAmong } from "./batch.ts";
import type { Connection } from "../database.ts";

/** Makes the summaries of these runs from their rows, all of them. */
export async function summarizeNames(
  connection: Connection,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  await connection.run(`DELETE FROM store.names WHERE ${isAmong(numbers)}`);
  await connection.run(`INSERT INTO store.names ${summaries(isAmong(numbers))}`);
}

/** The last record of each of these runs that its summary has. */
export async function readSummarized(
  connection: Connection,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  if (numbers.length === 0) return new Map();
  const rows = await connection.rows(
    `SELECT no, max(seq) AS seq FROM store.names WHERE ${isAmong(numbers)} GROUP BY no`,
  );
  return new Map(rows.map((row) => [Number(row["no"]), BigInt(String(row["seq"]))]));
}

/** Adds the rows of a run behind a record to its summary. */
export async function summarizeFurther(
  connection: Connection,
  no: number,
  after: bigint,
): Promise<void> {
  await connection.run(`CREATE OR REPLACE TEMP TABLE summary AS
    SELECT no, name, item, shape, sum(rows)::BIGINT AS rows, sum(numbers)::BIGINT AS numbers,
      sum(texts)::BIGINT AS texts, sum(booleans)::BIGINT AS booleans,
      sum(bigints)::BIGINT AS bigints, sum(large)::BIGINT AS large, sum(others)::BIGINT AS others,
      min(first_seq) AS first_seq, max(n.seq) AS seq, arg_max(type, n.seq) AS type,
      arg_max_null(number, n.seq) AS number, arg_max_null(text, n.seq) AS text,
      arg_max_null(value, n.seq) AS value, arg_max_null(probe, n.seq) AS probe,
      arg_max_null("check", n.seq) AS "check"
    FROM (FROM store.names WHERE no = ${no}
      UNION ALL ${summaries(`no = ${no} AND seq > ${after}`)}) n GROUP BY no, name, item, shape`);
  await connection.run(`DELETE FROM store.names WHERE no = ${no}`);
  await connection.run("INSERT INTO store.names FROM temp.summary");
}

/** Summaries of the rows for which a condition holds, as rows of `store.names`. */
function summaries(condition: string): string {
  const tables = [
    ["logs", "name", false, 'arg_max_null(probe, seq), arg_max_null("check", seq)'],
    ["items", "NULL", true, "NULL, NULL"],
  ] as const;
  return tables
    .map(
      ([table, name, item, probe]) => `SELECT no, ${name}, ${item}, shape, count(*),
        count(*) FILTER (type = 'number'), count(*) FILTER (type = 'text'),
        count(*) FILTER (type = 'boolean'), count(*) FILTER (type = 'bigint'),
        count(*) FILTER (type = 'bigint' AND number IS NULL),
        count(*) FILTER (type = 'json'
          OR type = 'bigint' AND try_cast(value::VARCHAR AS HUGEINT) IS NULL),
        min(seq), max(seq), arg_max(type, seq), arg_max_null(number, seq),
        arg_max_null(text, seq), arg_max_null(value, seq), ${probe}
      FROM store.${table} WHERE ${condition} GROUP BY no, ${item ? "" : "name, "}shape`,
    )
    .join("\n      UNION ALL ");
}

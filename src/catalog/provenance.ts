/** @file Where a value of a frame comes from: the record that it was taken of. */
import type { Connection } from "./database.ts";
import { numberOf, textOf } from "./database.ts";
import { literal } from "./schema.ts";

/** A logged value, and the record that holds it. */
export interface Provenance {
  readonly run: string;
  readonly name: string;
  /** As text: `epoch=3,step=17`. */
  readonly path: string;
  readonly type: string;
  readonly number: number | null;
  readonly text: string | null;
  /** JSON. */
  readonly value: string | null;
  readonly origin: string;
  readonly check: string | null;
  /** The run directory that holds the record: a replay's own for a value in hindsight. */
  readonly source: string;
  readonly file: string | null;
  readonly line: number | null;
}

export interface ProvenanceList {
  /** By the rules of the frame, one value for each path; in the order of paths. */
  readonly values: readonly Provenance[];
  /** How many there are, if not all were read. */
  readonly count: number;
}

/**
 * The values of a name in a run: the one at `path`, or without it the first few. Where a path has
 * several, the frame shows one, and so does this.
 */
export async function readProvenance(
  connection: Connection,
  asked: { readonly run: string; readonly name: string; readonly path: string | null },
  limit = 1,
): Promise<ProvenanceList> {
  const { run, name, path } = asked;
  const where =
    `run = ${literal(run)} AND name = ${literal(name)}` +
    (path === null ? "" : ` AND path = ${literal(path)}`);
  const [total] = await connection.rows(
    `SELECT count(DISTINCT path)::DOUBLE AS count FROM main.frame WHERE ${where}`,
  );
  const rows = await connection.rows(`SELECT run, name, path, type, number, text,
    value::VARCHAR AS value, origin, "check", source, file, line::DOUBLE AS line
    FROM main.frame WHERE ${where} ORDER BY len(indices), indices DESC, entries DESC LIMIT ${limit}`);
  return {
    count: Number(total?.["count"] ?? 0),
    values: rows.map((row) => ({
      run,
      name,
      path: String(row["path"]),
      type: String(row["type"]),
      number: numberOf(row, "number"),
      text: textOf(row, "text"),
      value: textOf(row, "value"),
      origin: String(row["origin"]),
      check: textOf(row, "check"),
      source: String(row["source"]),
      file: textOf(row, "file"),
      line: numberOf(row, "line"),
    })),
  };
}

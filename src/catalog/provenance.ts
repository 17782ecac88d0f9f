/** @file Where a value of a frame comes from: the record that it was taken of. */
import type { Connection, SqlRow } from "./database.ts";
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
  /** What was logged at the path of the first of these before it, by the same process. */
  readonly before: readonly Provenance[];
  /** How many there are, if not all were read. */
  readonly count: number;
}

/**
 * The values of a name in a run: the one at `path`, or without it the first few. Where a path has
 * several, the frame shows the last, and those before it are told beside it.
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
  const columns = `name, path, type, number, text, value::VARCHAR AS value, origin, "check",
    source, file, line::DOUBLE AS line`;
  const rows = await connection.rows(`SELECT ${columns}
    FROM main.frame WHERE ${where} ORDER BY len(indices), indices DESC, entries DESC LIMIT ${limit}`);
  const values = rows.map((row) => provenanceOf(run, row));
  const [first] = values;
  if (!first) return { count: 0, values, before: [] };
  const all = await connection.rows(`SELECT ${columns} FROM main.logs
    WHERE run = ${literal(run)} AND name = ${literal(name)} AND path = ${literal(first.path)}
      AND source = ${literal(first.source)} ORDER BY seq`);
  const before = all.slice(0, -1).map((row) => provenanceOf(run, row));
  return { count: Number(total?.["count"] ?? 0), values, before };
}

function provenanceOf(run: string, row: SqlRow): Provenance {
  return {
    run,
    name: String(row["name"]),
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
  };
}

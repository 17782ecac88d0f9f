/**
 * @file What the parts of ingestion share: a run of the batch, and the SQL that reads lines and
 * loop paths.
 */
import type { PendingRun } from "./pending.ts";
import type { ManifestRow } from "./read-manifest.ts";
import type { LogPosition, LogScan } from "./scan-log.ts";
import { literal } from "../schema.ts";

/** A run of the batch, with what reading its files found. */
export interface BatchRun {
  readonly no: number;
  readonly pending: PendingRun;
  readonly manifest: ManifestRow;
  readonly scan: LogScan;
  readonly from: LogPosition;
  /** The file that DuckDB reads; absent when there are no new lines. */
  readonly file: string | undefined;
  /** Where DuckDB finds a file of the run: itself, or a copy. */
  readonly reach: (file: string) => string;
}

/** A condition on `no` that DuckDB can use to skip the blocks of other runs. */
export function isAmong(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  return `no BETWEEN ${sorted[0]} AND ${sorted.at(-1)} AND no IN (${sorted.join(", ")})`;
}

/** `read_json` over files of one object a line, with the columns said instead of guessed. */
export function readLines(
  files: readonly string[],
  columns: { readonly [name: string]: string },
  longestLine: number,
): string {
  const list = files.map(literal).join(", ");
  const types = Object.entries(columns).map(([name, type]) => `"${name}": ${literal(type)}`);
  // DuckDB reserves twice this for each thread, so it is raised only for those who need it.
  const most = Math.max(16 * 1024 * 1024, longestLine + 1024);
  return `read_json([${list}], format = 'newline_delimited', ignore_errors = true,
    filename = true, maximum_object_size = ${most}, columns = {${types.join(", ")}})`;
}

/** A loop name as `formatPath` writes it. */
const ENCODED_NAME = `CASE WHEN regexp_full_match(p[1], '[A-Za-z0-9_.-]*') THEN p[1]
  ELSE replace(url_encode(p[1]), '~', '%7E') END`;
/** The shape of a path: its text without the indices. */
export const SHAPE: string = `coalesce(array_to_string(list_transform(path, lambda p:
  (${ENCODED_NAME}) || coalesce('#' || nullif(p[3], '0'), '')), ','), '')`;
/** The shape of the loop that an `enter` or `exit` is about. */
export const LOOP_SHAPE: string = `concat_ws(',', nullif(${SHAPE}, ''),
  (${ENCODED_NAME.replaceAll("p[1]", "loop")}) || coalesce('#' || nullif(entry, 0), ''))`;
/** The path as text, for records that are kept by it. */
export const PATH_TEXT: string = `coalesce(array_to_string(list_transform(path, lambda p:
  (${ENCODED_NAME}) || coalesce('#' || nullif(p[3], '0'), '') || '=' || p[2]), ','), '')`;

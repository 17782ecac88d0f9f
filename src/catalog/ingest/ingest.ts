/**
 * @file One batch of ingestion: run directories -> rows, in one transaction of the caller.
 *
 * DuckDB parses the lines itself, many files in one statement, into a temporary table, from which
 * each kind of record goes to its own. A line that cannot be read becomes a row of NULLs: it is
 * counted, and the good lines around it are taken.
 */
import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runPaths } from "../../store/index.ts";
import type { Pending, PendingRun } from "./pending.ts";
import { readManifestRow } from "./read-manifest.ts";
import type { ManifestRow } from "./read-manifest.ts";
import type { LogPosition, LogScan } from "./scan-log.ts";
import { copyLines, LOG_START, scanLog } from "./scan-log.ts";
import { indexColumns, literal, widenTables } from "../schema.ts";
import type { BatchRun } from "./batch.ts";
import { isAmong, LOOP_SHAPE, PATH_TEXT, readLines, SHAPE } from "./batch.ts";
import { writeRuns } from "./run-rows.ts";
import { readSummarized, summarizeFurther, summarizeNames } from "./summarize.ts";
import { ingestCheckpoints, ingestProfiles } from "./side-files.ts";
import { withValueColumns } from "../value-columns.ts";
import type { Connection } from "../database.ts";

/** Bytes of logs in one batch, so that the index is never held for long. */
export const BATCH_BYTES: number = 96 * 1024 * 1024;
const BATCH_RUNS = 500;

export interface Ingested {
  /** All of it is in. */
  readonly whole: boolean;
  /** Of the runs that this batch did not come to. */
  readonly rest: readonly PendingRun[];
  readonly bytes: number;
}

/** What is taken at once, and how DuckDB gets at it. */
export interface BatchOptions {
  readonly bytes: number;
  readonly runs: number;
  /** DuckDB reaches no file of a run: it is given copies in the batch's folder. */
  readonly copies: boolean;
}

const WHOLE_BATCH: BatchOptions = { bytes: BATCH_BYTES, runs: BATCH_RUNS, copies: false };

/**
 * Brings part of `pending` into the index. `folder` is for copies of lines. The caller has begun a
 * transaction and commits it.
 */
export async function ingestBatch(
  connection: Connection,
  pending: Pending,
  folder: string,
  options: BatchOptions = WHOLE_BATCH,
): Promise<Ingested> {
  await removeRuns(connection, pending.removed);
  const [first] = await connection.rows(
    "SELECT coalesce(max(no), 0)::INTEGER AS last FROM store.runs",
  );
  const last = Number(first?.["last"] ?? 0);
  const batch: BatchRun[] = [];
  let bytes = 0;
  let taken = 0;
  for (const run of pending.runs) {
    if (bytes >= options.bytes || batch.length >= options.runs) break;
    // So that numbers grow with time, though the newest come first.
    const no = run.known?.no ?? last + pending.runs.length - taken;
    taken += 1;
    const { copies } = options;
    const prepared = prepareRun(run, no, { folder, copies, limitBytes: options.bytes - bytes });
    if (prepared === undefined) continue;
    batch.push(prepared);
    bytes += prepared.scan.position.bytes - prepared.from.bytes;
  }
  batch.sort((a, b) => a.no - b.no);
  if (batch.length > 0) await ingestRuns(connection, batch);
  const rest = pending.runs.slice(taken);
  const whole = rest.length === 0 && batch.length === taken && batch.every((run) => run.scan.whole);
  return { whole, rest, bytes };
}

async function removeRuns(connection: Connection, runs: Pending["removed"]): Promise<void> {
  if (runs.length === 0) return;
  const numbers = runs.map((run) => run.no);
  for (const table of ["runs", "sites", "names", "checkpoints", "profile", ...LOG_TABLES]) {
    await connection.run(`DELETE FROM store.${table} WHERE ${isAmong(numbers)}`);
  }
}

/** Tables whose rows come from `log.jsonl`. */
const LOG_TABLES = ["args", "logs", "items", "enters", "exits", "files", "rewinds"] as const;

/** Reads a run's manifest, then its log: a run that says it is done has sealed its log before. */
function prepareRun(
  pending: PendingRun,
  no: number,
  options: { readonly folder: string; readonly copies: boolean; readonly limitBytes: number },
): BatchRun | undefined {
  const { folder, copies, limitBytes } = options;
  try {
    const manifest = readManifestRow(pending.folder);
    const log = runPaths.log(pending.folder);
    // A log that is shorter than what was read is another log: read from its beginning.
    const shrunk = pending.stamp.logBytes < (pending.known?.position.bytes ?? 0);
    const from = shrunk ? LOG_START : (pending.known?.position ?? LOG_START);
    const scan = pending.stamp.logBytes < 0 ? noLog(from) : scanLog(log, from, limitBytes);
    const copy = join(folder, `${no}.jsonl`);
    const file = linesToRead({ log, manifest, scan, from, copy, copies });
    const reach = (side: string): string => (copies ? copied(side, folder, no) : side);
    return { no, pending, manifest, scan, from, file, reach };
  } catch (error) {
    // Removed while it was read: the next look at the folder does not list it.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function copied(file: string, folder: string, no: number): string {
  const copy = join(folder, `${no}-${basename(file)}`);
  copyFileSync(file, copy);
  return copy;
}

function noLog(position: LogPosition): LogScan {
  return { position, rewinds: [], longestLine: 0, whole: true };
}

/** The file itself if it cannot change any more and is wanted whole; else a copy of the lines. */
function linesToRead(options: {
  readonly log: string;
  readonly manifest: ManifestRow;
  readonly scan: LogScan;
  readonly from: LogPosition;
  readonly copy: string;
  readonly copies: boolean;
}): string | undefined {
  const { log, manifest, scan, from, copy, copies } = options;
  if (scan.position.bytes === from.bytes) return undefined;
  const settled = manifest.status === "done" && scan.position.sealed === "done" && scan.whole;
  if (!copies && settled && from.bytes === 0 && scan.rewinds.length === 0) return log;
  const to = scan.position.bytes;
  copyLines({ file: log, target: copy, from: from.bytes, to, rewinds: scan.rewinds });
  return copy;
}

async function ingestRuns(connection: Connection, batch: readonly BatchRun[]): Promise<void> {
  // Where rows were dropped there is nothing to add to.
  const further = batch.filter((run) => run.from.bytes > 0 && run.scan.rewinds.length === 0);
  const numbers = further.map((run) => run.no);
  const summarized = await readSummarized(connection, numbers);
  await forgetSuperseded(connection, batch);
  const { bad, lastT } = await ingestLogs(connection, batch);
  const profileDamage = await ingestProfiles(connection, batch);
  const checkpointDamage = await ingestCheckpoints(connection, batch);
  const anew = batch.filter((run) => !further.includes(run)).map((run) => run.no);
  await summarizeNames(connection, anew);
  for (const { no, file } of further) {
    if (file !== undefined) await summarizeFurther(connection, no, summarized.get(no) ?? -1n);
  }
  await writeRuns(connection, batch, { bad, lastT, profileDamage, checkpointDamage });
}

/** Drops rows that a rewind supersedes, and all rows of a log that is read from its beginning. */
async function forgetSuperseded(connection: Connection, batch: readonly BatchRun[]): Promise<void> {
  for (const { no, pending, from, scan } of batch) {
    const again =
      pending.known !== undefined && pending.known.position.bytes > 0 && from.bytes === 0;
    const after = again ? -1 : Math.min(...scan.rewinds.map((rewind) => rewind.seq));
    if (pending.known !== undefined && Number.isFinite(after)) {
      for (const table of LOG_TABLES) {
        if (table === "rewinds" && !again) continue;
        await connection.run(`DELETE FROM store.${table} WHERE no = ${no} AND seq > ${after}`);
      }
      if (again) await connection.run(`DELETE FROM store.sites WHERE no = ${no}`);
    }
    for (const { atByte, seq } of scan.rewinds) {
      await connection.run(`INSERT INTO store.rewinds VALUES (${no}, ${atByte}, ${seq})`);
    }
  }
}

const COLUMNS = {
  k: "VARCHAR",
  seq: "BIGINT",
  path: "VARCHAR[][]",
  name: "VARCHAR",
  value: "JSON",
  default: "JSON",
  from: "VARCHAR",
  loop: "VARCHAR",
  entry: "INTEGER",
  site: "INTEGER",
  length: "BIGINT",
  range: "STRUCT(start DOUBLE, step DOUBLE)",
  how: "VARCHAR",
  iterations: "BIGINT",
  probe: "BOOLEAN",
  check: "VARCHAR",
  op: "VARCHAR",
  file: "VARCHAR",
  hash: "VARCHAR",
  bytes: "BIGINT",
  before: "VARCHAR",
  line: "INTEGER",
  column: "INTEGER",
  kind: "VARCHAR",
  function: "VARCHAR",
  t: "BIGINT",
} as const;

/** The lines of one kind, with the columns of their value. */
function linesWithValues(kind: string): string {
  return withValueColumns(`temp.lines WHERE k = '${kind}'`, "value");
}

function insertInto(table: string, columns: string): string {
  return `INSERT INTO store.${table} (no, seq, ${columns})`;
}

interface IngestedLines {
  /** Lines that cannot be read, by run. */
  readonly bad: ReadonlyMap<number, number>;
  /** When the last record was made, by run. */
  readonly lastT: ReadonlyMap<number, number>;
}

/** Lines -> rows. */
async function ingestLogs(
  connection: Connection,
  batch: readonly BatchRun[],
): Promise<IngestedLines> {
  const runs = batch.flatMap(({ no, file, scan }) =>
    file === undefined ? [] : [{ no, file, scan }],
  );
  if (runs.length === 0) return { bad: new Map(), lastT: new Map() };
  const files = runs.map((run) => run.file);
  const longest = Math.max(...runs.map((run) => run.scan.longestLine));
  const numbers = runs.map((run) => `(${run.no}, ${literal(run.file)})`).join(", ");
  await connection.run(`CREATE OR REPLACE TEMP TABLE lines AS
    SELECT f.no, l.* EXCLUDE (filename) FROM ${readLines(files, COLUMNS, longest)} l
    JOIN (VALUES ${numbers}) f(no, filename) USING (filename)`);
  const levels = indexColumns(await ensureWidth(connection));
  const indices = levels.map((_, level) => `, try_cast(path[${level + 1}][2] AS INTEGER)`).join("");
  const value = "type, number, text, value_rest";
  const path = ["shape", ...levels].join(", ");
  const cells = "type, number, text, value";
  for (const statement of [
    `${insertInto("logs", `name, ${path}, ${cells}, probe, "check", site, t`)}
      SELECT no, seq, name, ${SHAPE}${indices}, ${value}, probe, "check", site, t
      FROM ${linesWithValues("log")} WHERE name IS NOT NULL AND seq IS NOT NULL`,
    `${insertInto("args", `name, ${cells}, "default", "from", t`)}
      SELECT no, seq, name, ${value}, "default", "from", t
      FROM ${linesWithValues("arg")} WHERE name IS NOT NULL AND seq IS NOT NULL`,
    `${insertInto("items", `${path}, ${cells}`)}
      SELECT no, seq, ${SHAPE}${indices}, ${value} FROM ${linesWithValues("iter")} WHERE seq IS NOT NULL`,
    `${insertInto("enters", `${path}, loop, entry, length, start, step, site, t`)}
      SELECT no, seq, ${LOOP_SHAPE}${indices}, loop, entry, length, range.start, range.step,
        site, t
      FROM temp.lines WHERE k = 'enter' AND loop IS NOT NULL AND seq IS NOT NULL`,
    `${insertInto("exits", `${path}, how, iterations, t`)}
      SELECT no, seq, ${LOOP_SHAPE}${indices}, how, iterations, t
      FROM temp.lines WHERE k = 'exit' AND loop IS NOT NULL AND seq IS NOT NULL`,
    `${insertInto("files", `op, file, path, hash, bytes, before, t`)}
      SELECT no, seq, op, file, ${PATH_TEXT}, hash, bytes, before, t
      FROM temp.lines WHERE k = 'file' AND file IS NOT NULL AND seq IS NOT NULL`,
    `INSERT INTO store.sites SELECT no, site, any_value(file), any_value(line),
        any_value("column"), any_value(kind), any_value("function")
      FROM temp.lines WHERE k = 'site' AND site IS NOT NULL
        AND (no, site) NOT IN (SELECT (no, site) FROM store.sites
          WHERE ${isAmong(runs.map((run) => run.no))}) GROUP BY no, site`,
  ]) {
    await connection.run(statement);
  }
  // A record that lacks what its kind must have is as unreadable as one that is not JSON.
  const found = await connection.rows(`SELECT no, count(*) FILTER (
      k IS NULL OR k IN ('log', 'arg', 'iter', 'enter', 'exit') AND seq IS NULL
      OR k IN ('log', 'arg') AND name IS NULL OR k IN ('enter', 'exit') AND loop IS NULL
    )::INTEGER AS bad, max(t) FILTER (k IN ('log', 'arg', 'enter', 'exit'))::DOUBLE AS last
    FROM temp.lines GROUP BY no`);
  return {
    bad: new Map(found.map((row) => [Number(row["no"]), Number(row["bad"])])),
    lastT: new Map(
      found.flatMap((row) => {
        const last = row["last"] ?? null;
        return last === null ? [] : [[Number(row["no"]), Number(last)] as const];
      }),
    ),
  };
}

/**
 * Adds index columns if these lines nest deeper than any before; answers how deep they nest. A loop
 * counts from its entry on: it may be asked for though nothing was logged in it.
 */
async function ensureWidth(connection: Connection): Promise<number> {
  const [row] = await connection.rows(`SELECT
    (SELECT width FROM store.meta) AS width,
    (SELECT coalesce(max(len(path) + (k IN ('enter', 'exit'))::INTEGER), 0)::INTEGER
      FROM temp.lines) AS depth`);
  const width = Number(row?.["width"]);
  const depth = Number(row?.["depth"]);
  if (depth > width) await connection.run(widenTables(width, depth));
  return depth;
}

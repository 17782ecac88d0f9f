/** @file The rows of `store.runs`: what a run's manifest and the reading of its files say. */
import { isAmong } from "./batch.ts";
import type { BatchRun } from "./batch.ts";
import type { Connection } from "../database.ts";
import type { ManifestRow } from "./read-manifest.ts";

/** What reading the files of runs found, by number of the run. */
export interface FoundInFiles {
  readonly bad: ReadonlyMap<number, number>;
  /** When the last of the new records was made. */
  readonly lastT: ReadonlyMap<number, number>;
  readonly profileDamage: ReadonlyMap<number, string>;
  readonly checkpointDamage: ReadonlyMap<number, string>;
}

/** Replaces the batch's rows of `store.runs`. */
export async function writeRuns(
  connection: Connection,
  batch: readonly BatchRun[],
  found: FoundInFiles,
): Promise<void> {
  const numbers = batch.map((run) => run.no);
  const before = await connection.rows(
    `SELECT no, bad_lines::INTEGER AS bad, last_t::DOUBLE AS last FROM store.runs WHERE ${isAmong(numbers)}`,
  );
  const earlier = new Map(
    before.map((row) => [
      Number(row["no"]),
      { bad: Number(row["bad"]), lastT: Number(row["last"] ?? -1) },
    ]),
  );
  const rows = batch.map((run) => runRow(run, found, earlier.get(run.no)));
  await connection.run(`DELETE FROM store.runs WHERE ${isAmong(numbers)}`);
  await connection.run(
    `INSERT INTO store.runs BY NAME SELECT j.* EXCLUDE (seconds),
       coalesce(j.seconds, j.last_t / 1e6) AS seconds
     FROM (SELECT unnest(from_json($rows, $shape)) AS j)`,
    { rows: JSON.stringify(rows), shape: JSON.stringify([RUN_COLUMNS]) },
  );
}

const RUN_COLUMNS = {
  no: "INTEGER",
  run: "VARCHAR",
  name: "VARCHAR",
  kind: "VARCHAR",
  parent: "VARCHAR",
  point: "VARCHAR",
  status: "VARCHAR",
  ordinal: "DOUBLE",
  started: "TIMESTAMP",
  ended: "TIMESTAMP",
  seconds: "DOUBLE",
  projid: "VARCHAR",
  filename: "VARCHAR",
  language: "VARCHAR",
  argv: ["VARCHAR"],
  commit: "VARCHAR",
  head: "VARCHAR",
  branch: "VARCHAR",
  dirty: "INTEGER",
  seed: "VARCHAR",
  host: "VARCHAR",
  exit_code: "INTEGER",
  signal: "VARCHAR",
  overhead: "DOUBLE",
  budget: "DOUBLE",
  overhead_parts: "JSON",
  off: "JSON",
  warnings: ["VARCHAR"],
  manifest_damage: "VARCHAR",
  log_damage: "VARCHAR",
  profile_damage: "VARCHAR",
  checkpoint_damage: "VARCHAR",
  landing: "VARCHAR",
  differs: ["VARCHAR"],
  bad_lines: "BIGINT",
  loop_rules: "INTEGER",
  sealed: "VARCHAR",
  final: "BOOLEAN",
  stamp: "VARCHAR",
  log_bytes: "BIGINT",
  log_lines: "BIGINT",
  log_crc: "BIGINT",
  last_t: "BIGINT",
} as const;

type RunTableRow = { readonly [column in keyof typeof RUN_COLUMNS]: unknown };

interface EarlierRow {
  readonly bad: number;
  readonly lastT: number;
}

function runRow(run: BatchRun, found: FoundInFiles, earlier: EarlierRow | undefined): RunTableRow {
  const { no, scan, pending, from } = run;
  const { resumed, ...manifest } = run.manifest;
  const before = from.bytes === 0 ? undefined : earlier;
  const lastT = Math.max(before?.lastT ?? -1, found.lastT.get(no) ?? -1);
  const position = scan.position;
  const sound = manifest.status === "done" && position.sealed === "done";
  return {
    ...manifest,
    no,
    status: trueStatus(run),
    seconds: runSeconds(manifest, resumed),
    log_damage: position.damage ?? missingSeal(run),
    profile_damage: found.profileDamage.get(no) ?? null,
    checkpoint_damage: found.checkpointDamage.get(no) ?? null,
    bad_lines: (before?.bad ?? 0) + (found.bad.get(no) ?? 0),
    sealed: position.sealed,
    final: sound && scan.whole && manifest.manifest_damage === null,
    stamp: scan.whole ? pending.stamp.text : "",
    log_bytes: position.bytes,
    log_lines: position.lines,
    log_crc: position.crc,
    last_t: lastT < 0 ? null : lastT,
  };
}

/** A run that sealed its log has ended, though it died before it could say so in its manifest. */
function trueStatus({ manifest, scan }: BatchRun): string {
  const { status } = manifest;
  const isOpen = status === "recording" || status === "interrupted" || status === "unknown";
  return isOpen && scan.position.sealed !== null ? scan.position.sealed : status;
}

/** The monotonic clock where the run has it: the wall clock may have been set. */
function runSeconds(manifest: Omit<ManifestRow, "resumed">, resumed: boolean): number | null {
  // The manifest has the last part only; the records of a resumed run have one clock.
  if (resumed) return null;
  const parts = manifest.overhead_parts as { readonly runMs?: unknown } | null;
  if (typeof parts?.runMs === "number") return parts.runMs / 1000;
  if (manifest.started === null || manifest.ended === null) return null;
  const ms = Date.parse(`${manifest.ended}Z`) - Date.parse(`${manifest.started}Z`);
  return ms >= 0 ? ms / 1000 : null;
}

function missingSeal({ manifest, scan }: BatchRun): string | null {
  if (manifest.status !== "done" || scan.position.sealed !== null || !scan.whole) return null;
  const off = JSON.stringify(manifest.off);
  return /log/.test(off) ? null : "log.jsonl: it ends before its seal";
}

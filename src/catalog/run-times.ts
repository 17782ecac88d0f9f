/** @file Where the time of a run went, and what was executed in its source how often: numbers by place. */
import type { Connection } from "./database.ts";
import { numberOf, textOf } from "./database.ts";
import { literal } from "./schema.ts";

/** How often something was done at a line: values that were logged, iterations of a loop. */
export interface LineHits {
  readonly file: string;
  readonly line: number;
  readonly values: number;
  readonly iterations: number;
}

export async function readHits(connection: Connection, run: string): Promise<LineHits[]> {
  const rows = await connection.rows(`
    SELECT file, line, sum(hits)::DOUBLE AS hits, sum(iterations)::DOUBLE AS iterations FROM (
      SELECT s.file, s.line, count(*) AS hits, 0 AS iterations
      FROM store.logs l JOIN store.sites s USING (no, site)
      WHERE l.no = (SELECT no FROM store.runs WHERE run = ${literal(run)}) GROUP BY ALL
      UNION ALL
      SELECT file, line, 0, sum(coalesce(iterations, 0)) FROM loops
      WHERE run = ${literal(run)} GROUP BY ALL)
    WHERE file IS NOT NULL AND line IS NOT NULL GROUP BY ALL ORDER BY file, line`);
  return rows.map((row) => ({
    file: String(row["file"]),
    line: Number(row["line"]),
    values: Number(row["hits"]),
    iterations: Number(row["iterations"]),
  }));
}

/** Consecutive iterations of an outermost loop. */
export interface TimedIterations {
  readonly loop: string;
  /** How often the loop was entered before. */
  readonly entry: number;
  readonly from: number;
  readonly to: number;
  /** Waiting for what is iterated over, in it and in the loops inside. */
  readonly dataMs: number;
  readonly computeMs: number;
  /** What checkpoints blocked: taking and copying the state, and waiting for the one before. */
  readonly checkpointMs: number;
}

/** Of many iterations so many stretches are told. */
const STRETCHES = 500;

/**
 * Of microseconds, in which they were measured: sums of them are the same in whichever order they are taken. By `loop`, `entry` and `iteration` of an
 * outermost loop: rows of the profile, and of checkpoints.
 */
export async function readTimes(connection: Connection, run: string): Promise<TimedIterations[]> {
  const id = literal(run);
  const outermost = (path: string): string => `
    url_decode(split_part(split_part(${path}, '=', 1), '#', 1)) AS loop,
    coalesce(try_cast(split_part(split_part(${path}, '=', 1), '#', 2) AS INTEGER), 0) AS entry,
    try_cast(split_part(${path}, '=', 2) AS BIGINT) AS iteration`;
  const rows = await connection.rows(`
    WITH parts AS (
      SELECT loop, coalesce(entry, 0) AS entry, iteration, ms, next_ms AS data, 0 AS checkpoint
      FROM profile WHERE run = ${id} AND kind = 'iteration' AND path = ''
      UNION ALL
      SELECT ${outermost("split_part(path, ',', 1)")}, 0, next_ms, 0
      FROM profile WHERE run = ${id} AND kind = 'iteration' AND path <> ''
      UNION ALL
      SELECT ${outermost("split_part(path, ',', 1)")}, 0, 0,
        coalesce(capture_ms, 0) + coalesce(snapshot_ms, 0) + coalesce(wait_ms, 0)
      FROM checkpoints WHERE run = ${id}),
    sized AS (SELECT loop, entry, greatest(1, ceil(max(iteration + 1) / ${STRETCHES}))::BIGINT AS each
      FROM parts WHERE iteration IS NOT NULL AND ms > 0 GROUP BY ALL)
    SELECT loop, entry, min(iteration)::DOUBLE AS first, max(iteration)::DOUBLE AS last,
      round(sum(ms) - sum(data), 3) AS compute, round(sum(data), 3) AS data,
      round(sum(checkpoint), 3) AS checkpoint
    FROM parts JOIN sized USING (loop, entry) WHERE iteration IS NOT NULL
    GROUP BY loop, entry, iteration // each ORDER BY loop, entry, first`);
  return rows.map((row) => ({
    loop: textOf(row, "loop") ?? "",
    entry: Number(row["entry"]),
    from: Number(row["first"]),
    to: Number(row["last"]),
    dataMs: numberOf(row, "data") ?? 0,
    computeMs: Math.max(0, numberOf(row, "compute") ?? 0),
    checkpointMs: numberOf(row, "checkpoint") ?? 0,
  }));
}

/** A checkpoint as it was taken: when, and what each part of that took. */
export interface TakenCheckpoint {
  readonly path: string;
  readonly kind: string;
  readonly bytes: number;
  /** Milliseconds since the run began, when it was noted. */
  readonly atMs: number;
  readonly captureMs: number;
  readonly snapshotMs: number;
  readonly waitMs: number;
  readonly persistMs: number;
}

export async function readTaken(connection: Connection, run: string): Promise<TakenCheckpoint[]> {
  const rows = await connection.rows(`SELECT path, kind, bytes::DOUBLE AS bytes,
      t::DOUBLE / 1000 AS at, capture_ms, snapshot_ms, wait_ms, persist_ms
    FROM checkpoints WHERE run = ${literal(run)} AND NOT superseded ORDER BY t, seq`);
  return rows.map((row) => ({
    path: textOf(row, "path") ?? "",
    kind: textOf(row, "kind") ?? "",
    bytes: numberOf(row, "bytes") ?? 0,
    atMs: numberOf(row, "at") ?? 0,
    captureMs: numberOf(row, "capture_ms") ?? 0,
    snapshotMs: numberOf(row, "snapshot_ms") ?? 0,
    waitMs: numberOf(row, "wait_ms") ?? 0,
    persistMs: numberOf(row, "persist_ms") ?? 0,
  }));
}

/**
 * @file `profile.jsonl` and `checkpoints/index.jsonl` -> rows.
 *
 * These files are small beside the log: when one has grown it is read again as a whole.
 */
import { isAmong, PATH_TEXT, readLines } from "./batch.ts";
import type { BatchRun } from "./batch.ts";
import { runPaths } from "../../store/index.ts";
import type { Connection } from "../database.ts";
import { literal } from "../schema.ts";

const PROFILE_COLUMNS = {
  k: "VARCHAR",
  path: "VARCHAR[][]",
  loop: "VARCHAR",
  entry: "INTEGER",
  from: "BIGINT",
  ms: "DOUBLE",
  next: "DOUBLE[]",
  head: "DOUBLE[]",
  inner: "DOUBLE[]",
  tail: "DOUBLE[]",
  each: "BIGINT[]",
  bytes: "BIGINT",
  after: "VARCHAR",
  before: "VARCHAR",
  call: "VARCHAR",
  file: "VARCHAR",
  line: "INTEGER",
} as const;

const CHECKPOINT_COLUMNS = {
  k: "VARCHAR",
  kind: "VARCHAR",
  path: "VARCHAR[][]",
  seq: "BIGINT",
  logBytes: "BIGINT",
  file: "VARCHAR",
  bytes: "BIGINT",
  stateBytes: "BIGINT",
  holds: "VARCHAR[]",
  needs: "VARCHAR[]",
  stateHash: "VARCHAR",
  absent: "JSON",
  times: "STRUCT(capture DOUBLE, snapshot DOUBLE, wait DOUBLE, persist DOUBLE)",
  t: "BIGINT",
} as const;

/** Answers what is wrong with the file, by number of the run. */
export async function ingestProfiles(
  connection: Connection,
  batch: readonly BatchRun[],
): Promise<Map<number, string>> {
  const runs = batch.filter((run) => run.scan.whole && run.pending.stamp.profileBytes > 0);
  if (runs.length === 0) return new Map();
  await readSideFile(connection, runs, { file: runPaths.profile, columns: PROFILE_COLUMNS });
  await connection.run(`DELETE FROM store.profile WHERE ${isAmong(runs.map((run) => run.no))}`);
  await connection.run(`INSERT INTO store.profile
    SELECT no, k, ${PATH_TEXT}, coalesce(loop, CASE k WHEN 'gap' THEN after || '..' || before
        WHEN 'call' THEN call || '() at ' || file || ':' || line END),
      entry, NULL, ms, NULL, NULL, NULL, NULL, bytes
    FROM temp.side WHERE k NOT IN ('iterations', 'frequency')`);
  // Of iterations that were measured together there is one row, with the times of all of them.
  const past = `CASE WHEN "each" IS NULL THEN nth - 1
    ELSE coalesce(list_sum("each"[1:nth - 1]), 0) END`;
  const ms = (list: string): string => `${list}[nth] * coalesce("each"[nth], 1)`;
  await connection.run(`INSERT INTO store.profile
    SELECT no, 'iteration', path, loop, entry, "from" + ${past},
      (next[nth] + head[nth] + coalesce("inner"[nth], 0) + coalesce(tail[nth], 0))
        * coalesce("each"[nth], 1),
      ${["next", "head", `"inner"`, "tail"].map(ms).join(", ")}, NULL
    FROM (SELECT * REPLACE (${PATH_TEXT} AS path), unnest(range(1, len(head) + 1)) AS nth
      FROM temp.side WHERE k = 'iterations')`);
  return damageOf(connection, "profile.jsonl");
}

/** As `ingestProfiles`. */
export async function ingestCheckpoints(
  connection: Connection,
  batch: readonly BatchRun[],
): Promise<Map<number, string>> {
  const runs = batch.filter((run) => run.scan.whole && run.pending.stamp.checkpointBytes > 0);
  if (runs.length === 0) return new Map();
  const file = runPaths.checkpointIndex;
  await readSideFile(connection, runs, { file, columns: CHECKPOINT_COLUMNS });
  await connection.run(`DELETE FROM store.checkpoints WHERE ${isAmong(runs.map((run) => run.no))}`);
  await connection.run(`INSERT INTO store.checkpoints
    SELECT no, kind, ${PATH_TEXT}, seq, "logBytes", file, bytes, "stateBytes", holds, needs,
      "stateHash", absent, times.capture, times.snapshot, times.wait, times.persist, t
    FROM temp.side WHERE k = 'checkpoint'
      AND (no, file) NOT IN (SELECT (no, file) FROM temp.side WHERE k = 'removed')`);
  return damageOf(connection, "checkpoints/index.jsonl");
}

interface SideFile {
  readonly file: (folder: string) => string;
  readonly columns: { readonly [name: string]: string };
}

async function readSideFile(
  connection: Connection,
  runs: readonly BatchRun[],
  { file, columns }: SideFile,
): Promise<void> {
  const files = runs.map((run) => run.reach(file(run.pending.folder)));
  const numbers = runs.map((run, at) => {
    // While the program still writes, the last line may be half a line: no damage.
    return `(${run.no}, ${literal(files[at] ?? "")}, ${run.manifest.status === "done"})`;
  });
  const longest = Math.max(
    ...runs.map(({ pending: { stamp } }) => Math.max(stamp.profileBytes, stamp.checkpointBytes)),
  );
  await connection.run(`CREATE OR REPLACE TEMP TABLE side AS
    SELECT f.no, f.settled, l.* EXCLUDE (filename)
    FROM ${readLines(files, columns, Math.min(longest, LONGEST_LINE))} l
    JOIN (VALUES ${numbers.join(", ")}) f(no, filename, settled) USING (filename)`);
}

/** No line of these files comes near: a record of iterations is split by the writer. */
const LONGEST_LINE = 64 * 1024 * 1024;

async function damageOf(connection: Connection, file: string): Promise<Map<number, string>> {
  const rows = await connection.rows(
    `SELECT no, count(*)::INTEGER AS bad FROM temp.side
     WHERE k IS NULL AND settled GROUP BY no`,
  );
  return new Map(
    rows.map((row) => [Number(row["no"]), `${file}: ${String(row["bad"])} lines cannot be read`]),
  );
}

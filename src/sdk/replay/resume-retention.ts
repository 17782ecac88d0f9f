/**
 * @file Which checkpoints a run keeps, and what a run that is continued knows from before: its
 * checkpoints, the best value so far, how often its steps are checkpointed, and what they need.
 */
import { existsSync, readFileSync } from "node:fs";
import type { CheckpointRecord, KeepPolicy, Orders, ProfileRecord } from "../../format/index.ts";
import { formatPath, valueFromJson } from "../../format/index.ts";
import type { StepTimes } from "../../materialize/index.ts";
import { retainedBefore, Retention } from "../../materialize/index.ts";
import { listCheckpoints, readCheckpointIndex, runPaths } from "../../store/index.ts";
import { readRecords } from "./recorded-run.ts";
import type { ResumeFacts } from "./resume-facts.ts";

/** `orders` and `resumes`: of a run that is continued. */
export function retentionOf(
  policy: KeepPolicy,
  orders: Orders | undefined,
  resumes: ResumeFacts | undefined,
): Retention {
  if (!orders || !resumes) return new Retention(policy);
  const records = listCheckpoints(orders.parent);
  const seq = records.find(({ file }) => file === orders.arrive)?.seq ?? -1;
  const rewinds = [...resumes.rewinds, { seq, offset: resumes.positions.log }];
  const isStale = (record: CheckpointRecord): boolean =>
    rewinds.some((rewind) => record.seq > rewind.seq && record.logBytes <= rewind.offset);
  const before = new Retention(policy, retainedBefore(records, isStale));
  if (before.watched !== undefined) observeBefore(before, orders.parent, seq);
  return before;
}

/** Tells the values that were logged before record `seq`, which are not logged again. */
function observeBefore(retention: Retention, runFolder: string, seq: number): void {
  for (const record of readRecords(runPaths.log(runFolder), ["log", "rewind"])) {
    if (record.k !== "log" || record.seq > seq || record.name !== retention.watched) continue;
    const value = valueFromJson(record.value);
    if (typeof value === "number") retention.observe(value, () => record.path);
  }
}

/** Keys of the loops whose ends steps of the run need, which came behind them. */
export function readNeededEnds(runFolder: string): string[] {
  const records = readCheckpointIndex(runFolder).taken;
  const needed = new Set(records.flatMap(({ needs }) => needs));
  return records.flatMap(({ kind, path }) => {
    const isNeeded = kind === "loop" && needed.has(formatPath(path));
    return isNeeded ? [path.map(([name]) => name).join("/")] : [];
  });
}

/** What was last found out about each loop of steps. */
export function readFrequencies(runFolder: string): Map<string, StepTimes> {
  const file = runPaths.profile(runFolder);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const found = new Map<string, StepTimes>();
  for (const line of lines) {
    if (!line.startsWith('{"k":"frequency"') || !line.endsWith("}")) continue;
    const record = JSON.parse(line) as Extract<ProfileRecord, { k: "frequency" }>;
    const { block, iterationMs, blockedMs, persistMs } = record;
    found.set(block, { iterationMs, blockedMs, persistMs });
  }
  return found;
}

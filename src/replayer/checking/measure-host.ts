/**
 * @file What a process of a replay tells of this machine: what restoring took beside materializing, for the next
 * recording of the program here, and how much longer code takes than where the run was recorded.
 */
import type { Manifest, ProfileRecord } from "../../format/index.ts";
import { formatPath, machineOf } from "../../format/index.ts";
import type { ExecutedTimes } from "../../planner/index.ts";
import { compareTimes } from "../../planner/index.ts";
import { listCheckpoints, noteRestore, readManifest, runPaths } from "../../store/index.ts";
import { readLines } from "../recorded/raw-log.ts";
import { readRunFacts } from "../recorded/run-facts.ts";

/** `recorded_on`: another machine than that which has executed it. */
export type HostTimes = ExecutedTimes & { readonly recorded_on: string };

export interface MeasuredUnit {
  readonly store: string;
  /** The run that was repeated, and what the process wrote. */
  readonly parent: string;
  readonly out: string;
}

/** Undefined where it was recorded here, or nothing can be compared. */
export function measureHost({ store, parent, out }: MeasuredUnit): HostTimes | undefined {
  try {
    const [before, now] = [readManifest(parent), readManifest(out)];
    keepRestores({ store, parent, out }, before, now);
    const recordedOn = machineOf(before.host);
    if (recordedOn === machineOf(now.host)) return undefined;
    const times = compareTimes(readRunFacts(parent, before), readRunFacts(out, now));
    return times && { ...times, recorded_on: recordedOn };
  } catch {
    // A process that was killed leaves what it leaves; prices are no reason to fail.
    return undefined;
  }
}

/** What was materialized on another machine says nothing of this one. */
function keepRestores({ store, parent, out }: MeasuredUnit, before: Manifest, now: Manifest): void {
  if (before.host.name !== now.host.name) return;
  let [restoreMs, materializeMs] = [0, 0];
  let costs: ReadonlyMap<string, number> | undefined;
  for (const line of readLines(runPaths.profile(out))) {
    const record = line as unknown as ProfileRecord;
    if (record.k !== "load") continue;
    costs ??= materializeCosts(parent);
    const cost = costs.get(formatPath(record.path));
    if (cost === undefined) continue;
    restoreMs += record.ms;
    materializeMs += cost;
  }
  const key = { program: before.program, host: now.host.name };
  noteRestore(store, key, { from: "replay", restoreMs, materializeMs });
}

/** What taking each checkpoint cost the training, by path. */
function materializeCosts(parent: string): ReadonlyMap<string, number> {
  return new Map(
    listCheckpoints(parent).map(({ path, times }) => {
      return [formatPath(path), times.capture + times.snapshot + times.wait];
    }),
  );
}

/**
 * @file Runs that came from another machine without their checkpoints (`afterlog pull`): every command
 * that would use one says where they are.
 */
import { existsSync } from "node:fs";
import { runPaths } from "../store-paths.ts";
import { readManifest } from "../runs.ts";

export interface CheckpointsElsewhere {
  readonly host: string;
  readonly count: number;
  /** As people are told. */
  readonly note: string;
  readonly help: string;
}

/** Undefined: they are here, or there are none. */
export function checkpointsElsewhere(runFolder: string): CheckpointsElsewhere | undefined {
  // Where checkpoints were taken there is a list of them, though all have been removed since.
  if (existsSync(runPaths.checkpointIndex(runFolder))) return undefined;
  const { run, overhead, host } = readManifest(runFolder);
  const count = overhead?.checkpoints ?? 0;
  if (count === 0) return undefined;
  return {
    host: host.name,
    count,
    note: `its checkpoints are on ${host.name}, not here`,
    help: `copy them from ${host.name}:  .afterlog/runs/${run}/checkpoints`,
  };
}

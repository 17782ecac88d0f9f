/**
 * @file What the index does not know yet: run directories that are new, changed or gone.
 *
 * A run that ended well and was sealed never changes, but that checkpoints of it may be removed. The
 * others are looked at by the sizes of their files.
 */
import { statSync } from "node:fs";
import { listRunIds, runPaths, storePaths } from "../../store/index.ts";
import { readManifestRow } from "./read-manifest.ts";
import type { LogPosition } from "./scan-log.ts";

/** What the index says about a run. */
export interface KnownRun {
  readonly no: number;
  readonly run: string;
  readonly status: string;
  readonly final: boolean;
  /** The run's files as they were when it was ingested; empty if only partly ingested. */
  readonly stamp: string;
  readonly position: LogPosition;
}

export interface PendingRun {
  readonly run: string;
  readonly folder: string;
  readonly known: KnownRun | undefined;
  readonly stamp: Stamp;
}

export interface Pending {
  /** The newest first: they are asked for most. */
  readonly runs: readonly PendingRun[];
  readonly removed: readonly KnownRun[];
}

/** Sizes of a run's files, -1 where there is none. */
export interface Stamp {
  readonly text: string;
  /** When its manifest was written. */
  readonly writtenMs: number;
  readonly logBytes: number;
  readonly profileBytes: number;
  readonly checkpointBytes: number;
}

/** Compares the store with what the index knows; of runs that are named, these alone. */
export function findPending(
  store: string,
  known: readonly KnownRun[],
  named?: readonly string[],
): Pending {
  const byRun = new Map(known.map((run) => [run.run, run]));
  const runs: PendingRun[] = [];
  const present = named ?? listRunIds(store);
  for (const run of present) {
    const before = byRun.get(run);
    const folder = storePaths.run(store, run);
    if (before?.final && !isThinned(before, folder)) continue;
    const stamp = readStamp(folder);
    if (stamp !== undefined && isChanged(before, stamp, folder)) {
      runs.push({ run, folder, known: before, stamp });
    }
  }
  if (named) return { runs, removed: [] };
  const here = new Set(present);
  runs.sort((a, b) => b.stamp.writtenMs - a.stamp.writtenMs || (a.run < b.run ? 1 : -1));
  return { runs, removed: known.filter((run) => !here.has(run.run)) };
}

/** `gc` removes checkpoints of runs that are sealed, and appends to their index that it did. */
function isThinned({ stamp }: KnownRun, folder: string): boolean {
  const bytes = statOf(runPaths.checkpointIndex(folder))?.size ?? -1;
  return !stamp.endsWith(`:${bytes}`);
}

/** A run that says it records is asked whether it still does: its process may have died. */
function isChanged(before: KnownRun | undefined, stamp: Stamp, folder: string): boolean {
  if (before === undefined || before.stamp !== stamp.text) return true;
  return before.status === "recording" && readManifestRow(folder).status !== "recording";
}

/** `undefined` for a folder that is not a run yet: the manifest is the first file written. */
function readStamp(folder: string): Stamp | undefined {
  const manifest = statOf(runPaths.manifest(folder));
  const log = statOf(runPaths.log(folder));
  if (manifest === undefined && log === undefined) return undefined;
  const logBytes = log?.size ?? -1;
  const profileBytes = statOf(runPaths.profile(folder))?.size ?? -1;
  const checkpointBytes = statOf(runPaths.checkpointIndex(folder))?.size ?? -1;
  const sizes = [manifest?.size ?? -1, logBytes, profileBytes, checkpointBytes];
  // A manifest may be rewritten with the same size: its time and file number tell.
  const text = [manifest?.mtimeMs, manifest?.ino, ...sizes].join(":");
  return { text, writtenMs: manifest?.mtimeMs ?? 0, logBytes, profileBytes, checkpointBytes };
}

function statOf(file: string): { size: number; mtimeMs: number; ino: number } | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

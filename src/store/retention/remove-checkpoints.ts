/**
 * @file Removing checkpoints for good. First the index says so, durably, then the file goes: a
 * crash between the two leaves a file that nobody lists, never a listed checkpoint without one.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { RemovedRecord } from "../../format/index.ts";
import type { CheckpointIndex } from "../checkpoints/checkpoint-index.ts";
import { readCheckpointIndex } from "../checkpoints/checkpoint-index.ts";
import type { Faults } from "../checkpoints/checkpoint-writer.ts";
import { runPaths } from "../store-paths.ts";

/** A file that is so new may belong to somebody who is about to list it. */
const LEFT_AFTER_MS = 3_600_000;

/** Removes checkpoints of a run. Whoever calls knows that nothing kept refers to them. */
export function removeCheckpoints(
  runFolder: string,
  files: readonly string[],
  how: {
    readonly index: CheckpointIndex;
    /** Microseconds since the run began. */
    readonly t: number;
    readonly faults?: Faults;
  },
): void {
  if (files.length === 0) return;
  const { index, t, faults = () => undefined } = how;
  faults("retention:before-lines");
  index.append(...files.map((file): RemovedRecord => ({ k: "removed", file, t })));
  for (const file of files) {
    faults("retention:before-unlink");
    rmSync(join(runPaths.checkpoints(runFolder), basename(file)), { force: true });
  }
}

/** A file in a run's folder of checkpoints that is part of none. */
export interface Leftover {
  readonly file: string;
  readonly bytes: number;
}

/**
 * What killed processes left in a run that nobody writes: unfinished files, files that were never
 * listed, files whose removal was cut short. Unlisted ones stay where the index is damaged: one of
 * its lines may have named them.
 */
export function findLeftovers(runFolder: string, nowMs: number): Leftover[] {
  const { taken, removed, damaged } = readCheckpointIndex(runFolder);
  const listed = new Set(taken.filter(({ file }) => !removed.has(file)).map(({ file }) => file));
  const held = new Set(
    taken.filter(({ file }) => listed.has(file)).flatMap((record) => record.holds),
  );
  return filesIn(runPaths.checkpoints(runFolder)).filter(({ file, changedMs }) => {
    if (listed.has(file) || held.has(file)) return false;
    if (removed.has(file)) return true;
    const isOld = nowMs - changedMs > LEFT_AFTER_MS;
    if (file.endsWith(".safetensors.tmp")) return isOld;
    return isOld && damaged === 0 && file.endsWith(".safetensors");
  });
}

export function removeLeftovers(runFolder: string, leftovers: readonly Leftover[]): void {
  for (const { file } of leftovers) {
    rmSync(join(runPaths.checkpoints(runFolder), basename(file)), { force: true });
  }
}

function filesIn(folder: string): (Leftover & { readonly changedMs: number })[] {
  try {
    return readdirSync(folder).flatMap((file) => {
      const stat = statSync(join(folder, file), { throwIfNoEntry: false });
      return stat?.isFile() ? [{ file, bytes: stat.size, changedMs: stat.mtimeMs }] : [];
    });
  } catch (error) {
    // A run that took no checkpoint has no such folder.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

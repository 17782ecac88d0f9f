/** @file The checkpoints of a run, by the loop entry that each belongs to: what they hold, and where. */
import type { CheckpointRecord, LoopPath } from "../../format/index.ts";
import { formatPath, pathElement } from "../../format/index.ts";
import { comparedKey } from "./compare-state.ts";

/** Keys of the places that the checkpoints of each loop entry have, captured or not, as they are compared. */
export function placesByEntry(
  checkpoints: readonly CheckpointRecord[],
): Map<string, ReadonlySet<string>> {
  const keysOf = new Map<string, Set<string>>();
  for (const { path, places, absent } of checkpoints) {
    const entry = formatPath(endOf(path));
    const keys = keysOf.get(entry) ?? new Set();
    for (const { key } of [...places, ...absent]) keys.add(comparedKey(key));
    keysOf.set(entry, keys);
  }
  return keysOf;
}

/** Iterations with a checkpoint at their end, by loop entry. */
export function iterationEnds(checkpoints: readonly CheckpointRecord[]): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const { path } of checkpoints) {
    const index = path.at(-1)?.[1];
    if (typeof index !== "number") continue;
    const entry = formatPath(endOf(path));
    const indices = ends.get(entry);
    if (indices) indices.push(index);
    else ends.set(entry, [index]);
  }
  return ends;
}

/** The path of the end of the loop whose iteration, or end, `path` is. */
function endOf(path: LoopPath): LoopPath {
  const [name, , entry = 0] = path.at(-1) ?? ["", 0];
  return [...path.slice(0, -1), pathElement(name, "end", entry)];
}

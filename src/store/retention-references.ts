/** @file Checkpoints as retention sees them: which cannot be restored without which others. */
import type { CheckpointKind, LoopPath } from "../format/index.ts";
import { formatPath, pathElement } from "../format/index.ts";

/** A checkpoint, as far as it matters here. */
export interface RetainedCheckpoint {
  readonly file: string;
  readonly path: LoopPath;
  readonly kind: CheckpointKind;
  /** Of its own file. */
  readonly bytes: number;
  readonly holds: readonly string[];
  readonly needs: readonly string[];
  /** An iteration end of an innermost loop that is not outermost. */
  readonly step: boolean;
  /** When its loop was entered and when it was taken, on one clock of the program. */
  readonly enteredMs: number;
  readonly atMs: number;
}

/** Who refers to whom. */
export class References {
  readonly #byFile: ReadonlyMap<string, RetainedCheckpoint>;
  readonly #byPath: ReadonlyMap<string, RetainedCheckpoint>;

  constructor(checkpoints: readonly RetainedCheckpoint[]) {
    this.#byFile = new Map(checkpoints.map((checkpoint) => [checkpoint.file, checkpoint]));
    this.#byPath = new Map(checkpoints.map((one) => [formatPath(one.path), one]));
  }

  /** Those that the checkpoint cannot be restored without. */
  of({ holds, needs }: RetainedCheckpoint): Set<RetainedCheckpoint> {
    const files = holds.map((file) => this.#byFile.get(file));
    const paths = needs.map((path) => this.#byPath.get(path));
    return new Set([...files, ...paths].filter((found) => found !== undefined));
  }

  closure(roots: readonly RetainedCheckpoint[]): Set<RetainedCheckpoint> {
    const kept = new Set(roots);
    // A set that grows while it is gone through is gone through to its new end.
    for (const checkpoint of kept) for (const other of this.of(checkpoint)) kept.add(other);
    return kept;
  }
}

/** The loop entry of an iteration, by the path of its end. */
export function loopKey(path: LoopPath): string {
  const [name, , entry = 0] = path.at(-1) ?? ["", 0];
  return formatPath([...path.slice(0, -1), pathElement(name, "end", entry)]);
}

/** The index of the iteration; a loop end comes after all of them. */
export function indexOf(path: LoopPath): number {
  const index = path.at(-1)?.[1];
  return typeof index === "number" ? index : Infinity;
}

/** @file Checkpoints as retention sees them: which cannot be restored without which others. */
import type { CheckpointKind, LoopPath } from "../../format/index.ts";
import { formatPath, pathElement } from "../../format/index.ts";

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

/** Which cannot be restored without which. */
export class References {
  readonly #byFile: ReadonlyMap<string, RetainedCheckpoint>;
  readonly #byPath: ReadonlyMap<string, RetainedCheckpoint>;

  constructor(checkpoints: readonly RetainedCheckpoint[]) {
    this.#byFile = new Map(checkpoints.map((checkpoint) => [checkpoint.file, checkpoint]));
    this.#byPath = new Map(
      checkpoints.map((checkpoint) => [formatPath(checkpoint.path), checkpoint]),
    );
  }

  /** Those whose files have tensors of it: without their bytes it cannot be read. */
  holdersOf({ holds }: RetainedCheckpoint): RetainedCheckpoint[] {
    return holds.flatMap((file) => this.#byFile.get(file) ?? []);
  }

  /** Those that lead to it. */
  neededBy({ needs }: RetainedCheckpoint): RetainedCheckpoint[] {
    return needs.flatMap((path) => this.#byPath.get(path) ?? []);
  }

  /** With all that leads to them. */
  reaching(roots: readonly RetainedCheckpoint[]): Set<RetainedCheckpoint> {
    const reached = new Set(roots);
    // A set that grows while it is gone through is gone through to its new end.
    for (const checkpoint of reached) {
      for (const other of this.neededBy(checkpoint)) reached.add(other);
    }
    return reached;
  }

  /**
   * With all that leads to them, and all that has their bytes. What is kept only for its bytes
   * need not be reached itself: else the last step before the end of an epoch, which often has the
   * bytes of that end, would keep the end of the epoch before, and so on to the first.
   */
  closure(roots: readonly RetainedCheckpoint[]): Set<RetainedCheckpoint> {
    const kept = this.reaching(roots);
    for (const checkpoint of kept) {
      for (const other of this.holdersOf(checkpoint)) kept.add(other);
    }
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

/**
 * @file What loops do, reported to observers. Everything happens on the training thread, while the
 * program waits: the time that observers take is not the program's.
 *
 * An observer keeps what it needs of a loop in an object of its own: a slot of the frame that nobody
 * else writes, or a map by frame. It keeps nothing by "the innermost loop": there may be several
 * stacks of loops.
 */
import type { CheckpointRecord, LoopExit } from "../../format/index.ts";
import type { LoopFrame } from "./loop-frame.ts";

/** What a loop goes through. */
export interface LoopSource {
  readonly iterable: object;
  readonly iterator: object;
  /** Draws before the iterator was made. */
  readonly drawsBefore: number;
}

export interface LoopObserver {
  /** A loop was entered; it has not asked its iterator yet. */
  entered?(frame: LoopFrame, source: LoopSource): void;
  /** The iterator has delivered: iteration `frame.index` is about to begin. */
  iterationBegan?(frame: LoopFrame, item: unknown): void;
  /** The body of iteration `frame.index` is over; not complete: it was left early. */
  iterationEnded?(frame: LoopFrame, isComplete: boolean): void;
  /** The loop is over. `isUnwound`: it was still open when a loop around it continued or ended. */
  loopEnded?(frame: LoopFrame, how: LoopExit, isUnwound: boolean): void;
  /** So many iterations before the present one began and ended unreported. */
  batchEnded?(frame: LoopFrame, count: number): void;
  /** A replay has taken the loop to the end of iteration `frame.index`, by restoring a checkpoint or not. */
  arrived?(frame: LoopFrame, restored: CheckpointRecord | undefined): void;
  /** Iterations that may begin and end unreported after the present one. */
  batchLimit?(frame: LoopFrame): number;
}

/** Those of the observers that have a method for an event, in the order of the list. */
export function observersOf<E extends keyof LoopObserver>(
  observers: readonly LoopObserver[],
  event: E,
): readonly Required<Pick<LoopObserver, E>>[] {
  return observers.filter((observer): observer is Required<Pick<LoopObserver, E>> => {
    return observer[event] !== undefined;
  });
}

/**
 * @file How many iterations of a loop are counted by the loop itself before it calls the run again. A
 * call for each would cost more than many a body; whoever needs the present iteration asks for it.
 *
 * Pure. What is recorded does not depend on these numbers; only how exactly times are known does.
 */

/** A loop that counts iterations itself. */
export interface IterationBatch {
  /** Iterations that it has counted and not reported. */
  unreported(): number;
  /** The same, and from here on it calls the run before every iteration. */
  stop(): number;
}

/** The loop calls the run again after about so long, ms. */
const BATCH_MS = 0.25;
/** A trivial body takes as long as those before it; one that calls a package may take an hour. */
const TRIVIAL_MAX = 16_384;
const OTHER_MAX = 64;
/** Growth from one batch to the next. */
const GROWTH = 4;

/** Iterations of the next batch, after `count` iterations that took `ms` each. */
export function batchSize(ms: number, count: number, isTrivial: boolean): number {
  const fits = Math.floor(BATCH_MS / Math.max(ms, 1e-6));
  return Math.min(fits <= 1 ? 0 : fits, count * GROWTH, isTrivial ? TRIVIAL_MAX : OTHER_MAX);
}

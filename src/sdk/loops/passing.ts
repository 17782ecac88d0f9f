/**
 * @file How many iterations of a loop may go by before the run is asked again. A call for each would
 * cost more than many a body: the loop counts by itself, and whoever wants to know its iteration asks.
 *
 * Pure. What is recorded does not depend on these numbers; only how exactly times are known does.
 */

/** A loop that lets iterations go by. */
export interface Passing {
  /** Iterations that have gone by since it was last asked. */
  passed(): number;
  /** The same, and from here on the run is asked before every iteration. */
  stop(): number;
}

/** The run is asked again after about so long, ms. */
const ASKED_AFTER_MS = 0.25;
/** A light body takes as long as those before it; one that calls a package may take an hour. */
const LIGHT_MAX = 16_384;
const OTHER_MAX = 64;
/** Growth from one time to the next. */
const GROWTH = 4;

/** How many may go by, after `count` iterations that took `ms` each. */
export function mayPass(ms: number, count: number, isLight: boolean): number {
  const fits = Math.floor(ASKED_AFTER_MS / Math.max(ms, 1e-6));
  return Math.min(fits <= 1 ? 0 : fits, count * GROWTH, isLight ? LIGHT_MAX : OTHER_MAX);
}

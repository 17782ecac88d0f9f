/**
 * @file How many iterations lie between two checkpoints inside a long loop: algorithm 1 of
 * CheckFreq ("Accelerating Deep Learning Training: A Storage Perspective", §6.2.3), tuned while the
 * training runs. Pure: it sees measured times, never a clock.
 *
 * Here the snapshot blocks the training thread and only the persist runs beside it, so what stays
 * in the critical path is capture, copy and wait; the algorithm's choice between snapshots on the
 * device and on the host does not arise.
 */

/** Iterations that are watched before the first checkpoint: at most so many, or 1 % of the loop, or for so long. */
const PROFILED_MAX = 50;
const PROFILED_MS = 1000;
const PROFILED_SHARE = 0.01;
/** Weight of the newest measurement in a running mean. */
const NEWEST = 0.25;
/**
 * The algorithm's k_min, as a time, ms: executing less than this again is nothing beside the start of the process
 * that does it, and a file is there for each.
 */
const LEAST_MS = 250;

/** Milliseconds of one iteration, of what a checkpoint blocks, and of its persist. */
export interface StepTimes {
  readonly iterationMs: number;
  readonly blockedMs: number;
  readonly persistMs: number;
}

/**
 * The interval k: what a checkpoint blocks is spread over so many iterations that it stays below
 * `share` of them, and the persist before is done (one in flight, none abandoned).
 */
export function checkpointInterval(
  { iterationMs, blockedMs, persistMs }: StepTimes,
  share: number,
): number {
  if (share === Infinity) return 1;
  if (iterationMs <= 0) return Infinity;
  const amortized = blockedMs / (share * iterationMs);
  return Math.max(1, Math.ceil(amortized), Math.ceil(persistMs / iterationMs));
}

/** The interval of one loop, kept up to date. */
export class StepFrequency {
  readonly #share: number;
  readonly #profiled: number;
  #seen = 0;
  #seenMs = 0;
  #iterationMs = 0;
  #blockedMs: number | undefined;
  #persistMs = 0;

  /**
   * `length`: of the loop, if known. `share`: the budget. `before`: what was found out about it
   * before the run was interrupted, which then need not be found out again.
   */
  constructor(share: number, length: number | undefined, before?: StepTimes) {
    this.#share = share;
    this.#profiled =
      share === Infinity
        ? 0
        : Math.min(PROFILED_MAX, Math.ceil((length ?? Infinity) * PROFILED_SHARE));
    if (!before) return;
    this.#seen = PROFILED_MAX;
    this.#iterationMs = before.iterationMs;
    this.#blockedMs = before.blockedMs;
    this.#persistMs = before.persistMs;
  }

  /** An iteration took so long, checkpoints not counted. */
  iteration(ms: number): void {
    this.#seen++;
    this.#seenMs += ms;
    // The first ones are all alike to a mean: a compilation in the first must not weigh for ever.
    const weight = Math.max(NEWEST / PROFILED_MAX, 1 / this.#seen);
    this.#iterationMs += (ms - this.#iterationMs) * weight;
  }

  /** A checkpoint blocked the training so long. */
  checkpoint(blockedMs: number): void {
    this.#blockedMs = movingMeanMs(this.#blockedMs, blockedMs);
  }

  /** A persist took so long. */
  persist(ms: number): void {
    this.#persistMs = movingMeanMs(this.#persistMs === 0 ? undefined : this.#persistMs, ms);
  }

  /** What the interval follows from. `expectedMs`: of a checkpoint, before any was taken. */
  times(expectedMs: number): StepTimes {
    return {
      iterationMs: this.#iterationMs,
      blockedMs: this.#blockedMs ?? expectedMs,
      persistMs: this.#persistMs,
    };
  }

  /**
   * Undefined while it is being found out. `expectedMs` as above; `inAllMs`: what a checkpoint that blocks so long
   * takes of the budget, its persist with it.
   */
  interval(
    expectedMs: number,
    inAllMs: (blockedMs: number) => number = (ms) => ms,
  ): number | undefined {
    if (this.#seen < this.#profiled && this.#seenMs < PROFILED_MS) return undefined;
    const times = this.times(expectedMs);
    const paid = { ...times, blockedMs: inAllMs(times.blockedMs) };
    const chosen = checkpointInterval(paid, this.#share);
    if (this.#share === Infinity) return chosen;
    return Math.max(Math.ceil(LEAST_MS / this.#iterationMs), chosen);
  }
}

function movingMeanMs(before: number | undefined, now: number): number {
  return before === undefined ? now : before + (now - before) * NEWEST;
}

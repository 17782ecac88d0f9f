/**
 * @file The one ledger of what recording costs, and whether the budget allows one more checkpoint. Pure:
 * times come from the caller.
 *
 * Two prices: what the run takes longer (waits, slower iterations) decides what is done; what it takes the
 * processor, on all threads, is what a run says that it cost, for only that can be measured against a
 * run that is not recorded.
 *
 * The joint invariant bounds each loop by itself; nested loops together could still exceed the
 * budget, and so could a first estimate that was too low. So both must agree.
 */
import type { BlockTimings, JointInvariantOptions } from "./joint-invariant.ts";
import { isWorthRestoring, shouldCheckpoint } from "./joint-invariant.ts";

/** Milliseconds assumed for walking the state and handing it over, likewise. */
const FIXED_MS_ASSUMED = 1;
/** Calls of `log` whose time is kept. */
const LOG_SAMPLES = 255;
/** Samples between two looks at their median, once there are so many. */
const MEDIAN_EVERY = 16;
/** The slowdown of iterations is believed only once this many undisturbed ones were seen. */
const BASELINE_MIN = 5;
/** Checkpoints by which the next is judged. */
const RECENT = 5;
/** An iteration with less than this share beside a persist tells how quick undisturbed ones are. */
const DISTURBED_SHARE = 0.1;
/** Of what an iteration will have paid for when it ends, what its end may take: loops in it have their share of it. */
const COMING_SHARE = 0.5;
/** The first iterations compile and allocate: they are no baseline. */
const WARM_UP = 2;

/** A walk may take so long whatever is left, ms, and so many times what is left: what it was expected to take is not exact. */
const WALK_MS = 250;
const OVERSPENT = 2;
/** The least share of the processor that is believed. */
const RUNNING_MIN = 0.05;

/** What one checkpoint, or one iteration's pair of them, cost the training thread. */
export interface CheckpointCost {
  readonly captureMs: number;
  readonly snapshotMs: number;
  readonly waitMs: number;
}

/** What is known of the state before its first checkpoint. */
export interface StateFacts {
  readonly stateBytes: number;
  /** Measured speed of copying. */
  readonly copyBytesPerMs: number;
  /** Time of walking the state once. */
  readonly walkMs: number;
}

interface ObservedTimes {
  seen: number;
  undisturbed: number;
  undisturbedMs: number;
  disturbed: number;
  disturbedMs: number;
  busyMs: number;
}

/** Sums of cost over a run. */
export class Ledger {
  readonly budget: number;
  captureMs = 0;
  snapshotMs = 0;
  waitMs = 0;
  /** Hashing files and the audit of changesets: measured one by one. */
  otherMs = 0;
  /** Calls where loops begin, go on and end, less what was booked in them under another name. */
  boundaryMs = 0;
  /** Calls of `log` that were timed one by one, and the number of all others. */
  exactLogMs = 0;
  logCalls = 0;
  /** Less what others had of it. */
  outermostMs = 0;
  /** Processor time of what is done beside the program's thread. */
  besideMs = 0;
  /** What rewritten code took longer by itself, as far as it could be told: it is said, and decides nothing. */
  rewrittenMs = 0;
  /** Of the time that the program's thread was ready to run, the share that it ran: less where others have the processor. */
  runningShare = 1;
  #checkpoints = 0;
  /** What the last of them cost the training's thread. */
  readonly #recentMs: number[] = [];
  #settledSlowdownMs = 0;
  /** What was spent before the present outermost loop, and how far that is, from 0 to 1. */
  #spentBeforeMs = 0;
  #progress = 1;
  #logSampled = 0;
  readonly #logSamples: number[] = [];
  #medianLogMs = 0;
  /** Threads that the program keeps busy, as far as they are more than one. */
  #parallelism = 1;
  readonly #restoreFactor: number;
  readonly #loops = new Map<string, ObservedTimes>();

  constructor({ overheadMax, restoreFactor }: JointInvariantOptions) {
    this.budget = overheadMax;
    this.#restoreFactor = restoreFactor;
  }

  /** Books what the checkpoints of one iteration cost. */
  charge(cost: CheckpointCost): void {
    this.captureMs += cost.captureMs;
    this.snapshotMs += cost.snapshotMs;
    this.waitMs += cost.waitMs;
    this.#recentMs[this.#checkpoints++ % RECENT] = cost.captureMs + cost.snapshotMs + cost.waitMs;
  }

  /** An outermost loop begins: what was spent until now is paid while it goes on. */
  enterOutermost(): void {
    this.#spentBeforeMs = this.#onThreadMs + this.besideMs;
    this.#progress = 1;
  }

  /** How far the outermost loop is, from 0 to 1; 1 if it does not tell how long it is. */
  set progress(share: number) {
    this.#progress = Math.min(1, share);
  }

  /** Notes how long one of many calls of `log` took; `logCalls` counts those that it stands for. */
  sampleLog(ms: number): void {
    const before = this.#logSampled++;
    this.#logSamples[before % LOG_SAMPLES] = ms;
    if (before < MEDIAN_EVERY || before % MEDIAN_EVERY === 0) {
      const sorted = this.#logSamples.toSorted((a, b) => a - b);
      this.#medianLogMs = sorted[sorted.length >> 1] ?? 0;
    }
  }

  /** What logging cost: the median call, for one that was interrupted says nothing of the others. */
  get logMs(): number {
    return this.exactLogMs + this.logCalls * this.#medianLogMs;
  }

  /** Notes how long an innermost iteration took, and for how long of it a persist ran beside it. */
  observe(loop: string, ms: number, busyMs: number): void {
    let times = this.#loops.get(loop);
    if (!times) {
      times = {
        seen: 0,
        undisturbed: 0,
        undisturbedMs: 0,
        disturbed: 0,
        disturbedMs: 0,
        busyMs: 0,
      };
      this.#loops.set(loop, times);
    }
    if (times.seen++ < WARM_UP) return;
    if (busyMs > DISTURBED_SHARE * ms) {
      times.disturbed++;
      times.disturbedMs += ms;
      times.busyMs += busyMs;
    } else {
      times.undisturbed++;
      times.undisturbedMs += ms;
    }
  }

  /** What the persists beside the training cost it, by comparing its iterations. */
  get slowdownMs(): number {
    let sum = this.#settledSlowdownMs;
    for (const times of this.#loops.values()) {
      const { undisturbed, undisturbedMs, disturbed, disturbedMs, busyMs } = times;
      if (undisturbed < BASELINE_MIN) continue;
      const longerMs = disturbedMs - (disturbed * undisturbedMs) / undisturbed;
      // Where others have the processor iterations take longer by themselves: no persist costs more than it takes.
      sum += Math.min(busyMs, Math.max(0, longerMs));
    }
    return sum;
  }

  /** An outermost loop has ended: what its iterations showed is booked, and they are forgotten. */
  settle(): void {
    this.#settledSlowdownMs = this.slowdownMs;
    this.#loops.clear();
  }

  /** All that counts against the budget. */
  get spentMs(): number {
    const checkpoints = this.captureMs + this.snapshotMs + this.waitMs + this.slowdownMs;
    return checkpoints + this.logMs + this.otherMs + this.boundaryMs;
  }

  /** What it takes the processor, the ends of outermost loops with it: nobody computes while waiting. */
  get processorMs(): number {
    const onThread = this.captureMs + this.snapshotMs + this.logMs + this.otherMs + this.boundaryMs;
    return onThread * this.runningShare + this.outermostMs + this.besideMs + this.rewrittenMs;
  }

  /** All that may be booked while a loop begins, goes on or ends. */
  get bookedMs(): number {
    const checkpoints = this.captureMs + this.snapshotMs + this.waitMs;
    return checkpoints + this.otherMs + this.outermostMs;
  }

  /** M: what the next iteration's checkpoints will cost, from those before or from the size. */
  expectedMs({ stateBytes, copyBytesPerMs, walkMs }: StateFacts): number {
    if (this.#checkpoints === 0) return FIXED_MS_ASSUMED + walkMs + stateBytes / copyBytesPerMs;
    // One that was interrupted, or that made its memory ready, says nothing of the next: it was paid for, and
    // to wait until it could be paid once more would be to pay twice.
    const sorted = this.#recentMs.toSorted((a, b) => a - b);
    const ownMs = sorted[(sorted.length - 1) >> 1] ?? 0;
    return ownMs + this.slowdownMs / this.#checkpoints;
  }

  /**
   * What a checkpoint that blocks so long takes of the budget: all that its persist takes beside the training is a
   * share of what all its threads compute.
   */
  inAllMs(blockedMs: number): number {
    const besideMs = this.#checkpoints === 0 ? 0 : this.besideMs / this.#checkpoints;
    return Math.max(blockedMs, (blockedMs + besideMs) / this.#parallelism);
  }

  /** How long a walk may take for which so much is left, ms by the clock: that goes on while others have the processor. */
  walkMsMax(allowedMs: number): number {
    if (this.budget === Infinity) return Infinity;
    return Math.max(WALK_MS, OVERSPENT * allowedMs) / Math.max(RUNNING_MIN, this.runningShare);
  }

  /** Whether restoring what took `computeMs` is quicker than computing it again. */
  isWorthRestoring(computeMs: number, state: StateFacts): boolean {
    if (this.budget === Infinity) return true;
    return isWorthRestoring(computeMs, this.expectedMs(state), this.#restoreFactor);
  }

  /**
   * Whether the block may be checkpointed; `leftMs`: what the budget still allows, asked for last. `isComing`: the
   * present execution is yet to come, and its checkpoints are taken when it has paid for some.
   */
  allows(
    block: Omit<BlockTimings, "materializeMs"> &
      StateFacts & { readonly leftMs: () => number; readonly isComing?: boolean },
  ): boolean {
    if (this.budget === Infinity) return true;
    const materializeMs = this.expectedMs(block);
    const { computeMs, executions, checkpoints } = block;
    const options = { overheadMax: this.budget, restoreFactor: this.#restoreFactor };
    const timings = { computeMs, materializeMs, executions, checkpoints };
    // Cheapest first: this is asked at every iteration, and mostly refused.
    if (!shouldCheckpoint(timings, options)) return false;
    // By the clock; the budget is of the processor's time.
    const onThreadMs = (materializeMs + this.#unknownMs()) * this.runningShare;
    const comingMs = block.isComing ? computeMs * this.runningShare : 0;
    return onThreadMs <= block.leftMs() + COMING_SHARE * this.budget * comingMs;
  }

  /** What persists may have cost besides: in loops of which too few iterations have passed in peace to say. */
  #unknownMs(): number {
    let sum = 0;
    for (const { undisturbed, disturbed, busyMs } of this.#loops.values())
      if (undisturbed < BASELINE_MIN && disturbed > undisturbed) sum += busyMs;
    return sum;
  }

  /**
   * What the budget still allows. `elapsedMs`: since the run began, less what others had of it. `processorMs`: of
   * all threads; less where the program waits.
   */
  leftMs(elapsedMs: number, processorMs = 0): number {
    if (this.budget === Infinity) return Infinity;
    // Starting to record costs what it costs, however long the run will be. Where the present loop tells how
    // long it is, that is paid as it goes on, not by its first iterations.
    const advancedMs = this.#spentBeforeMs * (1 - this.#progress);
    const trainingMs = Math.max(0, elapsedMs - this.#onThreadMs);
    // What is done beside the training is a share of what all its threads compute; what it waits for, a share of
    // its time alone: while it waits for a thread of ours, that computes.
    const computedMs = Math.max(trainingMs, processorMs - this.processorMs);
    this.#parallelism = trainingMs > 0 ? computedMs / trainingMs : 1;
    const leftOnThreadMs = this.budget * trainingMs - this.#onThreadMs;
    const leftInAllMs = this.budget * computedMs - (this.processorMs - this.rewrittenMs);
    return Math.min(leftOnThreadMs, leftInAllMs) + advancedMs;
  }

  /** What is always done counts as well: there is less for the rest then. */
  get #onThreadMs(): number {
    return this.spentMs * this.runningShare + this.outermostMs;
  }
}

/**
 * @file Checkpoints inside long inner loops (semantics, "What is taken"): which iterations of a
 * step loop are checkpointed, and which ends must be there before, so that they can be reached.
 */
import type { ProfileRecord } from "../../format/index.ts";
import { formatPath } from "../../format/index.ts";
import type { StepTimes } from "../../materialize/index.ts";
import { StepFrequency } from "../../materialize/index.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import { iterationPath } from "../log/recorder.ts";

/** An iteration that lasts so long is worth checkpoints inside it. */
const LONG_MS = 2000;
/** An interval that has changed by more than this share since it was last written is written. */
const CHANGED_SHARE = 0.1;

export interface StepPolicyOptions {
  readonly share: number;
  /** What the next checkpoint is expected to block, ms. */
  readonly expectedMs: () => number;
  /** What the budget still allows, ms. */
  readonly leftMs: () => number;
  /** There is no more room for checkpoints of steps. */
  readonly isFull: () => boolean;
  /** Of a run that is continued: what it had found out, by loop key. */
  readonly before: ReadonlyMap<string, StepTimes>;
  readonly profile: (record: ProfileRecord) => void;
}

export class StepPolicy {
  readonly #options: StepPolicyOptions;
  readonly #frequencies = new Map<string, StepFrequency>();
  /** Keys of the loops around those with a frequency: their iteration ends are wanted. */
  readonly #around = new Set<string>();
  /** The intervals that were last written. */
  readonly #written = new Map<string, number>();

  constructor(options: StepPolicyOptions) {
    this.#options = options;
  }

  /** An iteration of an innermost loop has ended: is it checkpointed? */
  due(frame: LoopFrame): boolean {
    const frequency = this.#frequency(frame);
    frequency.iteration(frame.clock.bodyMs);
    const interval = frequency.interval(this.#options.expectedMs());
    if (interval === undefined) return false;
    this.#note(frame.loopKey, frequency, interval);
    if (frame.index - frame.checkpoints.lastEnd < interval) return false;
    if (!this.#isLong(frame.parent)) return false;
    if (frame.parent) this.#around.add(frame.parent.loopKey);
    if (this.#options.isFull() || !isReachable(frame.parent)) return false;
    // The ends of the loop and of the iterations around it come first: all else needs them.
    return this.#options.leftMs() > this.#options.expectedMs() * (1 + 2 * frame.depth);
  }

  /** Where iterations are short, steps would take the budget from their ends and save little. */
  #isLong(around: LoopFrame | undefined): boolean {
    if (!around || this.#options.share === Infinity) return true;
    return Math.max(around.clock.bodyMs, performance.now() - around.clock.bodyAt) > LONG_MS;
  }

  /**
   * Whether the end of this iteration is wanted for the steps of the next one. A first one may have
   * been long that compiled something, and no other is.
   */
  wantsEnd(frame: LoopFrame): boolean {
    if (!this.#around.has(frame.loopKey) || !this.#isLong(frame)) return false;
    return this.#options.leftMs() > this.#options.expectedMs();
  }

  /** Whether the objects of the state must be known when this loop is entered. */
  wantsIdentities(frame: LoopFrame): boolean {
    return this.#frequencies.has(frame.loopKey) && this.wantsEnd(frame.parent ?? frame);
  }

  taken(frame: LoopFrame, blockedMs: number): void {
    this.#frequency(frame).checkpoint(blockedMs);
  }

  /** A persist took so long: whoever it was for, the next takes as long. */
  persisted(ms: number): void {
    for (const frequency of this.#frequencies.values()) frequency.persist(ms);
  }

  /** Writes what was measured last, so that a resumed run need not measure it again. */
  finish(): void {
    for (const [loopKey, frequency] of this.#frequencies) {
      const interval = frequency.interval(this.#options.expectedMs());
      if (interval !== undefined) this.#write(loopKey, frequency, interval);
    }
  }

  #note(loopKey: string, frequency: StepFrequency, interval: number): void {
    const before = this.#written.get(loopKey);
    const isSame = before !== undefined && Math.abs(interval - before) <= CHANGED_SHARE * before;
    if (!isSame) this.#write(loopKey, frequency, interval);
  }

  #write(loopKey: string, frequency: StepFrequency, interval: number): void {
    // No budget, no interval: JSON has no word for it, and nothing follows from it.
    if (!Number.isFinite(interval)) return;
    this.#written.set(loopKey, interval);
    const times = frequency.times(this.#options.expectedMs());
    this.#options.profile({ k: "frequency", block: loopKey, ...times, interval });
  }

  #frequency({ loopKey, length }: LoopFrame): StepFrequency {
    let frequency = this.#frequencies.get(loopKey);
    if (!frequency) {
      const before = this.#options.before.get(loopKey);
      frequency = new StepFrequency(this.#options.share, length, before);
      this.#frequencies.set(loopKey, frequency);
    }
    return frequency;
  }
}

/** Whether each loop around has the end of its previous iteration, or is in its first one. */
export function isReachable(frame: LoopFrame | undefined): boolean {
  for (let at = frame; at; at = at.parent) {
    if (at.index > 0 && at.checkpoints.lastEnd !== at.index - 1) return false;
  }
  return true;
}

/** Checkpoints that must be restored before one in `frame`: ends of iterations, then of loops. */
export function neededBefore(frame: LoopFrame | undefined): string[] {
  const needed: string[] = [];
  for (let at = frame; at; at = at.parent) {
    needed.unshift(...at.checkpoints.endsTaken);
    const before = at.index - 1;
    if (before >= 0 && at.checkpoints.lastEnd === before) {
      needed.unshift(formatPath(iterationPath(at, before)));
    }
  }
  return needed;
}

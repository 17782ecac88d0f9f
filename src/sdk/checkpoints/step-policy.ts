/**
 * @file Checkpoints inside long inner loops (semantics, "What is taken"): which iterations of a
 * step loop are checkpointed, and which ends must be there before, so that they can be reached.
 */
import { formatPath } from "../../format/index.ts";
import type { Ledger, Materializer, StepTimes } from "../../materialize/index.ts";
import { checkpointInterval, StepFrequency } from "../../materialize/index.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { Recorder } from "../log/recorder.ts";
import { iterationPath } from "../log/recorder.ts";

/** An interval that has changed by more than this share since it was last written is written. */
const CHANGED_SHARE = 0.1;

export interface StepPolicyOptions {
  readonly parts: {
    readonly ledger: Pick<Ledger, "budget" | "inAllMs">;
    readonly leftMs: () => number;
    readonly materializer: Pick<Materializer, "isPersisting">;
    readonly recorder: Pick<Recorder, "profile">;
  };
  /** What the next checkpoint is expected to block, ms. */
  readonly expectedMs: () => number;
  /** Of a run that is continued: what it had found out, by loop key. */
  readonly before: ReadonlyMap<string, StepTimes>;
}

export class StepPolicy {
  readonly #options: StepPolicyOptions;
  readonly #share: number;
  readonly #frequencies = new Map<string, StepFrequency>();
  /**
   * Keys of the loops around those with a frequency, whose iteration ends are wanted, and the least time between two
   * checkpoints in an iteration of them.
   */
  readonly #around = new Map<string, number>();
  /** Iterations between the last two of a loop, or since the last if that is more already. */
  readonly #longest = new Map<string, number>();
  /** Keys of the loops around those of which the program asks for checkpoints. */
  readonly #aroundAsked = new Set<string>();
  /** The intervals that were last written. */
  readonly #written = new Map<string, number>();

  constructor(options: StepPolicyOptions) {
    this.#options = options;
    this.#share = options.parts.ledger.budget;
    for (const [loopKey, times] of options.before) {
      const apartMs = checkpointInterval(times, this.#share) * times.iterationMs;
      this.#around.set(loopKey.split("/").slice(0, -1).join("/"), apartMs);
    }
  }

  /**
   * An iteration of an innermost loop has ended: is it checkpointed? `isKnown`: the state was looked at when the loop was
   * entered, without which nothing of it can be.
   */
  due(frame: LoopFrame, isKnown: boolean = true): boolean {
    if (!isKnown && !this.#frequencies.has(frame.loopKey)) return false;
    const frequency = this.#frequency(frame);
    frequency.iteration(frame.clock.bodyMs);
    const interval = this.#interval(frequency);
    if (interval === undefined) return false;
    const { loopKey, parent } = frame;
    const since = frame.index - frame.checkpoints.lastEnd;
    const isDue = since >= interval;
    const isTaken = isDue && isKnown && this.#affords(frame);
    // One that is due and is not taken now: the interval is as long as it really is.
    const longest = Math.max(interval, this.#longest.get(loopKey) ?? 0, isDue ? since : 0);
    this.#note(loopKey, frequency, longest);
    if (isDue) this.#longest.set(loopKey, isTaken ? since : longest);
    if (isDue && parent) {
      this.#around.set(parent.loopKey, interval * frequency.times(0).iterationMs);
    }
    return isTaken;
  }

  #affords({ parent, depth }: LoopFrame): boolean {
    const { parts, expectedMs } = this.#options;
    if (!isReachable(parent)) return false;
    if (this.#share === Infinity) return true;
    // While another is on its way to the disk the training would wait: an iteration later it need not.
    if (parts.materializer.isPersisting) return false;
    // The ends of the loop and of the iterations around it come first: all else needs them.
    return parts.leftMs() > expectedMs() * (1 + 2 * depth);
  }

  /**
   * What the end of this iteration may cost for the steps of the next one, ms: without it that whole iteration would
   * have none, so it is paid in advance, as far as one iteration can pay it. Undefined: it is not wanted. A first
   * one may have been long that compiled something, and those after it are over before a step is due.
   * What the program asks for may cost anything.
   */
  endAllowance(frame: LoopFrame): number | undefined {
    const { loopKey, clock, checkpoints } = frame;
    const every = frame.every ?? (this.#aroundAsked.has(loopKey) ? 1 : undefined);
    if (every !== undefined) {
      const isTurn = frame.index - checkpoints.lastEnd >= every;
      return isTurn && isReachable(frame.parent) ? Infinity : undefined;
    }
    const apartMs = this.#around.get(loopKey);
    if (apartMs === undefined) return undefined;
    const { parts, expectedMs } = this.#options;
    if (this.#share === Infinity) return Infinity;
    const hereMs = Math.max(clock.bodyMs, performance.now() - clock.bodyAt);
    // How long an iteration takes that a resumed run is brought into nobody sees here.
    const lastedMs = checkpoints.isGoneOn ? Math.max(hereMs, apartMs) : hereMs;
    if (lastedMs < apartMs) return undefined;
    const allowedMs = Math.max(parts.leftMs(), this.#share * lastedMs);
    return allowedMs > expectedMs() ? allowedMs : undefined;
  }

  /**
   * Whether the objects of the state must be known when this loop is entered: its steps are checkpointed, and the
   * end before them is there, which was taken for them.
   */
  wantsIdentities({ loopKey, parent, every }: LoopFrame): boolean {
    if (every !== undefined) {
      for (let at = parent; at; at = at.parent) this.#aroundAsked.add(at.loopKey);
      return true;
    }
    if (this.#aroundAsked.has(loopKey)) return true;
    if (!parent || !this.#frequencies.has(loopKey)) return false;
    return this.#around.has(parent.loopKey) && isReachable(parent);
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
      const interval = this.#interval(frequency);
      if (interval !== undefined) this.#write(loopKey, frequency, interval);
    }
  }

  #interval(frequency: StepFrequency): number | undefined {
    const { parts, expectedMs } = this.#options;
    return frequency.interval(expectedMs(), (blockedMs) => parts.ledger.inAllMs(blockedMs));
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
    this.#options.parts.recorder.profile({ k: "frequency", block: loopKey, ...times, interval });
  }

  #frequency({ loopKey, length }: LoopFrame): StepFrequency {
    let frequency = this.#frequencies.get(loopKey);
    if (!frequency) {
      const before = this.#options.before.get(loopKey);
      frequency = new StepFrequency(this.#share, length, before);
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

/** Of a loop that a framework drives it must be known where it stands: nothing else leads to its middle. */
export function canBeginInside({ driven, itemsKnown }: LoopFrame): boolean {
  return itemsKnown || !driven;
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

/**
 * @file Checkpoints inside long loops (semantics, "What is taken"): which iterations of loops inside others are
 * checkpointed, and which ends must be there before, so that they can be reached.
 */
import { formatPath } from "../../format/index.ts";
import type { Ledger, Materializer, StepTimes } from "../../materialize/index.ts";
import { StepFrequency } from "../../materialize/index.ts";
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
  /** Of a run that is continued: what it had found out by loop key, and the keys of loops whose ends steps need. */
  readonly before: {
    readonly frequencies: ReadonlyMap<string, StepTimes>;
    readonly neededEnds: readonly string[];
  };
}

interface DueFacts {
  readonly isKnown: boolean;
  readonly isPaid: boolean;
}

export class StepPolicy {
  readonly #options: StepPolicyOptions;
  readonly #share: number;
  readonly #frequencies = new Map<string, StepFrequency>();
  /** Keys of the loops around those with a frequency, whose iteration ends are wanted, and the keys of the latter. */
  readonly #around = new Map<string, Set<string>>();
  /** Keys of loops that steps came behind in the same body: their ends are wanted. */
  readonly #before: Set<string>;
  /** Iterations between the last two of a loop, or since the last if that is more already. */
  readonly #longest = new Map<string, number>();
  /** Iterations of a loop since a checkpoint from which a run can go on. */
  readonly #lost = new Map<string, number>();
  /** Keys of the loops around those of which the program asks for checkpoints. */
  readonly #aroundAsked = new Set<string>();
  /** The intervals that were last written. */
  readonly #written = new Map<string, number>();

  constructor(options: StepPolicyOptions) {
    this.#options = options;
    this.#share = options.parts.ledger.budget;
    this.#before = new Set(options.before.neededEnds);
    for (const loopKey of options.before.frequencies.keys())
      this.#wantEndsAround(loopKey.split("/").slice(0, -1).join("/"), loopKey);
  }

  /**
   * An iteration of a loop inside another has ended: is it checkpointed? `isKnown`: the state was looked at when the
   * loop was entered, without which nothing of it can be. `isPaid`: the joint invariant has chosen the iteration.
   */
  due(frame: LoopFrame, { isKnown = true, isPaid = false }: Partial<DueFacts> = {}): boolean {
    if (!isKnown && !this.#frequencies.has(frame.loopKey)) return false;
    const frequency = this.#frequencyOf(frame.loopKey, frame.length);
    frequency.iteration(frame.clock.bodyMs);
    const interval = this.#interval(frequency);
    if (interval === undefined) return isPaid && isReachable(frame.parent);
    const { loopKey, parent } = frame;
    const since = this.#since(frame);
    const isDue = since >= interval;
    const isTaken = isDue && isKnown && isReachable(parent) && (isPaid || this.#affords(frame));
    // One that is due and is not taken now: the interval is as long as it really is.
    const longest = Math.max(interval, this.#longest.get(loopKey) ?? 0, isDue ? since : 0);
    this.#note(loopKey, frequency, longest);
    if (isDue) this.#longest.set(loopKey, isTaken ? since : longest);
    if (isDue && parent) {
      this.#wantEndsAround(parent.loopKey, loopKey);
      if (!isReachable(parent)) this.#wantEndsBefore(frame);
    }
    return isTaken;
  }

  #wantEndsAround(around: string, loopKey: string): void {
    const inside = this.#around.get(around);
    if (inside) inside.add(loopKey);
    else this.#around.set(around, new Set([loopKey]));
  }

  /**
   * The least time between two checkpoints in an iteration of this loop, ms, by what they take now: a state may have
   * grown since the last. Undefined: it holds no steps that were ever due.
   */
  #apartMs(around: string): number | undefined {
    const inside = this.#around.get(around);
    if (!inside) return undefined;
    const apartMs = Array.from(inside, (loopKey) => {
      const frequency = this.#frequencies.get(loopKey) ?? this.#newFrequency(loopKey);
      return (this.#interval(frequency) ?? 0) * frequency.times(0).iterationMs;
    });
    return Math.max(...apartMs);
  }

  /** Iterations since a checkpoint from which a run can go on: where none of its own can be, those of entries before. */
  #since({ loopKey, parent, index, checkpoints }: LoopFrame): number {
    checkpoints.lostBefore ??= isReachable(parent) ? 0 : (this.#lost.get(loopKey) ?? 0);
    const since = checkpoints.lostBefore + index - checkpoints.lastEnd;
    this.#lost.set(loopKey, since);
    return since;
  }

  /** The loops that came earlier in the bodies around it: from the next iteration on their ends are there. */
  #wantEndsBefore(frame: LoopFrame): void {
    for (let at = frame; at.parent; at = at.parent) {
      for (const [name, entries] of at.parent.entries ?? [])
        if (name !== at.name || entries > 1) this.#before.add(`${at.parent.loopKey}/${name}`);
    }
  }

  #affords({ depth }: LoopFrame): boolean {
    const { parts, expectedMs } = this.#options;
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
    const { loopKey, parent, clock, checkpoints } = frame;
    if (!isReachable(parent)) return undefined;
    const every = frame.every ?? (this.#aroundAsked.has(loopKey) ? 1 : undefined);
    if (every !== undefined)
      return frame.index - checkpoints.lastEnd >= every ? Infinity : undefined;
    const apartMs = this.#apartMs(loopKey);
    if (apartMs === undefined) return undefined;
    const { parts } = this.#options;
    if (this.#share === Infinity) return Infinity;
    const hereMs = Math.max(clock.bodyMs, performance.now() - clock.bodyAt);
    // How long an iteration takes that a resumed run is brought into nobody sees here.
    const lastedMs = checkpoints.isGoneOn ? Math.max(hereMs, apartMs) : hereMs;
    if (lastedMs < apartMs) return undefined;
    // It pays for one by itself, or it would be shorter than that; of a budget that others have spent it needs nothing.
    return Math.max(parts.leftMs(), this.#share * lastedMs);
  }

  /**
   * What the end of this loop may cost for the steps behind it in the same body, ms: one interval pays for it in
   * advance, as long as nothing else has. Undefined: it is not wanted.
   */
  loopEndAllowance({ loopKey, parent }: LoopFrame): number | undefined {
    if (!parent || !this.#before.has(loopKey) || !isReachable(parent)) return undefined;
    if (this.#share === Infinity || this.#aroundAsked.has(parent.loopKey)) return Infinity;
    const apartMs = this.#apartMs(parent.loopKey) ?? 0;
    // What this iteration has taken is booked when it is over.
    const { captureMs, snapshotMs, waitMs } = parent.checkpoints.cost;
    const leftMs = this.#options.parts.leftMs() - captureMs - snapshotMs - waitMs;
    const allowedMs = leftMs + this.#share * apartMs;
    return allowedMs > this.#options.expectedMs() ? allowedMs : undefined;
  }

  /**
   * Whether the objects of the state must be known when this loop is entered: its steps are checkpointed, and the
   * end before them is there, which was taken for them.
   */
  wantsIdentities(frame: LoopFrame): boolean {
    const { loopKey, parent, every } = frame;
    if (every !== undefined) {
      for (let at = parent; at; at = at.parent) this.#aroundAsked.add(at.loopKey);
      if (!isReachable(parent)) this.#wantEndsBefore(frame);
      return true;
    }
    if (this.#aroundAsked.has(loopKey)) return true;
    if (!parent || !isReachable(parent)) return false;
    if (this.#before.has(loopKey)) return true;
    return this.#frequencies.has(loopKey) && this.#around.has(parent.loopKey);
  }

  /**
   * The end of this iteration blocked the training so long: a step in its body does, too. Where none can be paid any
   * more nothing else would tell.
   */
  taken({ loopKey, length, depth }: LoopFrame, blockedMs: number): void {
    if (depth > 0) this.#frequencyOf(loopKey, length).checkpoint(blockedMs);
    for (const inside of this.#around.get(loopKey) ?? [])
      this.#frequencies.get(inside)?.checkpoint(blockedMs);
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

  #frequencyOf(loopKey: string, length: number | undefined): StepFrequency {
    let frequency = this.#frequencies.get(loopKey);
    if (!frequency) {
      frequency = this.#newFrequency(loopKey, length);
      this.#frequencies.set(loopKey, frequency);
    }
    return frequency;
  }

  #newFrequency(loopKey: string, length?: number): StepFrequency {
    return new StepFrequency(this.#share, length, this.#options.before.frequencies.get(loopKey));
  }
}

/**
 * Whether what is in the present iteration of `frame` can be reached: each loop around has the end of its previous
 * iteration, or is in its first one, and those of all loops that came earlier in its present body.
 */
export function isReachable(frame: LoopFrame | undefined): boolean {
  for (let at = frame; at; at = at.parent) {
    const { lastEnd, endsTaken } = at.checkpoints;
    if (at.index > 0 && lastEnd !== at.index - 1) return false;
    let entered = 0;
    for (const entries of at.entries?.values() ?? []) entered += entries;
    // One of them is where it goes on.
    if (entered > endsTaken.length + 1) return false;
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

/**
 * @file A byte budget: the checkpoint goes first whose loss adds least to later replays.
 *
 * Between neighbours a < b < c of one loop entry, b spares whoever asks for something between b and
 * c the time from a to b. Questions are taken to be equally likely at every moment of the training,
 * so losing b costs (b - a) * (c - b). The order does not depend on the budget: a larger one keeps
 * all that a smaller one does.
 */
import type { References, RetainedCheckpoint } from "./retention-references.ts";
import { indexOf, loopKey } from "./retention-references.ts";

/** A checkpoint with what changes while others go; fields, because all are gone through often. */
interface EvictionCandidate {
  readonly checkpoint: RetainedCheckpoint;
  /** The loop entry whose iteration ends say what it costs, and the iteration in it. */
  readonly entry: RetainedEntry;
  readonly index: number;
  readonly holders: EvictionCandidate[];
  readonly needs: EvictionCandidate[];
  /** How many files that are left have tensors in its file. */
  holding: number;
  /** How many that are wanted are reached by it. */
  needing: number;
  /** Still kept for its own sake; else it only has bytes of others. */
  wanted: boolean;
  /** Whether it may be given up. */
  readonly free: boolean;
  /** Undefined when one has gone that it depends on. */
  loss: number | undefined;
}

interface RetainedEntry {
  /** Iteration ends whose files are left, in order. */
  readonly ends: EvictionCandidate[];
  /** All whose cost depends on these. */
  readonly dependents: EvictionCandidate[];
  /** When the loop ended, or the last checkpoint of the run was taken. */
  endMs: number;
}

export class Evictions {
  readonly #candidates: readonly EvictionCandidate[];
  readonly #entries = new Map<string, RetainedEntry>();
  readonly #removed: RetainedCheckpoint[] = [];
  /** Bytes that are left of those that count, and checkpoints of steps among them. */
  #bytes: number;
  #steps: number;

  constructor(
    checkpoints: readonly RetainedCheckpoint[],
    references: References,
    options: {
      readonly fixed: ReadonlySet<RetainedCheckpoint>;
      readonly of: "all" | "steps";
    },
  ) {
    const lastMs = checkpoints.reduce((most, { atMs }) => Math.max(most, atMs), 0);
    const counted = countedOnes(checkpoints, options.of);
    this.#bytes = [...counted].reduce((sum, { bytes }) => sum + bytes, 0);
    this.#steps = [...counted].filter(({ step }) => step).length;
    const byCheckpoint = new Map<RetainedCheckpoint, EvictionCandidate>();
    for (const checkpoint of checkpoints) {
      const free = counted.has(checkpoint) && !options.fixed.has(checkpoint);
      byCheckpoint.set(checkpoint, this.#place(checkpoint, free, lastMs));
    }
    this.#candidates = [...byCheckpoint.values()];
    const found = (others: readonly RetainedCheckpoint[]): EvictionCandidate[] =>
      others.flatMap((other) => byCheckpoint.get(other) ?? []);
    for (const candidate of this.#candidates) {
      candidate.holders.push(...found(references.holdersOf(candidate.checkpoint)));
      candidate.needs.push(...found(references.neededBy(candidate.checkpoint)));
      for (const other of candidate.holders) other.holding++;
      for (const other of candidate.needs) other.needing++;
    }
    for (const { ends } of this.#entries.values()) ends.sort((a, b) => a.index - b.index);
  }

  #place(checkpoint: RetainedCheckpoint, free: boolean, lastMs: number): EvictionCandidate {
    const { kind, path, atMs } = checkpoint;
    // A loop end belongs to the iteration in which its loop ended.
    const iteration = kind === "loop" ? path.slice(0, -1) : path;
    const entry = this.#entry(loopKey(iteration), lastMs);
    if (kind === "loop") this.#entry(loopKey(path), lastMs).endMs = atMs;
    const none = { holders: [], needs: [], holding: 0, needing: 0, wanted: true, loss: undefined };
    const candidate: EvictionCandidate = {
      checkpoint,
      entry,
      index: indexOf(iteration),
      free,
      ...none,
    };
    entry.dependents.push(candidate);
    if (kind === "iteration") entry.ends.push(candidate);
    return candidate;
  }

  #entry(key: string, lastMs: number): RetainedEntry {
    let entry = this.#entries.get(key);
    if (!entry) this.#entries.set(key, (entry = { ends: [], dependents: [], endMs: lastMs }));
    return entry;
  }

  /**
   * What goes, in order, until the rest fits into so many bytes, with so many checkpoints of steps, or nothing more
   * can go.
   */
  until(bytes: number, stepsMax: number = Infinity): RetainedCheckpoint[] {
    while (this.#bytes > bytes || this.#steps > stepsMax) {
      const next = this.#cheapest(this.#bytes <= bytes);
      if (!next) break;
      const before = this.#removed.length;
      giveUp(next, this.#removed);
      for (const gone of this.#removed.slice(before)) {
        this.#bytes -= gone.bytes;
        if (gone.step) this.#steps--;
      }
    }
    return this.#removed;
  }

  #cheapest(stepsOnly: boolean): EvictionCandidate | undefined {
    let best: EvictionCandidate | undefined;
    let least = Infinity;
    for (const candidate of this.#candidates) {
      if (!candidate.free || !candidate.wanted || candidate.needing > 0) continue;
      if (stepsOnly && !candidate.checkpoint.step) continue;
      const loss = (candidate.loss ??= lossOf(candidate));
      const isLarger = candidate.checkpoint.bytes > (best?.checkpoint.bytes ?? -1);
      if (loss > least || (loss === least && !isLarger)) continue;
      best = candidate;
      least = loss;
    }
    return best;
  }
}

/** Its file goes at once, or with the last one that has tensors in it. */
function giveUp(candidate: EvictionCandidate, removed: RetainedCheckpoint[]): void {
  candidate.wanted = false;
  for (const other of candidate.needs) other.needing--;
  if (candidate.holding === 0) evictCheckpoint(candidate, removed);
}

function evictCheckpoint(candidate: EvictionCandidate, removed: RetainedCheckpoint[]): void {
  removed.push(candidate.checkpoint);
  if (candidate.checkpoint.kind === "iteration") forgetIterationEnd(candidate);
  for (const other of candidate.holders) {
    other.holding--;
    if (other.holding === 0 && !other.wanted) evictCheckpoint(other, removed);
  }
}

/** Its neighbours, and the loop ends between them, now cost something else. */
function forgetIterationEnd(candidate: EvictionCandidate): void {
  const { ends, dependents } = candidate.entry;
  const at = ends.indexOf(candidate);
  const from = ends[at - 1]?.index ?? -Infinity;
  const to = ends[at + 1]?.index ?? Infinity;
  ends.splice(at, 1);
  for (const dependent of dependents)
    if (dependent.index >= from && dependent.index <= to) dependent.loss = undefined;
}

function lossOf({ checkpoint, entry, index }: EvictionCandidate): number {
  const { kind, atMs, enteredMs } = checkpoint;
  if (kind === "loop") {
    // Whoever asks for something after the loop, before the next restore, executes all of it.
    return spanMs(enteredMs, atMs) * spanMs(enteredMs, nextIterationEndMs(entry, index - 1));
  }
  const before = entry.ends.findLast((end) => end.index < index)?.checkpoint.atMs;
  return spanMs(before ?? enteredMs, atMs) * spanMs(atMs, nextIterationEndMs(entry, index));
}

/** When the first iteration end after `index` was taken, or the loop ended. */
function nextIterationEndMs({ ends, endMs }: RetainedEntry, index: number): number {
  return ends.find((end) => end.index > index)?.checkpoint.atMs ?? endMs;
}

/** Checkpoints of steps whose bytes others than steps have too are not there for steps alone. */
function countedOnes(
  checkpoints: readonly RetainedCheckpoint[],
  of: "all" | "steps",
): Set<RetainedCheckpoint> {
  if (of === "all") return new Set(checkpoints);
  const held = new Set(checkpoints.flatMap(({ step, holds }) => (step ? [] : holds)));
  return new Set(checkpoints.filter(({ step, file }) => step && !held.has(file)));
}

function spanMs(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs);
}

/**
 * @file A byte budget: the checkpoint goes first whose loss adds least to later replays.
 *
 * Between neighbours a < b < c of one loop entry, b spares whoever asks for something between b and
 * c the time from a to b. Questions are taken to be equally likely at every moment of the training,
 * so losing b costs (b - a) * (c - b). The order does not depend on the budget: a larger one keeps
 * all that a smaller one does.
 */
import type { KeepPolicy, LoopPath } from "../format/index.ts";
import type { References, RetainedCheckpoint } from "./retention-references.ts";
import { indexOf, loopKey } from "./retention-references.ts";

export class Evictions {
  readonly #references: References;
  readonly #fixed: ReadonlySet<RetainedCheckpoint>;
  /** Those that are still kept for their own sake; all others of which files are left only hold. */
  readonly #wanted: Set<RetainedCheckpoint>;
  readonly #removed: RetainedCheckpoint[] = [];
  /** How many files that are left have tensors in its file. */
  readonly #holding = new Map<RetainedCheckpoint, number>();
  /** How many wanted ones are reached by it. */
  readonly #needing = new Map<RetainedCheckpoint, number>();
  /** Iteration ends whose files are left, by loop entry, in order. */
  readonly #entries = new Map<string, RetainedCheckpoint[]>();
  /** When each loop entry ended, as far as its end was taken. */
  readonly #ends = new Map<string, number>();
  readonly #lastMs: number;
  /** What each costs, until one goes that it depends on. */
  readonly #losses = new Map<RetainedCheckpoint, number>();
  /** Checkpoints by the loop entry whose iteration ends say what they cost. */
  readonly #dependents = new Map<string, RetainedCheckpoint[]>();

  constructor(
    checkpoints: readonly RetainedCheckpoint[],
    references: References,
    fixed: ReadonlySet<RetainedCheckpoint>,
  ) {
    this.#references = references;
    this.#fixed = fixed;
    this.#wanted = new Set(checkpoints);
    this.#lastMs = checkpoints.reduce((most, { atMs }) => Math.max(most, atMs), 0);
    for (const checkpoint of checkpoints) {
      for (const other of references.holdersOf(checkpoint)) count(this.#holding, other, 1);
      for (const other of references.neededBy(checkpoint)) count(this.#needing, other, 1);
      add(this.#dependents, loopKey(iterationOf(checkpoint)), checkpoint);
      const key = loopKey(checkpoint.path);
      if (checkpoint.kind === "loop") this.#ends.set(key, checkpoint.atMs);
      else add(this.#entries, key, checkpoint);
    }
    for (const ends of this.#entries.values()) {
      ends.sort((a, b) => indexOf(a.path) - indexOf(b.path));
    }
  }

  /** What goes, in order, until the rest fits or nothing more can go. */
  until({ bytes, of }: Extract<KeepPolicy, { kind: "bytes" }>): RetainedCheckpoint[] {
    const counted = countedOnes([...this.#wanted], of);
    let total = [...counted].reduce((sum, one) => sum + one.bytes, 0);
    while (total > bytes) {
      const next = this.#cheapest(counted);
      if (!next) break;
      const before = this.#removed.length;
      this.#giveUp(next);
      for (const { bytes: freed } of this.#removed.slice(before)) total -= freed;
    }
    return this.#removed;
  }

  #cheapest(counted: ReadonlySet<RetainedCheckpoint>): RetainedCheckpoint | undefined {
    let best: { readonly one: RetainedCheckpoint; readonly loss: number } | undefined;
    for (const one of this.#wanted) {
      const isFree = counted.has(one) && !this.#fixed.has(one) && !this.#needing.get(one);
      if (!isFree) continue;
      const loss = this.#lossOf(one);
      const isTie = loss === best?.loss && one.bytes > best.one.bytes;
      if (!best || loss < best.loss || isTie) best = { one, loss };
    }
    return best?.one;
  }

  /** Its file goes at once, or with the last one that has tensors in it. */
  #giveUp(checkpoint: RetainedCheckpoint): void {
    this.#wanted.delete(checkpoint);
    for (const other of this.#references.neededBy(checkpoint)) count(this.#needing, other, -1);
    if (!this.#holding.get(checkpoint)) this.#remove(checkpoint);
  }

  #remove(checkpoint: RetainedCheckpoint): void {
    this.#removed.push(checkpoint);
    this.#forget(checkpoint);
    for (const other of this.#references.holdersOf(checkpoint)) {
      count(this.#holding, other, -1);
      if (!this.#holding.get(other) && !this.#wanted.has(other)) this.#remove(other);
    }
  }

  #forget(checkpoint: RetainedCheckpoint): void {
    if (checkpoint.kind === "loop") return;
    const key = loopKey(checkpoint.path);
    const ends = this.#entries.get(key) ?? [];
    const at = ends.indexOf(checkpoint);
    const from = at === 0 ? -Infinity : indexOf(ends[at - 1]?.path ?? []);
    const to = indexOf(ends[at + 1]?.path ?? []);
    ends.splice(at, 1);
    for (const one of this.#dependents.get(key) ?? []) {
      const index = indexOf(iterationOf(one));
      if (index >= from && index <= to) this.#losses.delete(one);
    }
  }

  #lossOf(checkpoint: RetainedCheckpoint): number {
    const known = this.#losses.get(checkpoint);
    if (known !== undefined) return known;
    const loss = this.#loss(checkpoint);
    this.#losses.set(checkpoint, loss);
    return loss;
  }

  #loss(checkpoint: RetainedCheckpoint): number {
    const { kind, atMs, enteredMs } = checkpoint;
    const path = iterationOf(checkpoint);
    const key = loopKey(path);
    const index = indexOf(path);
    if (kind === "loop") {
      // Whoever asks for something after the loop, before the next restore, executes all of it.
      return span(enteredMs, atMs) * span(enteredMs, this.#nextMs(key, index - 1));
    }
    const before = this.#entries.get(key)?.findLast((end) => indexOf(end.path) < index);
    return span(before?.atMs ?? enteredMs, atMs) * span(atMs, this.#nextMs(key, index));
  }

  /** When the first iteration end after `index` was taken, or the loop ended. */
  #nextMs(key: string, index: number): number {
    const next = this.#entries.get(key)?.find((end) => indexOf(end.path) > index);
    return next?.atMs ?? this.#ends.get(key) ?? this.#lastMs;
  }
}

/** The iteration that it is the end of, or in which its loop ended. */
function iterationOf({ kind, path }: RetainedCheckpoint): LoopPath {
  return kind === "loop" ? path.slice(0, -1) : path;
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

function count<T>(counts: Map<T, number>, key: T, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function span(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs);
}

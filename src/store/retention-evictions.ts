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
  readonly #left: Set<RetainedCheckpoint>;
  /** How many of those that are left cannot be restored without it. */
  readonly #users = new Map<RetainedCheckpoint, number>();
  /** Iteration ends that are left, by loop entry, in order. */
  readonly #entries = new Map<string, RetainedCheckpoint[]>();
  /** When each loop entry ended, as far as its end was kept. */
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
    this.#left = new Set(checkpoints);
    this.#lastMs = checkpoints.reduce((most, { atMs }) => Math.max(most, atMs), 0);
    for (const checkpoint of checkpoints) {
      for (const other of references.of(checkpoint)) this.#use(other, 1);
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
    const counts = ({ step }: RetainedCheckpoint): boolean => of === "all" || step;
    let total = [...this.#left].filter(counts).reduce((sum, one) => sum + one.bytes, 0);
    const removed: RetainedCheckpoint[] = [];
    while (total > bytes) {
      const next = this.#cheapest(counts);
      if (!next) break;
      this.#remove(next);
      removed.push(next);
      total -= next.bytes;
    }
    return removed;
  }

  #use(checkpoint: RetainedCheckpoint, more: number): void {
    this.#users.set(checkpoint, (this.#users.get(checkpoint) ?? 0) + more);
  }

  #cheapest(counts: (one: RetainedCheckpoint) => boolean): RetainedCheckpoint | undefined {
    let best: { readonly one: RetainedCheckpoint; readonly loss: number } | undefined;
    for (const one of this.#left) {
      const isFree = counts(one) && !this.#fixed.has(one) && (this.#users.get(one) ?? 0) === 0;
      if (!isFree) continue;
      const loss = this.#lossOf(one);
      const isBetter =
        !best || loss < best.loss || (loss === best.loss && one.bytes > best.one.bytes);
      if (isBetter) best = { one, loss };
    }
    return best?.one;
  }

  #remove(checkpoint: RetainedCheckpoint): void {
    this.#left.delete(checkpoint);
    for (const other of this.#references.of(checkpoint)) this.#use(other, -1);
    if (checkpoint.kind === "loop") return;
    const key = loopKey(checkpoint.path);
    const ends = this.#entries.get(key) ?? [];
    const at = ends.indexOf(checkpoint);
    const from = indexOf(ends[at - 1]?.path ?? []);
    const to = indexOf(ends[at + 1]?.path ?? []);
    ends.splice(at, 1);
    for (const one of this.#dependents.get(key) ?? []) {
      const index = indexOf(iterationOf(one));
      // Before the first and after the last there is no limit.
      const isAfter = at === 0 || index >= from;
      if (isAfter && index <= to) this.#losses.delete(one);
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

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function span(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs);
}

/**
 * @file Where a dataset stands, and who may move it. Only what has been delivered counts: batches
 * that were prepared ahead are prepared again after a resumption.
 */
import { AfterlogError } from "../format/index.ts";
import type { BatchSlice } from "./batch-slices.ts";

/** Counts since the dataset was made. */
export interface LoaderStats {
  /** Batches and items that loops have been given. */
  readonly batches: number;
  readonly items: number;
  /** Items taken from the source, also those prepared ahead and never delivered. */
  readonly read: number;
  /** Time that loops waited for batches, ms. */
  readonly waitMs: number;
}

/** One loop over the dataset, from its position to the end of its epoch. */
export interface OpenEpoch {
  readonly begun: boolean;
  readonly over: boolean;
}

export class DatasetProgress {
  readonly #moved: () => void;
  #epoch = 0;
  #sample = 0;
  readonly counts: { -readonly [name in keyof LoaderStats]: number } = {
    batches: 0,
    items: 0,
    read: 0,
    waitMs: 0,
  };
  #newest: OpenEpoch | undefined;

  /** `moved` is called before the position changes. */
  constructor(moved: () => void) {
    this.#moved = moved;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get sample(): number {
    return this.#sample;
  }

  set(epoch: number, sample: number): void {
    this.#moved();
    this.#epoch = epoch;
    this.#sample = sample;
  }

  /** What is gone through meanwhile counts for nothing: not for the loop that was under way. */
  hold(): () => void {
    const [epoch, sample, newest] = [this.#epoch, this.#sample, this.#newest];
    return () => {
      this.set(epoch, sample);
      this.#newest = newest;
    };
  }

  /** A new loop takes the place of the one before. */
  open(cursor: OpenEpoch): void {
    this.#newest = cursor;
  }

  /** Two loops would each deliver a part of the epoch. */
  claim(cursor: OpenEpoch): void {
    if (this.#newest === cursor) return;
    throw new AfterlogError("AL064", "another loop over this dataset has been entered", {
      help: ["loop over it once at a time, or make a second dataset for the second loop"],
    });
  }

  /** A position can be set only between loops, and before the first item of one. */
  checkBetweenEpochs(what: string): void {
    if (!this.#newest?.begun || this.#newest.over) return;
    throw new AfterlogError("AL064", `${what} in the middle of a pass`, {
      notes: ["the loop has had items already; it would continue from where it was"],
      help: [`call ${what} before the loop asks for its first item, or after the loop`],
    });
  }

  deliver({ to, items }: BatchSlice): void {
    this.set(this.#epoch, to);
    this.counts.batches++;
    this.counts.items += items.length;
  }

  /** The epoch is over: the next loop goes through the next one. */
  endEpoch(): void {
    this.set(this.#epoch + 1, 0);
  }
}

/**
 * @file The order in which a training of TensorFlow.js takes its samples.
 *
 * tfjs makes one list of sample numbers for a call of `fit` and shuffles it again before each epoch
 * (Fisher-Yates from the end, `util.shuffle` of tfjs-core), so the order of an epoch depends on all
 * shuffles before it. The list cannot be reached, but it follows from the numbers drawn: the same swaps
 * are made here, and a checkpoint holds the result. A call of `fit` that begins in the middle has a new
 * list; it gets numbers by which its shuffle arrives at the order that the whole training has.
 */

/** What a checkpoint holds of it; `isKnown`: each shuffle so far drew one number for each sample. */
export interface OrderState {
  readonly [field: string]: unknown;
  order: Int32Array;
  isKnown: boolean;
}

export class EpochOrder {
  readonly state: OrderState;
  /** What stood in the place of `Math.random`, while it is watched. */
  #drawn: (() => number) | undefined;
  #watching: (() => number) | undefined;
  /** Numbers of the present shuffle that are still to come. */
  #left = 0;

  constructor(samples: number) {
    this.state = { order: Int32Array.from({ length: samples }, (_, i) => i), isKnown: true };
  }

  /** tfjs is about to shuffle; `isNewList`: a list in the order of the samples. */
  beginShuffle(isNewList: boolean): void {
    this.endShuffle();
    const drawn = Math.random;
    const { length } = this.state.order;
    const list = isNewList ? new NewList(length) : undefined;
    this.#left = length;
    const watching = (): number => {
      const number = drawn();
      const left = this.#left--;
      if (left <= 0) return number;
      const last = this.#swap(left, number);
      return list ? list.numberFor(last, left) : number;
    };
    this.#drawn = drawn;
    this.#watching = watching;
    Math.random = watching;
  }

  /** The shuffle is over. */
  endShuffle(): void {
    if (!this.#drawn) return;
    if (Math.random === this.#watching) Math.random = this.#drawn;
    this.#drawn = undefined;
    // Another algorithm, or somebody else drew meanwhile: nobody can tell the order any more.
    if (this.#left !== 0) this.state.isKnown = false;
  }

  /** A step of the shuffle: answers the sample that is now at the end of the first `left`. */
  #swap(left: number, number: number): number {
    const { order } = this.state;
    const from = Math.trunc(number * left);
    const sample = order[from] ?? 0;
    order[from] = order[left - 1] ?? 0;
    order[left - 1] = sample;
    return sample;
  }
}

/** The list of a call that has just begun, as its first shuffle changes it. */
class NewList {
  readonly #samples: Int32Array;
  readonly #places: Int32Array;

  constructor(length: number) {
    this.#samples = Int32Array.from({ length }, (_, i) => i);
    this.#places = this.#samples.slice();
  }

  /** The number by which the shuffle puts `sample` at the end of the first `left`. */
  numberFor(sample: number, left: number): number {
    const from = this.#places[sample] ?? 0;
    const moved = this.#samples[left - 1] ?? 0;
    this.#samples[from] = moved;
    this.#places[moved] = from;
    // The middle of the numbers that mean this place.
    return (from + 0.5) / left;
  }
}

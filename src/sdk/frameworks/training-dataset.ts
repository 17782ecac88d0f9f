/**
 * @file The dataset of a `fitDataset`, when a replay calls that once for each epoch. tfjs makes an iterator
 * when it begins, and another for each epoch unless `batchesPerEpoch` is given: then the first one serves
 * all epochs. What a dataset gives may depend on how many iterators it has made (a shuffle draws a seed
 * for each), so as many are made as in the one call of the run, and those of skipped epochs are dropped.
 */

interface DataIterator {
  next(): Promise<{ readonly value: unknown; readonly done: boolean }>;
}

interface IterableDataset {
  iterator(): Promise<DataIterator>;
}

export class TrainingDataset {
  readonly #dataset: IterableDataset;
  /** The one that was made when the training began. */
  #first: DataIterator | undefined;

  constructor(dataset: object) {
    this.#dataset = dataset as IterableDataset;
  }

  /** What `fitDataset` gets; `isPart`: it is called for a part of the training. */
  forCall(isPart: boolean): object {
    if (!isPart) return this.#dataset;
    let isBegun = false;
    const iterator = async (): Promise<DataIterator> => {
      if (isBegun) return this.#dataset.iterator();
      isBegun = true;
      return (this.#first ??= await this.#dataset.iterator());
    };
    return Object.create(this.#dataset, { iterator: { value: iterator } }) as object;
  }

  /** The same for the last ones: nobody goes on with an iterator after them. */
  async passAll(epochs: number, args: { readonly [option: string]: unknown }): Promise<void> {
    if (typeof args["batchesPerEpoch"] !== "number") await this.pass(epochs, args);
  }

  /** So many epochs go by without a call. */
  async pass(
    epochs: number,
    { batchesPerEpoch }: { readonly [option: string]: unknown },
  ): Promise<void> {
    for (let epoch = 0; epoch < epochs; epoch++) {
      if (typeof batchesPerEpoch !== "number") await this.#dataset.iterator();
      else for (let at = 0; at < batchesPerEpoch; at++) await this.#first?.next();
    }
  }
}

/**
 * @file TensorFlow.js datasets, known by what they can do; no TensorFlow.js is imported.
 *
 * Its own `shuffle` keeps its state in closures, reshuffles though told not to, and takes seed 0 for
 * none (seen in 4.22): it can be neither saved nor repeated. So the source must be unshuffled.
 */
import { AfterlogError } from "../format/index.ts";
import type { StreamSource } from "./source.ts";

/** What is used of a `tf.data` dataset. */
export interface TfDataset<T> {
  iterator(): Promise<{ next(): Promise<IteratorResult<T>> }>;
  /** Number of items, where it is known. */
  readonly size?: number | null;
}

/** What is used of the TensorFlow.js that a program has imported. */
export interface TfData<D> {
  readonly data: {
    generator(make: () => Promise<AsyncIterator<unknown>>): D;
  };
}

export function tfDataSource<T>(dataset: TfDataset<T>): StreamSource<T> {
  if (typeof (Object(dataset) as Partial<TfDataset<T>>).iterator !== "function") {
    throw new AfterlogError("AL062", "what was given is not a tf.data dataset", {
      help: ["give what tf.data makes:  al.dataset.fromTfData(tf.data.csv(url))"],
    });
  }
  if (dataset.size === Infinity) {
    throw new AfterlogError("AL062", "a tf.data dataset that repeats for ever has no epochs", {
      help: ["leave out repeat(): each loop over the dataset is one epoch"],
    });
  }
  return {
    kind: "stream",
    async open() {
      const iterator = await dataset.iterator();
      return { next: () => iterator.next() };
    },
    describe: (index) => `item ${index}`,
    fingerprint: () => "tf.data",
  };
}

/**
 * @file What a program knows of a dataset: how it is made, gone through, saved and set back.
 * `loader.ts` does it; these are the types alone, since what a loop over it yields, and whether it
 * must be awaited, depends on the steps before.
 */
import type { DataState } from "./data-state.ts";
import type { LoaderStats } from "./progress.ts";
import type {
  BatchContext,
  BatchOptions,
  ItemContext,
  MapOptions,
  ModuleFunction,
} from "./recipe.ts";
import type { TfData } from "./tf-data.ts";

/** How a dataset delivers; others are for measuring where the time goes. */
export type LoaderMode = "normal";

/** Batches in an order that can be taken up again at any point. */
export interface ResumableLoader<B> extends AsyncIterable<B> {
  /** Batches of an epoch, where the number is known. */
  readonly length: number | undefined;
  readonly mode: LoaderMode;
  /** The position after the last delivered batch: plain JSON of at most 512 bytes. */
  state(): DataState;
  /**
   * Sets the position. Throws AL072 if the state is one of other items, another seed or, in the
   * middle of an epoch, another batch size; AL064 if a loop has already had items.
   */
  restore(state: DataState): void;
  /** Goes to the start of an epoch; in the epoch itself it changes nothing. Throws AL064. */
  setEpoch(epoch: number): void;
  /** How many threads the maps that have threads may use, from the next epoch on. */
  allocate(resources: { readonly cpus: number }): void;
  stats(): LoaderStats;
  /** Ends its threads. Without it they end with the process. */
  close(): Promise<void>;
  /** As a `tf.data` dataset of the program's TensorFlow.js; each of its iterators is an epoch. */
  toTfData<D>(tf: TfData<D>): D;
}

/** A dataset whose items must be awaited. Every method but those of the position makes a new one. */
export interface AsyncDataset<T, C = ItemContext> extends ResumableLoader<T> {
  batch(size: number, options?: BatchOptions): AsyncDataset<T[], BatchContext>;
  shard(shard: { readonly rank: number; readonly ranks: number }): AsyncDataset<T, C>;
  shuffle(seed: number | bigint | string): AsyncDataset<T, C>;
  map<U>(fn: (item: T, context: C) => U | Promise<U>, options?: MapOptions): AsyncDataset<U, C>;
  map<U>(fn: ModuleFunction, options?: MapOptions): AsyncDataset<U, C>;
}

/** A dataset that works in `for…of` too. */
export interface Dataset<T, C = ItemContext> extends ResumableLoader<T>, Iterable<T> {
  /** Lists of `size` items. Throws AL061 if it is batched already. */
  batch(size: number, options?: BatchOptions): Dataset<T[], BatchContext>;
  /** The share of one rank in each batch; `batch` is the size for all of them together. */
  shard(shard: { readonly rank: number; readonly ranks: number }): Dataset<T, C>;
  /** Another order in each epoch, which follows from seed and epoch alone. */
  shuffle(seed: number | bigint | string): Dataset<T, C>;
  /**
   * Prepares each item, or after `batch` each batch. `context.random` is the randomness to use: it
   * depends on seed, epoch and item only. What `fn` throws is the cause of an AL063.
   */
  map<U>(fn: (item: T, context: C) => Promise<U>, options?: MapOptions): AsyncDataset<U, C>;
  map<U>(fn: (item: T, context: C) => U): Dataset<U, C>;
  map<U>(fn: (item: T, context: C) => U, options: MapOptions): AsyncDataset<U, C>;
  map<U>(fn: ModuleFunction, options?: MapOptions): AsyncDataset<U, C>;
}

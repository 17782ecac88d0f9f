/**
 * @file Loops over a dataset. One begins where the dataset stands when its first item is asked
 * for, so that a position can be set until then, and ends with the epoch. One that is left early
 * leaves the dataset where it is, and the next one continues from there: each item is seen once.
 */
import type { BatchSlice } from "./batch-slices.ts";
import { indexedSlices, streamSlices } from "./batch-slices.ts";
import type { Order } from "./order.ts";
import type { PoolOf, Preparing } from "./prepare.ts";
import { deliveredBatch, prepareBatch, prepareNow } from "./prepare.ts";
import type { OpenEpoch, DatasetProgress } from "./progress.ts";
import type { MapStage, Recipe } from "./recipe.ts";

/** What a loop needs of its dataset. */
export interface EpochOptions {
  readonly recipe: Recipe;
  readonly progress: DatasetProgress;
  readonly orderOf: (epoch: number) => Order;
  readonly poolOf: PoolOf;
}

const DONE = { done: true, value: undefined } as const;
const ignore = (): void => undefined;

abstract class EpochCursor implements OpenEpoch {
  readonly options: EpochOptions;
  begun = false;
  over = false;
  /** The last batch of the epoch has been delivered. */
  #complete = false;

  constructor(options: EpochOptions) {
    this.options = options;
    options.progress.open(this);
  }

  protected counted(slice: BatchSlice | undefined): BatchSlice | undefined {
    this.options.progress.counts.read += slice?.items.length ?? 0;
    return slice;
  }

  protected deliver(slice: BatchSlice): void {
    this.options.progress.deliver(slice);
    this.#complete = slice.last;
  }

  /** The source has no more. */
  protected exhaust(): void {
    this.over = true;
    this.options.progress.endEpoch();
  }

  /** The loop was left; after its last batch that is as if it had run to the end. */
  protected leave(): void {
    if (this.begun && !this.over && this.#complete) this.options.progress.endEpoch();
    this.over = true;
  }
}

export class EpochIterator<T> extends EpochCursor implements IterableIterator<T> {
  #slices: (() => BatchSlice | undefined) | undefined;

  next(): IteratorResult<T> {
    const { recipe, progress } = this.options;
    if (this.over) return DONE;
    progress.claim(this);
    const startedAt = performance.now();
    this.begun = true;
    try {
      const slice = this.counted((this.#slices ??= this.#open())());
      if (!slice) {
        this.exhaust();
        return DONE;
      }
      const value = prepareNow(recipe, slice) as T;
      this.deliver(slice);
      return { done: false, value };
    } catch (error) {
      this.over = true;
      throw error;
    } finally {
      progress.counts.waitMs += performance.now() - startedAt;
    }
  }

  return(value?: unknown): IteratorResult<T> {
    this.leave();
    return { done: true, value };
  }

  [Symbol.iterator](): this {
    return this;
  }

  #open(): () => BatchSlice | undefined {
    return openIndexed(this.options);
  }
}

export class AsyncEpochIterator<T> extends EpochCursor implements AsyncIterableIterator<T> {
  /** Maps that run ahead of the loop, and those that run when the batch is asked for. */
  readonly #ahead: readonly MapStage[];
  readonly #behind: readonly MapStage[];
  readonly #prefetch: number;
  #slices: (() => Promise<BatchSlice | undefined>) | undefined;
  #closeSource: () => Promise<void> = async () => undefined;
  /** Batches in preparation, in order. */
  #queue: Promise<Preparing | undefined>[] = [];
  /** Each of these follows the one before: reads of the source, and calls of the loop. */
  #reads: Promise<unknown> = Promise.resolve();
  #calls: Promise<unknown> = Promise.resolve();

  constructor(options: EpochOptions) {
    super(options);
    const { stages } = options.recipe;
    const split = stages.findLastIndex(({ prefetch }) => prefetch > 0) + 1;
    this.#ahead = stages.slice(0, split);
    this.#behind = stages.slice(split);
    this.#prefetch = Math.max(0, ...stages.map(({ prefetch }) => prefetch));
  }

  next(): Promise<IteratorResult<T>> {
    return this.#inTurn(() => this.#step());
  }

  return(value?: unknown): Promise<IteratorResult<T>> {
    return this.#inTurn(async () => {
      const wasOver = this.over;
      this.leave();
      if (!wasOver) await this.#close();
      return { done: true, value };
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#calls.then(work);
    this.#calls = result.catch(ignore);
    return result;
  }

  async #step(): Promise<IteratorResult<T>> {
    const { recipe, progress, poolOf } = this.options;
    if (this.over) return DONE;
    progress.claim(this);
    const startedAt = performance.now();
    this.begun = true;
    try {
      const first = await this.#takeFirst();
      if (!first) {
        this.exhaust();
        return DONE;
      }
      const { slice, value } = await prepareBatch(recipe, this.#behind, first, poolOf);
      progress.claim(this);
      this.deliver(slice);
      return { done: false, value: deliveredBatch(recipe, value) as T };
    } catch (error) {
      this.over = true;
      await this.#close();
      throw error;
    } finally {
      progress.counts.waitMs += performance.now() - startedAt;
    }
  }

  /** Keeps as many batches in preparation as may be prepared ahead of this one. */
  #takeFirst(): Promise<Preparing | undefined> {
    while (this.#queue.length <= this.#prefetch) this.#queue.push(this.#prepareNext());
    return this.#queue.shift() as Promise<Preparing | undefined>;
  }

  #prepareNext(): Promise<Preparing | undefined> {
    const { recipe, poolOf } = this.options;
    const read = (this.#slices ??= this.#open());
    const reading = this.#reads.then(async () => this.counted(await read()));
    this.#reads = reading.catch(ignore);
    const preparing = reading.then((slice) => {
      return slice && prepareBatch(recipe, this.#ahead, { slice, value: slice.items }, poolOf);
    });
    // Whoever takes it from the queue sees its error; if nobody does, nobody is to be told.
    preparing.catch(ignore);
    return preparing;
  }

  #open(): () => Promise<BatchSlice | undefined> {
    const { recipe, progress } = this.options;
    const { source } = recipe;
    if (source.kind === "indexed") {
      const slices = openIndexed(this.options);
      return async () => slices();
    }
    const { epoch, sample } = progress;
    const slices = streamSlices({ ...recipe, source }, { epoch, sample });
    this.#closeSource = () => slices.close();
    return () => slices.next();
  }

  async #close(): Promise<void> {
    this.#queue = [];
    await this.#reads;
    await this.#closeSource();
  }
}

function openIndexed({ recipe, progress, orderOf }: EpochOptions): () => BatchSlice | undefined {
  const { source } = recipe;
  const { epoch, sample } = progress;
  // A stream has no sync iterator to begin with.
  if (source.kind !== "indexed") return () => undefined;
  return indexedSlices({ ...recipe, source }, orderOf(epoch), { epoch, sample });
}

/**
 * @file Loops over a dataset. A pass begins where the dataset stands when its first item is asked
 * for, so that a position can be set until then, and ends with the epoch. One that is left early
 * leaves the dataset where it is, and the next one goes on from there: each item is seen once.
 */
import type { Draft } from "./drafts.ts";
import { indexedDrafts, streamDrafts } from "./drafts.ts";
import type { Order } from "./order.ts";
import type { PoolOf, Preparing } from "./prepare.ts";
import { delivered, prepare, prepareNow } from "./prepare.ts";
import type { Pass, Progress } from "./progress.ts";
import type { MapStage, Recipe } from "./recipe.ts";

/** What a pass needs of its dataset. */
export interface PassOptions {
  readonly recipe: Recipe;
  readonly progress: Progress;
  readonly orderOf: (epoch: number) => Order;
  readonly poolOf: PoolOf;
}

const DONE = { done: true, value: undefined } as const;
const ignore = (): void => undefined;

abstract class AnyPass implements Pass {
  readonly options: PassOptions;
  begun = false;
  over = false;
  /** The last batch of the epoch has been delivered. */
  #complete = false;

  constructor(options: PassOptions) {
    this.options = options;
    options.progress.open(this);
  }

  protected counted(draft: Draft | undefined): Draft | undefined {
    this.options.progress.counts.read += draft?.items.length ?? 0;
    return draft;
  }

  protected deliver(draft: Draft): void {
    this.options.progress.deliver(draft);
    this.#complete = draft.last;
  }

  /** The source has no more. */
  protected exhaust(): void {
    this.over = true;
    this.options.progress.endEpoch();
  }

  /** The loop was left; after its last batch that is no different from going on to the end. */
  protected leave(): void {
    if (this.begun && !this.over && this.#complete) this.options.progress.endEpoch();
    this.over = true;
  }
}

export class SyncPass<T> extends AnyPass implements IterableIterator<T> {
  #drafts: (() => Draft | undefined) | undefined;

  next(): IteratorResult<T> {
    const { recipe, progress } = this.options;
    if (this.over) return DONE;
    progress.claim(this);
    const startedAt = performance.now();
    this.begun = true;
    try {
      const draft = this.counted((this.#drafts ??= this.#open())());
      if (!draft) {
        this.exhaust();
        return DONE;
      }
      const value = prepareNow(recipe, draft) as T;
      this.deliver(draft);
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

  #open(): () => Draft | undefined {
    return openIndexed(this.options);
  }
}

export class AsyncPass<T> extends AnyPass implements AsyncIterableIterator<T> {
  /** Maps that run ahead of the loop, and those that run when the batch is asked for. */
  readonly #ahead: readonly MapStage[];
  readonly #behind: readonly MapStage[];
  readonly #prefetch: number;
  #drafts: (() => Promise<Draft | undefined>) | undefined;
  #closeSource: () => Promise<void> = async () => undefined;
  /** Batches in preparation, in order. */
  #queue: Promise<Preparing | undefined>[] = [];
  /** Each of these follows the one before: reads of the source, and calls of the loop. */
  #reads: Promise<unknown> = Promise.resolve();
  #calls: Promise<unknown> = Promise.resolve();

  constructor(options: PassOptions) {
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
      const { draft, value } = await prepare(recipe, this.#behind, first, poolOf);
      progress.claim(this);
      this.deliver(draft);
      return { done: false, value: delivered(recipe, value) as T };
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
    const read = (this.#drafts ??= this.#open());
    const reading = this.#reads.then(async () => this.counted(await read()));
    this.#reads = reading.catch(ignore);
    const preparing = reading.then((draft) => {
      return draft && prepare(recipe, this.#ahead, { draft, value: draft.items }, poolOf);
    });
    // Whoever takes it from the queue sees its error; if nobody does, nobody is to be told.
    preparing.catch(ignore);
    return preparing;
  }

  #open(): () => Promise<Draft | undefined> {
    const { recipe, progress } = this.options;
    const { source } = recipe;
    if (source.kind === "indexed") {
      const drafts = openIndexed(this.options);
      return async () => drafts();
    }
    const { epoch, sample } = progress;
    const drafts = streamDrafts({ ...recipe, source }, { epoch, sample });
    this.#closeSource = () => drafts.close();
    return () => drafts.next();
  }

  async #close(): Promise<void> {
    this.#queue = [];
    await this.#reads;
    await this.#closeSource();
  }
}

function openIndexed({ recipe, progress, orderOf }: PassOptions): () => Draft | undefined {
  const { source } = recipe;
  const { epoch, sample } = progress;
  // A stream has no sync iterator to begin with.
  if (source.kind !== "indexed") return () => undefined;
  return indexedDrafts({ ...recipe, source }, orderOf(epoch), { epoch, sample });
}

/**
 * @file The resumable loader: a recipe, a position, and loops that move it. The order of an epoch
 * and every random transform follow from seed, epoch and item, so epoch and number of delivered
 * items are all there is to keep ("Accelerating Deep Learning Training", §6.2.3.1).
 */
import { AfterlogError } from "../format/index.ts";
import type { DataState } from "./data-state.ts";
import { checkState } from "./data-state.ts";
import type { LoaderMode, ResumableLoader } from "./dataset.ts";
import { MapPool } from "./map-pool.ts";
import type { Order } from "./order.ts";
import { shuffledOrder, unshuffled } from "./order.ts";
import type { EpochOptions } from "./epoch-cursor.ts";
import { AsyncEpochIterator, EpochIterator } from "./epoch-cursor.ts";
import type { LoaderStats } from "./progress.ts";
import { DatasetProgress } from "./progress.ts";
import type {
  AnyMap,
  BatchOptions,
  MapOptions,
  MapStage,
  ModuleFunction,
  Recipe,
} from "./recipe.ts";
import { isSynchronous, withBatch, withMap, withShard, withShuffle } from "./recipe.ts";
import { parseSeed } from "./seed.ts";
import type { TfData } from "./tf-data.ts";

/** The loader of a recipe; it has a sync iterator only if nothing in it must be awaited. */
export function makeLoader(recipe: Recipe, observer: LoaderObserver): Loader {
  const Made = isSynchronous(recipe) ? SyncLoader : Loader;
  const loader = new Made(recipe, observer);
  observer.made(loader);
  return loader;
}

/** Who must know of every dataset: positions are kept from the first move on. */
export interface LoaderObserver {
  /** A dataset was made; each step of a chain makes one. */
  made(loader: ResumableLoader<unknown>): void;
  /** It is about to leave its start: for the first time, or after it was set back there. */
  moved(loader: ResumableLoader<unknown>): void;
}

/**
 * Notes where a dataset stands, in the middle of a loop over it too; the answer sets it back.
 * Undefined for anything but a dataset of ours.
 */
export function holdPosition(dataset: object): (() => void) | undefined {
  return dataset instanceof Loader ? dataset.hold() : undefined;
}

export class Loader implements ResumableLoader<unknown> {
  readonly mode: LoaderMode = "normal";
  protected readonly epochOptions: EpochOptions;
  readonly #recipe: Recipe;
  readonly #observer: LoaderObserver;
  readonly #progress: DatasetProgress;
  readonly #pools = new Map<MapStage, MapPool>();
  #fingerprint: string | undefined;
  #cpus: number | undefined;

  constructor(recipe: Recipe, observer: LoaderObserver) {
    this.#recipe = recipe;
    this.#observer = observer;
    this.#progress = new DatasetProgress(() => {
      const { epoch, sample } = this.#progress;
      if (epoch === 0 && sample === 0) observer.moved(this);
    });
    const poolOf = (stage: MapStage): MapPool => this.#poolOf(stage);
    this.epochOptions = {
      recipe,
      progress: this.#progress,
      orderOf: rememberedOrder(recipe),
      poolOf,
    };
  }

  get length(): number | undefined {
    const { source, batch } = this.#recipe;
    if (source.kind === "stream") return undefined;
    const batches = source.count / (batch?.size ?? 1);
    return batch?.dropLast ? Math.floor(batches) : Math.ceil(batches);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<unknown> {
    return new AsyncEpochIterator(this.epochOptions);
  }

  shuffle(seed: number | bigint | string): Loader {
    return makeLoader(withShuffle(this.#recipe, parseSeed(seed)), this.#observer);
  }

  batch(size: number, options: BatchOptions = {}): Loader {
    return makeLoader(withBatch(this.#recipe, size, options), this.#observer);
  }

  shard(shard: { readonly rank: number; readonly ranks: number }): Loader {
    return makeLoader(withShard(this.#recipe, shard), this.#observer);
  }

  map(fn: AnyMap | ModuleFunction, options: MapOptions = {}): Loader {
    return makeLoader(withMap(this.#recipe, fn, options), this.#observer);
  }

  state(): DataState {
    const { source, seed, batch } = this.#recipe;
    const { epoch, sample } = this.#progress;
    const ds = (this.#fingerprint ??= source.fingerprint());
    const { size, dropLast } = batch ?? { size: 1, dropLast: false };
    return { v: 1, ds, seed: seed.text, epoch, sample, batch: size, dropLast };
  }

  restore(state: DataState): void {
    const { source } = this.#recipe;
    this.#progress.checkBetweenEpochs("restore()");
    checkState(state, this.state(), source.kind === "indexed" ? source.count : undefined);
    this.#progress.set(state.epoch, state.sample);
  }

  setEpoch(epoch: number): void {
    if (!Number.isInteger(epoch) || epoch < 0 || epoch >= 2 ** 32) {
      throw new AfterlogError("AL061", `there is no epoch ${epoch}`, {
        help: ["count epochs from 0"],
      });
    }
    // A program that resumes says the epoch it has resumed in: what is left of it must stay.
    if (epoch === this.#progress.epoch) return;
    this.#progress.checkBetweenEpochs("setEpoch()");
    this.#progress.set(epoch, 0);
  }

  allocate({ cpus }: { readonly cpus: number }): void {
    if (!Number.isInteger(cpus) || cpus < 1) {
      throw new AfterlogError("AL061", `a dataset cannot use ${cpus} processors`, {
        help: ["give a whole number from 1 on"],
      });
    }
    this.#progress.checkBetweenEpochs("allocate()");
    this.#cpus = cpus;
    void this.close();
  }

  /** Notes where it stands and whose turn it is; the answer sets both back. */
  hold(): () => void {
    return this.#progress.hold();
  }

  stats(): LoaderStats {
    return { ...this.#progress.counts };
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close()));
  }

  toTfData<D>(tf: TfData<D>): D {
    return tf.data.generator(async () => this[Symbol.asyncIterator]());
  }

  #poolOf(stage: MapStage): MapPool {
    const known = this.#pools.get(stage);
    if (known) return known;
    const { run, workers } = stage;
    if (typeof run === "function") throw new TypeError("this map has no threads");
    const pool = new MapPool(run, this.#cpus ?? workers);
    this.#pools.set(stage, pool);
    return pool;
  }
}

class SyncLoader extends Loader implements Iterable<unknown> {
  [Symbol.iterator](): IterableIterator<unknown> {
    return new EpochIterator(this.epochOptions);
  }
}

/** Keeps the order of one epoch: making it takes a tenth of a second for a million items. */
function rememberedOrder({ source, seed, shuffled }: Recipe): (epoch: number) => Order {
  if (!shuffled || source.kind === "stream") return () => unshuffled;
  let known: { readonly epoch: number; readonly order: Order } | undefined;
  return (epoch) => {
    if (known?.epoch !== epoch) {
      known = { epoch, order: shuffledOrder({ count: source.count, seed: seed.words, epoch }) };
    }
    return known.order;
  };
}

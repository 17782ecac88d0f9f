/**
 * @file What a dataset is made by, as plain data: each method of the builder gives a new recipe.
 * Whether steps fit together is decided here, when the program is written, not in an epoch's middle.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { isAbsolute } from "node:path";
import { AfterlogError } from "../format/index.ts";
import type { ItemRandom } from "./item-random.ts";
import type { Seed } from "./seed.ts";
import type { ItemSource } from "./source.ts";

/** Given to a function that prepares an item. */
export interface ItemContext {
  /** From 0 on. */
  readonly epoch: number;
  /** Of the item among all items, whatever the order. */
  readonly index: number;
  /** The only randomness that is the same again when the item is prepared again. */
  readonly random: ItemRandom;
}

/** Given to a function that prepares a batch; `index` is that of its first item. */
export interface BatchContext extends ItemContext {
  /** The context of each item. */
  readonly items: readonly ItemContext[];
}

/** A function that threads can load: they cannot be given one. */
export interface ModuleFunction {
  /** `new URL("./augment.js", import.meta.url)`, or an absolute path. */
  readonly module: URL | string;
  /** Name of the export. */
  readonly name: string;
}

export interface MapOptions {
  /** Threads that run the function, which must then be a `ModuleFunction`. */
  readonly workers?: number;
  /** Batches that are prepared ahead of the loop. By default two for each thread, else none. */
  readonly prefetch?: number;
}

export interface BatchOptions {
  /** Leave out a last batch that is smaller. Default: false. */
  readonly dropLast?: boolean;
}

export type AnyMap = (value: unknown, context: BatchContext) => unknown;

export interface MapStage {
  readonly level: "item" | "batch";
  /** Distinguishes the random numbers of one map from those of another. */
  readonly stream: number;
  readonly run: AnyMap | { readonly href: string; readonly name: string };
  readonly workers: number;
  readonly prefetch: number;
}

export interface Recipe {
  readonly source: ItemSource<unknown>;
  readonly seed: Seed;
  readonly shuffled: boolean;
  readonly batch: { readonly size: number; readonly dropLast: boolean } | undefined;
  readonly shard: { readonly rank: number; readonly ranks: number };
  readonly stages: readonly MapStage[];
}

export function withShuffle(recipe: Recipe, seed: Seed): Recipe {
  if (recipe.source.kind === "stream") {
    throw datasetMisuse("a stream cannot be shuffled: its items come one after the other", [
      "read it into memory first:  (await al.dataset.collect(stream)).shuffle(seed)",
    ]);
  }
  if (recipe.batch)
    throw datasetMisuse("shuffle after batch", ["shuffle items:  .shuffle(seed).batch(n)"]);
  if (recipe.shuffled) throw datasetMisuse("a dataset is shuffled once", ["leave out one shuffle"]);
  return { ...recipe, seed, shuffled: true };
}

export function withBatch(recipe: Recipe, size: number, options: BatchOptions): Recipe {
  if (recipe.batch) throw datasetMisuse("a dataset is batched once", ["leave out one batch"]);
  checkDatasetNumber("a batch", size, 1);
  const { dropLast = false } = options;
  const { source } = recipe;
  if (dropLast && source.kind === "indexed" && source.count < size) {
    throw datasetMisuse(`${source.count} items give no batch of ${size}`, [
      "take smaller batches, or leave out dropLast",
    ]);
  }
  return { ...recipe, batch: { size, dropLast } };
}

export function withShard(recipe: Recipe, shard: Recipe["shard"]): Recipe {
  const { rank, ranks } = shard;
  if (!recipe.batch)
    throw datasetMisuse("shard before batch", ["batch first:  .batch(n).shard(…)"]);
  if (recipe.stages.some(({ level }) => level === "batch")) {
    throw datasetMisuse("shard after a map of batches", [
      "shard first:  .batch(n).shard(…).map(fn)",
    ]);
  }
  checkDatasetNumber("ranks", ranks, 1);
  checkDatasetNumber("a rank", rank, 0);
  if (rank >= ranks)
    throw datasetMisuse(`there is no rank ${rank} of ${ranks}`, ["count ranks from 0"]);
  if (recipe.batch.size < ranks) {
    throw datasetMisuse(`a batch of ${recipe.batch.size} cannot be shared by ${ranks} ranks`, [
      "batch(n) is the size of the batch of all ranks together",
    ]);
  }
  return { ...recipe, shard };
}

export function withMap(recipe: Recipe, run: AnyMap | ModuleFunction, options: MapOptions): Recipe {
  const { workers = typeof run === "function" ? 0 : 1 } = options;
  const { prefetch = 2 * workers } = options;
  checkDatasetNumber("workers", workers, typeof run === "function" ? 0 : 1);
  checkDatasetNumber("prefetch", prefetch, 0);
  if (typeof run === "function" && workers > 0) {
    throw datasetMisuse("a function cannot be given to threads", [
      "export it from a module and name that:",
      '.map({ module: new URL("./augment.js", import.meta.url), name: "augment" }, { workers })',
    ]);
  }
  const stage = {
    level: recipe.batch ? "batch" : "item",
    stream: recipe.stages.length + 1,
    run: typeof run === "function" ? run : { href: addressOf(run), name: run.name },
    workers,
    prefetch,
  } as const;
  return { ...recipe, stages: [...recipe.stages, stage] };
}

/** Whether each item is there as soon as it is asked for; a function may still return a promise. */
export function isSynchronous({ source, stages }: Recipe): boolean {
  return (
    source.kind === "indexed" &&
    stages.every(({ run, prefetch }) => {
      return (
        typeof run === "function" && prefetch === 0 && run.constructor.name !== "AsyncFunction"
      );
    })
  );
}

/** A relative path would be one from here, not from the program that wrote it. */
function addressOf({ module, name }: ModuleFunction): string {
  if (typeof name !== "string" || name === "") {
    throw datasetMisuse("a function for threads needs the name of an export", ['name: "augment"']);
  }
  if (module instanceof URL) return module.href;
  if (module.startsWith("file:")) return pathToFileURL(fileURLToPath(module)).href;
  if (isAbsolute(module)) return pathToFileURL(module).href;
  throw datasetMisuse(`${module} is not an absolute path`, [
    `give its address:  new URL(${JSON.stringify(module)}, import.meta.url)`,
  ]);
}

function checkDatasetNumber(what: string, count: unknown, least: number): void {
  if (Number.isSafeInteger(count) && Number(count) >= least) return;
  throw datasetMisuse(`${what} cannot be ${String(count)}`, [
    `give a whole number from ${least} on`,
  ]);
}

function datasetMisuse(message: string, help: [string, ...string[]]): AfterlogError {
  return new AfterlogError("AL061", message, { help });
}

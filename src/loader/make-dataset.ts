/** @file `dataset`: the ways in which a program makes one. */
import type { AsyncDataset, Dataset } from "./dataset.ts";
import type { FolderItem, FolderOptions } from "./folder.ts";
import { folderSource } from "./folder.ts";
import type { LoaderObserver } from "./loader.ts";
import { makeLoader } from "./loader.ts";
import type { Recipe } from "./recipe.ts";
import { parseSeed } from "./seed.ts";
import type { NumberArray, ItemSource } from "./source.ts";
import { sourceOf } from "./source.ts";
import type { TfDataset } from "./tf-data.ts";
import { tfDataSource } from "./tf-data.ts";

export interface DatasetOptions {
  /** For random maps of a dataset that is not shuffled; `shuffle` has its own. Default: 0. */
  readonly seed?: number | bigint | string;
}

/** Makes datasets. */
export interface MakeDataset {
  /** Of items in memory, of the numbers below `items`, or of a stream. Throws AL061. */
  <T>(items: readonly T[], options?: DatasetOptions): Dataset<T>;
  (items: number | NumberArray, options?: DatasetOptions): Dataset<number>;
  <T>(items: AsyncIterable<T>, options?: DatasetOptions): AsyncDataset<T>;
  /** Of the files below a folder, sorted by name. Throws AL006 if it cannot be read. */
  folder(path: string, options?: FolderOptions & DatasetOptions): Dataset<FolderItem>;
  /** Of all items of a stream or a `tf.data` dataset, read into memory: they can be shuffled. */
  collect<T>(items: AsyncIterable<T> | TfDataset<T>, options?: DatasetOptions): Promise<Dataset<T>>;
  /** Of a `tf.data` dataset that is not shuffled, in its own order. Throws AL062. */
  fromTfData<T>(items: TfDataset<T>, options?: DatasetOptions): AsyncDataset<T>;
}

/** Makes `dataset`; `observer` gets every dataset that it makes. */
export function datasetMaker(observer: LoaderObserver): MakeDataset {
  const fromSource = (source: ItemSource<unknown>, options: DatasetOptions = {}): unknown =>
    makeLoader(recipeOf(source, options), observer);
  const make = <T>(items: unknown, options?: DatasetOptions): Dataset<T> =>
    fromSource(sourceOf(items), options) as Dataset<T>;
  return Object.assign(make, {
    folder: (path: string, options?: FolderOptions & DatasetOptions) =>
      fromSource(folderSource(path, options), options) as Dataset<FolderItem>,
    async collect<T>(
      items: AsyncIterable<T> | TfDataset<T>,
      options?: DatasetOptions,
    ): Promise<Dataset<T>> {
      const source = Symbol.asyncIterator in items ? sourceOf(items) : tfDataSource(items);
      return make(await readAllItems(source), options);
    },
    fromTfData: <T>(items: TfDataset<T>, options?: DatasetOptions) =>
      fromSource(tfDataSource(items), options) as AsyncDataset<T>,
  });
}

function recipeOf(source: ItemSource<unknown>, { seed = 0 }: DatasetOptions): Recipe {
  return {
    source,
    seed: parseSeed(seed),
    shuffled: false,
    batch: undefined,
    shard: { rank: 0, ranks: 1 },
    stages: [],
  };
}

async function readAllItems(source: ItemSource<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  if (source.kind === "indexed") return items;
  const iterator = await source.open();
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return items;
    items.push(value);
  }
}

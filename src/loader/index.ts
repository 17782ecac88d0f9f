/** @file The resumable data iterator. */
export type { AsyncDataset, Dataset, LoaderMode, ResumableLoader } from "./dataset.ts";
export type { DataState } from "./data-state.ts";
export type { FolderItem, FolderOptions } from "./folder.ts";
export type { ItemRandom } from "./item-random.ts";
export { holdPosition } from "./loader.ts";
export { datasetMaker } from "./make-dataset.ts";
export type { DatasetOptions, MakeDataset } from "./make-dataset.ts";
export type { LoaderStats } from "./progress.ts";
export type {
  BatchContext,
  BatchOptions,
  ItemContext,
  MapOptions,
  ModuleFunction,
} from "./recipe.ts";

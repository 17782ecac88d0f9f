/** @file From a batch of raw items to what the loop gets: the maps, one after the other. */
import { AfterlogError, describeError, isAfterlogError } from "../format/index.ts";
import type { MapTask } from "./apply-map.ts";
import { applyMap, applyMapNow, MapFailure } from "./apply-map.ts";
import type { BatchSlice } from "./batch-slices.ts";
import type { MapPool } from "./map-pool.ts";
import type { MapStage, Recipe } from "./recipe.ts";

/** A batch on its way through the maps. */
export interface Preparing {
  readonly slice: BatchSlice;
  readonly value: unknown;
}

export type PoolOf = (stage: MapStage) => MapPool;

/** All maps at once, for a loop that does not await. */
export function prepareNow(recipe: Recipe, slice: BatchSlice): unknown {
  let value: unknown = slice.items;
  for (const stage of recipe.stages) {
    if (typeof stage.run !== "function") throw mustAwait();
    const { run } = stage;
    value = explainedMap(recipe, slice, () =>
      applyMapNow(run, taskOf(recipe, stage, slice, value)),
    );
    const made = stage.level === "item" ? (value as unknown[]) : [value];
    if (made.some((result) => result instanceof Promise)) throw mustAwait();
  }
  return deliveredBatch(recipe, value);
}

/** The given maps, on the event loop or in threads. */
export async function prepareBatch(
  recipe: Recipe,
  stages: readonly MapStage[],
  { slice, value: before }: Preparing,
  poolOf: PoolOf,
): Promise<Preparing> {
  let value = before;
  for (const stage of stages) {
    const task = taskOf(recipe, stage, slice, value);
    const { run } = stage;
    try {
      value = await (typeof run === "function" ? applyMap(run, task) : poolOf(stage).run(task));
    } catch (error) {
      throw explainMapError(recipe, slice, error);
    }
  }
  return { slice, value };
}

/** Without `batch` the loop gets the items themselves. */
export function deliveredBatch({ batch }: Recipe, value: unknown): unknown {
  return batch ? value : (value as unknown[])[0];
}

function taskOf(recipe: Recipe, stage: MapStage, slice: BatchSlice, value: unknown): MapTask {
  const { level, stream } = stage;
  const { epoch, first, indices } = slice;
  return { level, key: { seed: recipe.seed.words, epoch, stream }, first, indices, value };
}

function explainedMap<T>(recipe: Recipe, slice: BatchSlice, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainMapError(recipe, slice, error);
  }
}

/** Says which item it was; an error of ours says enough itself. */
function explainMapError(recipe: Recipe, slice: BatchSlice, error: unknown): unknown {
  if (!(error instanceof MapFailure) || isAfterlogError(error.cause)) {
    return error instanceof MapFailure ? error.cause : error;
  }
  const { at, cause } = error;
  const { source } = recipe;
  const index = slice.indices[at];
  const what =
    index === undefined
      ? `a batch that begins with ${source.describe(slice.first)}`
      : source.describe(index);
  return new AfterlogError("AL063", `map failed on ${what}: ${describeError(cause)}`, {
    help: ["the error of the function is the cause of this one"],
    data: { epoch: slice.epoch, index: index ?? slice.first },
    cause,
  });
}

function mustAwait(): AfterlogError {
  return new AfterlogError("AL061", "a function of this dataset is asynchronous", {
    help: ['await the items:  for await (const batch of al.loop("step", data))'],
  });
}

/** @file From a batch of raw items to what the loop gets: the maps, one after the other. */
import { AfterlogError, describeError, isAfterlogError } from "../format/index.ts";
import type { MapTask } from "./apply-map.ts";
import { applyMap, applyMapNow, MapFailure } from "./apply-map.ts";
import type { Draft } from "./drafts.ts";
import type { MapPool } from "./map-pool.ts";
import type { MapStage, Recipe } from "./recipe.ts";

/** A batch on its way through the maps. */
export interface Preparing {
  readonly draft: Draft;
  readonly value: unknown;
}

export type PoolOf = (stage: MapStage) => MapPool;

/** All maps at once, for a loop that does not await. */
export function prepareNow(recipe: Recipe, draft: Draft): unknown {
  let value: unknown = draft.items;
  for (const stage of recipe.stages) {
    if (typeof stage.run !== "function") throw mustAwait();
    const { run } = stage;
    value = explained(recipe, draft, () => applyMapNow(run, taskOf(recipe, stage, draft, value)));
    const made = stage.level === "item" ? (value as unknown[]) : [value];
    if (made.some((result) => result instanceof Promise)) throw mustAwait();
  }
  return delivered(recipe, value);
}

/** The given maps, on the event loop or in threads. */
export async function prepare(
  recipe: Recipe,
  stages: readonly MapStage[],
  { draft, value: before }: Preparing,
  poolOf: PoolOf,
): Promise<Preparing> {
  let value = before;
  for (const stage of stages) {
    const task = taskOf(recipe, stage, draft, value);
    const { run } = stage;
    try {
      value = await (typeof run === "function" ? applyMap(run, task) : poolOf(stage).run(task));
    } catch (error) {
      throw explain(recipe, draft, error);
    }
  }
  return { draft, value };
}

/** Without `batch` the loop gets the items themselves. */
export function delivered({ batch }: Recipe, value: unknown): unknown {
  return batch ? value : (value as unknown[])[0];
}

function taskOf(recipe: Recipe, stage: MapStage, draft: Draft, value: unknown): MapTask {
  const { level, stream } = stage;
  const { epoch, first, indices } = draft;
  return { level, key: { seed: recipe.seed.words, epoch, stream }, first, indices, value };
}

function explained<T>(recipe: Recipe, draft: Draft, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(recipe, draft, error);
  }
}

/** Says which item it was; an error of ours says enough itself. */
function explain(recipe: Recipe, draft: Draft, error: unknown): unknown {
  if (!(error instanceof MapFailure) || isAfterlogError(error.cause)) {
    return error instanceof MapFailure ? error.cause : error;
  }
  const { at, cause } = error;
  const { source } = recipe;
  const index = draft.indices[at];
  const what =
    index === undefined
      ? `a batch that begins with ${source.describe(draft.first)}`
      : source.describe(index);
  return new AfterlogError("AL063", `map failed on ${what}: ${describeError(cause)}`, {
    help: ["the error of the function is the cause of this one"],
    data: { epoch: draft.epoch, index: index ?? draft.first },
    cause,
  });
}

function mustAwait(): AfterlogError {
  return new AfterlogError("AL061", "a function of this dataset is asynchronous", {
    help: ['await the items:  for await (const batch of al.loop("step", data))'],
  });
}

/**
 * @file Runs a function of `map` on the items of one batch, or on the batch: on the event loop and
 * in threads alike, with random numbers that depend on neither.
 */
import { PhiloxRandom } from "./item-random.ts";
import type { PhiloxKey } from "./philox.ts";
import type { AnyMap, BatchContext, ItemContext } from "./recipe.ts";

/** Sets the numbers drawn for a batch as a whole apart from those for its first item. */
const BATCH_STREAM = 2 ** 31;

/** One call for a batch, or one for each of its items. Plain data, so that a thread can have it. */
export interface MapTask {
  readonly level: "item" | "batch";
  readonly key: Omit<PhiloxKey, "index">;
  /** Index of the batch's first item, which stands for the batch. */
  readonly first: number;
  /** Indices of the items. */
  readonly indices: readonly number[];
  /** The items as a list, or the batch as the map before has made it. */
  readonly value: unknown;
}

/** What a function threw, and on which item of its batch; -1: on the batch. */
export class MapFailure {
  readonly at: number;
  readonly cause: unknown;

  constructor(at: number, cause: unknown) {
    this.at = at;
    this.cause = cause;
  }
}

/** Calls the function; what it returns may be promises. Throws a `MapFailure`. */
export function applyMapNow(fn: AnyMap, task: MapTask): unknown {
  if (task.level === "batch") return attemptMap(-1, () => fn(task.value, batchContext(task)));
  return (task.value as unknown[]).map((item, at) => {
    return attemptMap(at, () => fn(item, itemContext(task, at) as BatchContext));
  });
}

/** Calls the function and waits for what it returns; items of a batch are waited for together. */
export async function applyMap(fn: AnyMap, task: MapTask): Promise<unknown> {
  const waiting = async (at: number, call: () => unknown): Promise<unknown> => {
    try {
      return await call();
    } catch (error) {
      throw new MapFailure(at, error);
    }
  };
  if (task.level === "batch") return waiting(-1, () => fn(task.value, batchContext(task)));
  const items = task.value as unknown[];
  return Promise.all(
    items.map((item, at) => waiting(at, () => fn(item, itemContext(task, at) as BatchContext))),
  );
}

function attemptMap(at: number, call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    throw new MapFailure(at, error);
  }
}

function itemContext({ key, indices }: MapTask, at: number): ItemContext {
  return contextOf({ ...key, index: indices[at] ?? 0 });
}

function batchContext(task: MapTask): BatchContext {
  const { key, first, indices } = task;
  const own = contextOf({ ...key, index: first, stream: key.stream + BATCH_STREAM });
  let items: ItemContext[] | undefined;
  return Object.defineProperty(own, "items", {
    get: () => (items ??= indices.map((_, at) => itemContext(task, at))),
    enumerable: true,
  }) as BatchContext;
}

/** Most functions draw nothing: the generator is made when it is asked for. */
function contextOf(key: PhiloxKey): ItemContext {
  let random: PhiloxRandom | undefined;
  return {
    epoch: key.epoch,
    index: key.index,
    get random() {
      return (random ??= new PhiloxRandom(key));
    },
  };
}

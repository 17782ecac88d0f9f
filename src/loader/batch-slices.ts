/**
 * @file Cuts an epoch into batches: batch b is positions b·B to (b+1)·B - 1 of the order, and a rank
 * has its share of each (rule IT-1). Nothing before the position where it begins is read, except
 * from a stream, which cannot begin elsewhere.
 */
import { AfterlogError } from "../format/index.ts";
import type { Order } from "./order.ts";
import type { Recipe } from "./recipe.ts";
import type { IndexedSource, StreamSource } from "./source.ts";

/** A batch before any map. */
export interface BatchSlice {
  readonly epoch: number;
  /** Items of the epoch that are delivered once this batch is, on all ranks together. */
  readonly to: number;
  /** Nothing follows, as far as is known. */
  readonly last: boolean;
  /** Index of the first item, of all ranks. */
  readonly first: number;
  readonly indices: readonly number[];
  readonly items: readonly unknown[];
}

/** Where a loop over the dataset begins. */
export interface EpochStart {
  readonly epoch: number;
  readonly sample: number;
}

type SliceRecipe = Pick<Recipe, "batch" | "shard">;

/** Whether an epoch of `count` items has no batch from `sample` on. */
export function isOver({ batch }: SliceRecipe, sample: number, count: number): boolean {
  return sample >= count || (batch?.dropLast === true && sample + batch.size > count);
}

/** Gives the batches of one epoch; undefined when there are no more. */
export function indexedSlices(
  recipe: SliceRecipe & { readonly source: IndexedSource<unknown> },
  order: Order,
  { epoch, sample }: EpochStart,
): () => BatchSlice | undefined {
  const { source } = recipe;
  let from = sample;
  return () => {
    if (isOver(recipe, from, source.count)) return undefined;
    const to = Math.min(from + (recipe.batch?.size ?? 1), source.count);
    const { begin, end } = shareOf(recipe, from, to);
    const indices = Array.from({ length: end - begin }, (_, k) => order(begin + k));
    const first = order(from);
    from = to;
    const items = indices.map((index) => source.at(index));
    return { epoch, to, last: isOver(recipe, to, source.count), first, indices, items };
  };
}

export interface StreamSlices {
  next(): Promise<BatchSlice | undefined>;
  close(): Promise<void>;
}

export function streamSlices(
  recipe: SliceRecipe & { readonly source: StreamSource<unknown> },
  { epoch, sample }: EpochStart,
): StreamSlices {
  const size = recipe.batch?.size ?? 1;
  let iterator: AsyncIterator<unknown> | undefined;
  let from = sample;
  const take = async (most: number): Promise<unknown[]> => {
    const items: unknown[] = [];
    while (iterator && items.length < most) {
      const { done, value } = await iterator.next();
      if (done) iterator = undefined;
      else items.push(value);
    }
    return items;
  };
  const open = async (): Promise<void> => {
    iterator = await recipe.source.open();
    for (let dropped = 0; dropped < sample; dropped++) {
      if ((await take(1)).length === 0) throw tooShort(sample, dropped);
    }
  };
  let opening: Promise<void> | undefined;
  return {
    async next() {
      await (opening ??= open());
      const all = await take(size);
      if (all.length === 0 || (recipe.batch?.dropLast && all.length < size)) return undefined;
      const { begin, end } = shareOf(recipe, from, from + all.length);
      const items = all.slice(begin - from, end - from);
      const indices = items.map((_, k) => begin + k);
      const first = from;
      from += all.length;
      return { epoch, to: from, last: all.length < size, first, indices, items };
    },
    async close() {
      await iterator?.return?.();
    },
  };
}

/** Positions of a batch that this rank prepares. */
function shareOf({ shard }: SliceRecipe, from: number, to: number): { begin: number; end: number } {
  const { rank, ranks } = shard;
  const at = (part: number): number => from + Math.floor(((to - from) * part) / ranks);
  return { begin: at(rank), end: at(rank + 1) };
}

function tooShort(sample: number, found: number): AfterlogError {
  return new AfterlogError("AL072", `the stream ended after ${found} of ${sample} items`, {
    notes: ["a stream is brought to its position by reading all that comes before"],
    help: ["make the dataset from the stream that the state was taken of"],
  });
}

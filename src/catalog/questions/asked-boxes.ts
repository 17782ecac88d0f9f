/**
 * @file Sets of loop iterations as few boxes: `epoch 3..7, step 0..99` instead of five hundred
 * pairs. Pure.
 */
import type { Box } from "../../format/index.ts";

/** Consecutive iterations of an innermost loop inside one iteration of each loop around it. */
export interface Stretch {
  readonly outer: readonly number[];
  readonly first: number;
  readonly last: number;
}

type IndexRange = readonly [first: number, last: number];

/**
 * The stretches as boxes over the loops `chain`, in order: consecutive outer iterations that have
 * the same inner ones become one box.
 */
export function boxesOf(chain: readonly string[], stretches: readonly Stretch[]): Box[] {
  const lists = mergeLevels(
    stretches.map(({ outer, first, last }) => [
      ...outer.map((index): IndexRange => [index, index]),
      [first, last],
    ]),
    0,
  );
  return lists.map((ranges) =>
    Object.fromEntries(chain.map((loop, at) => [loop, ranges[at] ?? [0, 0]])),
  );
}

/** Merges from the level `at` inwards; all lists agree on the levels before it. */
function mergeLevels(
  lists: readonly (readonly IndexRange[])[],
  at: number,
): (readonly IndexRange[])[] {
  const depth = lists[0]?.length ?? 0;
  if (at >= depth - 1) return [...lists].sort((a, b) => firstAt(a, at) - firstAt(b, at));
  const byIndex = new Map<number, (readonly IndexRange[])[]>();
  for (const ranges of [...lists].sort((a, b) => firstAt(a, at) - firstAt(b, at))) {
    const index = firstAt(ranges, at);
    byIndex.set(index, [...(byIndex.get(index) ?? []), ranges]);
  }
  const merged: { first: number; last: number; key: string; inner: (readonly IndexRange[])[] }[] =
    [];
  for (const [index, own] of byIndex) {
    const inner = mergeLevels(own, at + 1);
    const key = JSON.stringify(inner.map((ranges) => ranges.slice(at + 1)));
    const before = merged.at(-1);
    if (before && before.last === index - 1 && before.key === key) before.last = index;
    else merged.push({ first: index, last: index, key, inner });
  }
  return merged.flatMap(({ first, last, inner }) =>
    inner.map((ranges) => ranges.with(at, [first, last])),
  );
}

function firstAt(ranges: readonly IndexRange[], at: number): number {
  return ranges[at]?.[0] ?? 0;
}

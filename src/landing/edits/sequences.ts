/** @file What of two sequences is the same, in their order: as much as possible. */
import type { Form } from "./forms.ts";

/** Numbers in both. */
export type Pair = readonly [then: number, now: number];

type Compared = Pick<Form, "whole" | "around">;

/** What a pair is worth that says the same throughout, and at least, one that does so around its blocks. */
const SAME = 3;
const SAME_AROUND = 2;

/** The common subsequence that is worth most; `likeness`: below 1, of two that are the same around their blocks. */
export function alignedPairs(
  then: readonly Compared[],
  now: readonly Compared[],
  likeness: (i: number, j: number) => number,
): Pair[] {
  const isSame = (a: Compared | undefined, b: Compared | undefined): boolean =>
    a?.whole === b?.whole;
  const least = Math.min(then.length, now.length);
  let first = 0;
  while (first < least && isSame(then[first], now[first])) first += 1;
  let last = 0;
  while (last < least - first && isSame(then.at(-1 - last), now.at(-1 - last))) last += 1;
  const between = pairsBetween(
    then.slice(first, then.length - last),
    now.slice(first, now.length - last),
    (i, j) => likeness(i + first, j + first),
  );
  return [
    ...Array.from({ length: first }, (_, at): Pair => [at, at]),
    ...between.map(([a, b]): Pair => [a + first, b + first]),
    ...Array.from({ length: last }, (_, at): Pair => [
      then.length - last + at,
      now.length - last + at,
    ]),
  ];
}

function pairsBetween(
  then: readonly Compared[],
  now: readonly Compared[],
  likeness: (i: number, j: number) => number,
): Pair[] {
  const worths = then.map((old, i) => {
    return now.map((own, j) => {
      if (old.around !== own.around) return 0;
      return old.whole === own.whole ? SAME : SAME_AROUND + likeness(i, j);
    });
  });
  const worthOf = (i: number, j: number): number => worths[i]?.[j] ?? 0;
  const best = Array.from({ length: then.length + 1 }, () => new Float64Array(now.length + 1));
  const from = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = then.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const worth = worthOf(i, j);
      const paired = worth === 0 ? 0 : worth + from(i + 1, j + 1);
      best[i]?.fill(Math.max(paired, from(i + 1, j), from(i, j + 1)), j, j + 1);
    }
  }
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < then.length && j < now.length;) {
    const worth = worthOf(i, j);
    if (worth > 0 && from(i, j) === worth + from(i + 1, j + 1)) pairs.push([i++, j++]);
    else if (from(i, j) === from(i + 1, j)) i++;
    else j++;
  }
  return pairs;
}

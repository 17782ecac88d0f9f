/** @file The best alignment of two lists that keeps their order. */
import { ALIGNMENT_CELLS_MAX } from "./parameters.ts";

/**
 * Pairs of items, in order, with the greatest sum of weights; a weight of 0 is no pair. Lists whose
 * product is too large are not aligned: the table would take longer than it is worth.
 */
export function align<T>(
  a: readonly T[],
  b: readonly T[],
  weight: (one: T, other: T) => number,
): (readonly [T, T])[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > ALIGNMENT_CELLS_MAX) return [];
  const weights = new Float64Array(a.length * b.length);
  const best = new Float64Array((a.length + 1) * width);
  const at = (i: number, j: number): number => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const own = weight(a[i] as T, b[j] as T);
      weights[i * b.length + j] = own;
      const paired = own > 0 ? own + at(i + 1, j + 1) : 0;
      best[i * width + j] = Math.max(paired, at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [T, T])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const own = weights[i * b.length + j] ?? 0;
    if (own > 0 && at(i, j) === own + at(i + 1, j + 1)) {
      pairs.push([a[i] as T, b[j] as T]);
      i += 1;
      j += 1;
    } else if (at(i, j) === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}

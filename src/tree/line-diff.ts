/**
 * @file Myers' difference of two lists of lines (E. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986): the second witness, beside the tree, of where a statement belongs.
 */

/** Differences above which the rest counts as unmatched: bounds time and memory to its square. */
const DIFFERENCES_MAX = 3000;

/** For each line of `a` the index of its partner in `b`, or -1. */
export function matchLines(a: readonly string[], b: readonly string[]): Int32Array {
  const partners = new Int32Array(a.length).fill(-1);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    partners[start] = start;
    start += 1;
  }
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
    partners[endA] = endB;
  }
  const middle = shortestPath(a.slice(start, endA), b.slice(start, endB));
  for (const [x, y] of middle) partners[start + x] = start + y;
  return partners;
}

/** The pairs on a shortest way through the grid of differences, from the end to the start. */
function shortestPath(a: readonly string[], b: readonly string[]): [number, number][] {
  const furthest = searchForward(a, b);
  if (!furthest) return [];
  const pairs: [number, number][] = [];
  let [x, y] = [a.length, b.length];
  for (let d = furthest.length - 1; d > 0; d -= 1) {
    const reached = furthest[d - 1] as Int32Array;
    const down = isDown(reached, x - y, d);
    const before = down ? x - y + 1 : x - y - 1;
    const fromX = reached[before + d] ?? 0;
    const turnX = down ? fromX : fromX + 1;
    while (x > turnX) pairs.push([(x -= 1), (y -= 1)]);
    x = fromX;
    y = fromX - before;
  }
  while (x > 0 && y > 0) pairs.push([(x -= 1), (y -= 1)]);
  return pairs;
}

/** For each number of differences, the furthest x on each diagonal; undefined if there are too many. */
function searchForward(a: readonly string[], b: readonly string[]): Int32Array[] | undefined {
  const rounds: Int32Array[] = [];
  let reached = new Int32Array(3);
  for (let d = 0; d <= Math.min(a.length + b.length, DIFFERENCES_MAX); d += 1) {
    // Diagonal k stands at k + d + 1, with a margin on both sides for the next round.
    const round = new Int32Array(2 * d + 3).fill(-1);
    for (let k = -d; k <= d; k += 2) {
      let x = 0;
      if (d > 0) {
        const down = isDown(reached, k, d);
        x = down ? (reached[k + 1 + d] ?? 0) : (reached[k - 1 + d] ?? 0) + 1;
      }
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      round[k + d + 1] = x;
      if (x >= a.length && x - k >= b.length) return [...rounds, round];
    }
    rounds.push(round);
    reached = round;
  }
  return undefined;
}

/** Whether the way to diagonal k comes by an insertion; `reached` is of the round before. */
function isDown(reached: Int32Array, k: number, d: number): boolean {
  if (k === -d) return true;
  if (k === d) return false;
  return (reached[k - 1 + d] ?? -1) < (reached[k + 1 + d] ?? -1);
}

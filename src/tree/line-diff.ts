/**
 * @file Myers' difference of two lists of lines (E. Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986): the second witness, beside the tree, of where a statement belongs.
 */

/** Differences up to which the shortest way is searched: bounds time and memory to its square. */
const DIFFERENCES_MAX = 800;

/** For each line of `a` the index of its partner in `b`, or -1. */
export function matchLines(a: readonly string[], b: readonly string[]): Int32Array {
  const partners = new Int32Array(a.length).fill(-1);
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]): Int32Array => {
    return Int32Array.from(lines, (line) => {
      if (!numbers.has(line)) numbers.set(line, numbers.size);
      return numbers.get(line) ?? 0;
    });
  };
  matchPart({ lines: numbered(a), from: 0 }, { lines: numbered(b), from: 0 }, partners);
  return partners;
}

/** Lines of a text from one on. */
interface Part {
  readonly lines: Int32Array;
  readonly from: number;
}

function matchPart(a: Part, b: Part, partners: Int32Array): void {
  let start = 0;
  let endA = a.lines.length;
  let endB = b.lines.length;
  while (start < endA && start < endB && a.lines[start] === b.lines[start]) {
    partners[a.from + start] = b.from + start;
    start += 1;
  }
  while (endA > start && endB > start && a.lines[endA - 1] === b.lines[endB - 1]) {
    endA -= 1;
    endB -= 1;
    partners[a.from + endA] = b.from + endB;
  }
  const ours = part(a, start, endA);
  const theirs = part(b, start, endB);
  const pairs = shortestPath(ours.lines, theirs.lines);
  if (pairs) for (const [x, y] of pairs) partners[ours.from + x] = theirs.from + y;
  else matchBetweenUnique(ours, theirs, partners);
}

function part({ lines, from }: Part, start: number, end: number): Part {
  return { lines: lines.subarray(start, end), from: from + start };
}

/** Too different for one search: lines that stand once on both sides cut the texts into parts. */
function matchBetweenUnique(a: Part, b: Part, partners: Int32Array): void {
  const [ours, theirs] = [uniqueLines(a.lines), uniqueLines(b.lines)];
  const common = [...ours].flatMap(([line, x]) => {
    const y = theirs.get(line);
    return x < 0 || y === undefined || y < 0 ? [] : [{ x, y }];
  });
  const cuts = longestRising(common.sort((one, other) => one.x - other.x));
  if (cuts.length === 0) return;
  let [x, y] = [0, 0];
  for (const cut of [...cuts, { x: a.lines.length, y: b.lines.length }]) {
    matchPart(part(a, x, cut.x), part(b, y, cut.y), partners);
    if (cut.x < a.lines.length) partners[a.from + cut.x] = b.from + cut.y;
    [x, y] = [cut.x + 1, cut.y + 1];
  }
}

/** Where each line stands; -1 if it stands more than once. */
function uniqueLines(lines: Int32Array): Map<number, number> {
  const found = new Map<number, number>();
  for (const [at, line] of lines.entries()) found.set(line, found.has(line) ? -1 : at);
  return found;
}

interface Cut {
  readonly x: number;
  readonly y: number;
}

/** The longest list of cuts, already in the order of x, whose y rise too. */
function longestRising(cuts: readonly Cut[]): Cut[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, { y }] of cuts.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cuts[ends[middle] ?? 0]?.y ?? 0) < y) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const rising: Cut[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const cut = cuts[at];
    if (cut) rising.push(cut);
  }
  return rising.toReversed();
}

/** The pairs on a shortest way through the grid of differences; undefined if it is too long. */
function shortestPath(a: Int32Array, b: Int32Array): [number, number][] | undefined {
  const furthest = searchForward(a, b);
  if (!furthest) return undefined;
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
function searchForward(a: Int32Array, b: Int32Array): Int32Array[] | undefined {
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

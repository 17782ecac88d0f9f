/**
 * @file In which order processes begin, a few at a time, and when the last of them ends. Whoever is free takes the
 * next one. The longest first is seldom far from the best; where runs were cut so that each worker gets
 * as much as the others, the order in which they follow each other there is better.
 */

export interface Schedule {
  /** Until the last one ends. */
  readonly seconds: number;
  /** Positions of the processes, as they begin. */
  readonly order: readonly number[];
}

/**
 * `seconds`: of each process; what one worker gets stands in a row. `urgent`: those that others wait for, which
 * begin before whatever need not be before them.
 */
export function scheduleUnits(
  seconds: readonly number[],
  workers: number,
  urgent: ReadonlySet<number> = new Set(),
): Schedule {
  const isLater = (at: number): number => (urgent.has(at) ? 0 : 1);
  const longest = seconds
    .map((_, at) => at)
    .toSorted((a, b) => isLater(a) - isLater(b) || (seconds[b] ?? 0) - (seconds[a] ?? 0));
  const rows = inRows(seconds, workers, isLater);
  const [first, second] = [longest, rows].map((order) => ({
    seconds: endOf(seconds, order, workers),
    order,
  }));
  return second && first && second.seconds < first.seconds ? second : (first ?? NONE);
}

/** Seconds until the last of these processes ends. */
export function makespan(seconds: readonly number[], workers: number): number {
  return scheduleUnits(seconds, workers).seconds;
}

const NONE: Schedule = { seconds: 0, order: [] };

/** When everything is done, if whoever is free takes the next. */
function endOf(seconds: readonly number[], order: readonly number[], workers: number): number {
  const busy = Array.from({ length: Math.max(1, workers) }, () => 0);
  for (const at of order) {
    const free = busy.indexOf(Math.min(...busy));
    busy[free] = (busy[free] ?? 0) + (seconds[at] ?? 0);
  }
  return Math.max(...busy);
}

/** Halvings of the interval in which the shortest rows are looked for. */
const ROUNDS = 40;

/** By their beginnings, where each worker gets a row of them and the longest row is as short as can be. */
function inRows(
  seconds: readonly number[],
  workers: number,
  isLater: (at: number) => number,
): number[] {
  let low = Math.max(0, ...seconds);
  let high = seconds.reduce((sum, one) => sum + one, 0);
  for (let round = 0; round < ROUNDS; round++) {
    const middle = (low + high) / 2;
    if (rowsWithin(seconds, middle).length <= workers) high = middle;
    else low = middle;
  }
  const begins: { readonly at: number; readonly begin: number }[] = [];
  for (const row of rowsWithin(seconds, high)) {
    let begin = 0;
    for (const at of row.toSorted((a, b) => isLater(a) - isLater(b))) {
      begins.push({ at, begin });
      begin += seconds[at] ?? 0;
    }
  }
  return begins.toSorted((a, b) => a.begin - b.begin).map(({ at }) => at);
}

/** Rows of at most that length, one filled after the other. */
function rowsWithin(seconds: readonly number[], limit: number): number[][] {
  const rows: number[][] = [[]];
  let length = 0;
  for (const [at, one] of seconds.entries()) {
    if (length > 0 && length + one > limit) {
      rows.push([]);
      length = 0;
    }
    rows.at(-1)?.push(at);
    length += one;
  }
  return rows;
}

/** @file How often a condition `value < T` would have fired for other T. Pure. */

export interface SweptRun {
  readonly marked: "good" | "bad" | "unmarked";
  /** Of its values the one nearest to firing; null: the rest of the condition never holds. */
  readonly extreme: number | null;
}

export interface Threshold {
  readonly threshold: number;
  /** The one that the alert has. */
  readonly current: boolean;
  /** None tells bad runs from good ones better; false for all where no run is marked. */
  readonly best: boolean;
  readonly good: number;
  readonly bad: number;
  readonly unmarked: number;
}

interface Comparison {
  readonly operator: "<" | "<=" | ">" | ">=";
  readonly threshold: number;
}

/** Rows of the table; of more thresholds those are shown that change most. */
const ROWS_MAX = 9;

/** Ascending. Between two neighbouring values any threshold does the same: one stands for them. */
export function sweepThreshold(
  { operator, threshold: now }: Comparison,
  runs: readonly SweptRun[],
): Threshold[] {
  const values = runs.flatMap(({ extreme }) => (extreme === null ? [] : [extreme]));
  const finite = [...new Set(values.filter(Number.isFinite))].toSorted((a, b) => a - b);
  const between = finite.slice(1).map((value, at) => shortNumber(finite[at] ?? value, value));
  const swept = [...new Set([...between, now])].toSorted((a, b) => a - b);
  const rows = swept.map((threshold) => ({
    ...countFired({ operator, threshold }, runs),
    threshold,
  }));
  const isMarked = runs.some(({ marked }) => marked !== "unmarked");
  const worth = ({ good, bad }: { readonly good: number; readonly bad: number }): number =>
    bad - good;
  const most = Math.max(...rows.map(worth));
  const all = rows.map((row) => {
    return { ...row, current: row.threshold === now, best: isMarked && worth(row) === most };
  });
  return thinned(all);
}

function countFired(
  { operator, threshold }: Comparison,
  runs: readonly SweptRun[],
): Pick<Threshold, "good" | "bad" | "unmarked"> {
  const fired = runs.filter(
    ({ extreme }) => extreme !== null && holds(extreme, operator, threshold),
  );
  const count = (group: SweptRun["marked"]): number =>
    fired.filter(({ marked }) => marked === group).length;
  return { good: count("good"), bad: count("bad"), unmarked: count("unmarked") };
}

function holds(value: number, operator: Comparison["operator"], threshold: number): boolean {
  switch (operator) {
    case "<":
      return value < threshold;
    case "<=":
      return value <= threshold;
    case ">":
      return value > threshold;
    case ">=":
      return value >= threshold;
  }
}

/** The number with the fewest digits that lies between two others. */
export function shortNumber(low: number, high: number): number {
  const middle = low + (high - low) / 2;
  for (let digits = 1; digits <= 17; digits++) {
    const number = Number(middle.toPrecision(digits));
    if (low < number && number < high) return number;
  }
  return middle;
}

/** The current one and the first best one stay; of the others some, evenly. */
function thinned(rows: readonly Threshold[]): Threshold[] {
  if (rows.length <= ROWS_MAX) return [...rows];
  const best = rows.findIndex((row) => row.best);
  const kept = new Set([rows.findIndex(({ current }) => current), ...(best < 0 ? [] : [best])]);
  const others = ROWS_MAX - kept.size;
  for (let at = 0; at < others; at++) kept.add(Math.round((at * (rows.length - 1)) / (others - 1)));
  return rows.filter((_, at) => kept.has(at));
}

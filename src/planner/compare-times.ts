/**
 * @file How much longer code takes here than where it was recorded: from the prefix and the iterations that a replay
 * has executed again. Pure.
 */
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";

/** What was executed in both. */
export interface ExecutedTimes {
  readonly recorded_ms: number;
  readonly executed_ms: number;
}

/** What took less says more of clocks than of machines. */
const PREFIX_MS_MIN = 20;
/** Iterations that are the first of a process: code is compiled in them. */
const WARM_UP = 3;

/** Undefined: nothing was executed in both that can be compared. */
export function compareTimes(recorded: RunFacts, executed: RunFacts): ExecutedTimes | undefined {
  const known = new Map([...allEntries(recorded.entries)].map((entry) => [entry.key, entry]));
  let [recordedMs, executedMs] = [0, 0];
  for (const entry of allEntries(executed.entries)) {
    const before = known.get(entry.key);
    if (!before) continue;
    const both = iterationsOfBoth(before, entry);
    // By the median: one that was interrupted says nothing of the machine, and what is asked stands in some.
    const ratios = both.map(([then, now]) => now / then).toSorted((a, b) => a - b);
    const ratio = ratios[(ratios.length - 1) >> 1];
    const sum = both.reduce((total, [then]) => total + then, 0);
    recordedMs += sum;
    executedMs += sum * (ratio ?? 0);
  }
  const [then, now] = [recorded.times.prefix, executed.times.prefix];
  if (then >= PREFIX_MS_MIN && now > 0) {
    recordedMs += then;
    executedMs += now;
  }
  return recordedMs > 0 ? { recorded_ms: recordedMs, executed_ms: executedMs } : undefined;
}

/** Milliseconds of each iteration without loops in it, there and here. */
function iterationsOfBoth(before: LoopEntry, entry: LoopEntry): [then: number, now: number][] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < entry.iterations; index++) {
    if (before.children.has(index) || entry.children.has(index)) continue;
    const [then, now] = [ownMs(before, index), ownMs(entry, index)];
    if (then > 0 && now > 0) pairs.push([then, now]);
  }
  return pairs.length > 2 * WARM_UP ? pairs.slice(WARM_UP) : pairs;
}

function ownMs({ times }: LoopEntry, index: number): number {
  return (times.next[index] ?? NaN) + (times.head[index] ?? NaN);
}

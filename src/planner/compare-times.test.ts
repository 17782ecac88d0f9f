import { expect, test } from "vitest";
import { compareTimes } from "./compare-times.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";

function entry(key: string, ms: readonly number[], children = new Map()): LoopEntry {
  const none = ms.map(() => 0);
  const times = { next: none, head: ms, inner: none, tail: none };
  return { key, loop: key, iterations: ms.length, children, times } as unknown as LoopEntry;
}

function run(prefix: number, ...entries: LoopEntry[]): RunFacts {
  return { entries, times: { prefix } } as unknown as RunFacts;
}

/** Not executed here: NaN, as where an iteration was skipped or restored. */
const SKIPPED = NaN;

test.each<[string, RunFacts, RunFacts, ReturnType<typeof compareTimes>]>([
  ["nothing in both", run(5), run(9), undefined],
  ["the prefix", run(100), run(250), { recorded_ms: 100, executed_ms: 250 }],
  [
    "iterations that were executed again, by their median",
    run(5, entry("step", [10, 10, 10, 10])),
    run(5, entry("step", [SKIPPED, 30, 900, 31])),
    { recorded_ms: 30, executed_ms: 30 * 3.1 },
  ],
  [
    "the first of a process are warm-up",
    run(
      0,
      entry(
        "step",
        Array.from({ length: 9 }, () => 10),
      ),
    ),
    run(0, entry("step", [90, 80, 70, 20, 20, 20, 20, 20, 20])),
    { recorded_ms: 60, executed_ms: 120 },
  ],
  [
    "no iteration with loops in it: those are restored, or asked",
    run(0, entry("epoch", [9, 9], new Map([[0, [entry("step", [10, 10])]]]))),
    run(0, entry("epoch", [7, 18], new Map([[0, [entry("other", [10, 99])]]]))),
    { recorded_ms: 9, executed_ms: 18 },
  ],
])("%s", (_, recorded, executed, expected) => {
  expect(compareTimes(recorded, executed)).toEqual(expected);
});

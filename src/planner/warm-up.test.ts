import { describe, expect, test } from "vitest";
import type { LoopEntry } from "./facts.ts";
import { excessOf, steadyMs, warmUpOf } from "./warm-up.ts";

const entry = (iterations: number): LoopEntry => ({ iterations }) as unknown as LoopEntry;

function warmUp(
  ...times: readonly (readonly number[])[]
): [ReturnType<typeof warmUpOf>, LoopEntry] {
  const entries = times.map((list) => entry(list.length));
  const found = warmUpOf(entries, (known) => times[entries.indexOf(known)] ?? []);
  return [found, entries[0] ?? entry(0)];
}

describe("warm-up", () => {
  test("the excess of the first iterations is paid by the first that a process executes", () => {
    const [found, first] = warmUp([300, 20, 2, 2, 2, 2, 2, 2, 2, 2], [2, 2, 50, 2, 2, 2]);
    expect(found).toMatchObject({
      usualMs: 2,
      excessMs: [0, 298, 316, 316, 316, 316, 316, 316, 316],
    });
    expect(steadyMs(found, first, 0, 300)).toBe(2);
    // A slow one later on is slow for another reason.
    expect(steadyMs(found, entry(6), 2, 50)).toBe(50);
    expect([excessOf(found, 0, 1), excessOf(found, 1, 100), excessOf(found, 5, 5)]).toEqual([
      298, 18, 0,
    ]);
  });

  test("executing everything costs what was measured", () => {
    const times = [9, 1, 3, 2, 2, 4, 2, 1, 2, 7];
    const [found, first] = warmUp(times);
    const steady = times.map((ms, index) => steadyMs(found, first, index, ms));
    const total = (list: readonly number[]): number => list.reduce((sum, ms) => sum + ms, 0);
    expect(total(steady) + excessOf(found, 0, times.length)).toBe(total(times));
  });

  test("of one iteration nobody can tell whether it is usual", () => {
    const [found, first] = warmUp([], [300]);
    expect(steadyMs(found, first, 0, 300)).toBe(300);
    expect(excessOf(found, 0, 1)).toBe(0);
    expect(warmUpOf([], () => [])).toBeUndefined();
  });
});

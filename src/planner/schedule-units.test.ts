import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makespan, scheduleUnits } from "./schedule-units.ts";

describe("makespan", () => {
  test.each<[number[], number, number]>([
    [[], 2, 0],
    [[3, 1, 2], 1, 6],
    [[3, 1, 2], 2, 3],
    [[3, 1, 2], 9, 3],
    [[2, 2, 2], 2, 4],
    // The longest first would take 7.
    [[3, 3, 2, 2, 2], 2, 6],
    [[3, 2, 1, 3, 2, 1], 2, 6],
  ])("%j by %d workers: %d", (seconds, workers, expected) => {
    expect(makespan(seconds, workers)).toBe(expected);
  });
});

test("each begins once, when it is said to, and no order needs less than the work and the longest", () => {
  const seconds = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 12 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 5 }), (all, workers) => {
      const { seconds: end, order } = scheduleUnits(all, workers);
      expect(order.toSorted((a, b) => a - b)).toEqual(all.map((_, at) => at));
      const busy = Array.from({ length: workers }, () => 0);
      for (const at of order) {
        const free = busy.indexOf(Math.min(...busy));
        busy[free] = (busy[free] ?? 0) + (all[at] ?? 0);
      }
      expect(Math.max(...busy)).toBe(end);
      const work = all.reduce((sum, one) => sum + one, 0);
      expect(end).toBeGreaterThanOrEqual(Math.max(work / workers, 0, ...all));
      expect(end).toBeLessThanOrEqual(work / workers + Math.max(0, ...all));
    }),
  );
});

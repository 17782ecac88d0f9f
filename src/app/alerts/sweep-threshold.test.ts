import fc from "fast-check";
import { expect, test } from "vitest";
import type { SweptRun } from "./sweep-threshold.ts";
import { shortNumber, sweepThreshold } from "./sweep-threshold.ts";

const run: fc.Arbitrary<SweptRun> = fc.record({
  marked: fc.constantFrom("good", "bad", "unmarked"),
  extreme: fc.oneof(
    fc.constantFrom(0.1, 0.25, 0.3, 7),
    fc.double({ min: -10, max: 10, noNaN: true }),
    fc.constantFrom(null, Infinity),
  ),
});
const operator = fc.constantFrom("<" as const, "<=" as const, ">" as const, ">=" as const);

test("counts what would fire, has the number as it is, and none is better than the best", () => {
  fc.assert(
    fc.property(fc.array(run), operator, fc.constantFrom(0.25, 1), (runs, op, now) => {
      const rows = sweepThreshold({ operator: op, threshold: now }, runs);
      expect(rows.length).toBeLessThanOrEqual(9);
      expect(rows.filter(({ current }) => current)).toHaveLength(1);
      const isMarked = runs.some(({ marked }) => marked !== "unmarked");
      expect(rows.some(({ best }) => best)).toBe(isMarked);
      for (const { threshold, best, good, bad } of rows) {
        const fired = runs.filter(({ extreme: value }) => {
          if (value === null) return false;
          if (op === "<") return value < threshold;
          if (op === "<=") return value <= threshold;
          return op === ">" ? value > threshold : value >= threshold;
        });
        expect(bad).toBe(fired.filter(({ marked }) => marked === "bad").length);
        expect(good).toBe(fired.filter(({ marked }) => marked === "good").length);
        if (best)
          for (const row of rows) expect(bad - good).toBeGreaterThanOrEqual(row.bad - row.good);
      }
    }),
  );
});

test.each([
  [0.19375, 0.4136, 0.3],
  [0.5, 0.51, 0.505],
  [-3, 4, 0.5],
  [1, 2, 1.5],
])("between %d and %d lies %d", (low, high, number) => {
  expect(shortNumber(low, high)).toBe(number);
});

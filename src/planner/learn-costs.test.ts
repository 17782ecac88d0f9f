import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secondsInterval, learnCosts, pastErrors } from "./learn-costs.ts";
import type { PastReplay, PastUnit } from "./learn-costs.ts";

const unit = (run: string, times: Partial<PastUnit["times"]> = {}, tree_s = 0.2): PastUnit => {
  return { run, tree_s, times: { start_ms: 500, load_ms: 0, load_bytes: 0, ...times } };
};
const replay = (units: readonly PastUnit[], actual_s = 2): PastReplay => {
  return { predicted_s: 1, actual_s, units };
};
const A = "a-20261115-093000-x7q2";
const B = "my-b-20261115-093000-x7q2";

describe("learnCosts", () => {
  test("without earlier replays everything is supposed", () => {
    expect(learnCosts([])).toMatchObject({
      startS: {},
      loadBytesPerS: null,
      hostFactors: {},
      past: [],
    });
  });

  test("start by program, loads from large states only, trees, errors", () => {
    const big = { load_bytes: 100e6, load_ms: 50 };
    const small = { load_bytes: 1000, load_ms: 30 };
    const units = [
      unit(A, { start_ms: 300, ...big }),
      unit(A, { start_ms: 500, ...small }),
      unit(B),
    ];
    expect(learnCosts([replay(units), replay([], 0.5)])).toEqual({
      startS: { a: 0.4, "my-b": 0.5 },
      loadBytesPerS: 2e9,
      hostFactors: {},
      treeS: 0.2,
      past: [
        { seconds: 1, ratio: 2 },
        { seconds: 1, ratio: 0.5 },
      ],
    });
  });
});

describe("interval", () => {
  const plans = (seconds: number, ratios: readonly number[]) =>
    ratios.map((ratio) => ({ seconds, ratio }));

  test.each<[string, number, ReturnType<typeof plans>, number, number]>([
    ["nothing is known", 4, [], 1.85, 8.15],
    ["one plan took three times as long", 4, plans(2, [3]), 1.85, 12.15],
    ["five plans were near", 20, plans(15, [0.99, 1, 1, 1.01, 1.02]), 17.85, 22.59],
    ["short plans say nothing of long ones", 20, plans(1, [1, 1, 1, 1, 1]), 9.85, 40.15],
  ])("%s", (_, seconds, past, low, high) => {
    const found = secondsInterval(seconds, past);
    expect(found.low).toBeCloseTo(low, 2);
    expect(found.high).toBeCloseTo(high, 2);
  });

  test("it holds what is predicted, and nine in ten of the plans that it was learned from", () => {
    const ratio = fc.double({ min: 0.3, max: 3, noNaN: true });
    fc.assert(
      fc.property(fc.array(ratio, { minLength: 5, maxLength: 60 }), (ratios) => {
        const { low, high } = secondsInterval(5, plans(5, ratios));
        expect(low).toBeLessThanOrEqual(5);
        expect(high).toBeGreaterThanOrEqual(5);
        const inside = ratios.filter((r) => 5 * r >= low && 5 * r <= high).length;
        expect(inside).toBeGreaterThanOrEqual(0.9 * ratios.length - 1);
      }),
    );
  });

  test("errors are told as a share", () => {
    expect(pastErrors([])).toBeNull();
    expect(pastErrors(plans(1, [0.9, 1, 1.3]))?.median_error).toBeCloseTo(0.1);
  });
});

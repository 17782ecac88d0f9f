/** CheckFreq's interval: its example, its two bounds, and how it follows what is measured. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkpointInterval, StepFrequency } from "./frequency.ts";

describe("the interval", () => {
  test.each<[string, Parameters<typeof checkpointInterval>[0], number, number]>([
    ["the paper's example", { iterationMs: 1, blockedMs: 1, persistMs: 0 }, 0.05, 20],
    ["a persist that takes longer", { iterationMs: 1, blockedMs: 1, persistMs: 50 }, 0.05, 50],
    ["a checkpoint that costs nothing", { iterationMs: 9, blockedMs: 0, persistMs: 1 }, 0.05, 1],
    ["no budget", { iterationMs: 1, blockedMs: 1, persistMs: 0 }, 0, Infinity],
    ["no limit", { iterationMs: 1, blockedMs: 100, persistMs: 900 }, Infinity, 1],
  ])("%s", (_, times, share, interval) => {
    expect(checkpointInterval(times, share)).toBe(interval);
  });

  test("never blocks more than its share, and never two persists at once", () => {
    const ms = fc.double({ min: 0.01, max: 1000, noNaN: true });
    const share = fc.double({ min: 0.001, max: 1, noNaN: true });
    fc.assert(
      fc.property(ms, ms, ms, share, (iterationMs, blockedMs, persistMs, p) => {
        const k = checkpointInterval({ iterationMs, blockedMs, persistMs }, p);
        expect(blockedMs / (k * iterationMs)).toBeLessThanOrEqual(p * (1 + 1e-9));
        expect(k * iterationMs).toBeGreaterThanOrEqual(persistMs * (1 - 1e-9));
      }),
    );
  });
});

describe("the frequency", () => {
  const times = (count: number, act: () => void): void =>
    Array.from({ length: count }).forEach(act);

  test.each<[string, number | undefined, number]>([
    ["1 % of the loop", 1000, 10],
    ["50 iterations of a long one", 100_000, 50],
    ["50 iterations where nobody knows", undefined, 50],
    ["one of a short one", 30, 1],
  ])("is found out in %s", (_, length, iterations) => {
    const frequency = new StepFrequency(0.05, length);
    times(iterations - 1, () => frequency.iteration(10));
    expect(frequency.interval(1)).toBeUndefined();
    frequency.iteration(10);
    expect(frequency.interval(1)).toBeDefined();
  });

  test("is what algorithm 1 says, however long the loop", () => {
    for (const length of [1280, 10_000, 1_000_000]) {
      const frequency = new StepFrequency(0.035, length);
      times(50, () => frequency.iteration(700));
      expect(frequency.interval(5)).toBe(1);
      expect(frequency.interval(49)).toBe(2);
      // What the persist takes the processor is paid of the same budget.
      expect(frequency.interval(49, (blockedMs) => blockedMs + 49)).toBe(4);
    }
  });

  test("is never so high that a file would save a moment", () => {
    const frequency = new StepFrequency(0.05, undefined);
    times(50, () => frequency.iteration(1));
    expect(frequency.interval(0.01)).toBe(250);
  });

  test("grows when the disk is slow, and falls again", () => {
    const frequency = new StepFrequency(0.035, undefined);
    times(50, () => frequency.iteration(100));
    expect(frequency.interval(70)).toBe(20);
    times(20, () => frequency.checkpoint(700));
    expect(frequency.interval(70)).toBeGreaterThan(190);
    times(30, () => frequency.checkpoint(70));
    expect(frequency.interval(70)).toBeLessThan(25);
    times(20, () => frequency.persist(10_000));
    expect(frequency.interval(70)).toBeGreaterThan(90);
    times(40, () => frequency.persist(100));
    expect(frequency.interval(70)).toBeLessThan(25);
  });
});

describe("a run that goes on", () => {
  const before = { iterationMs: 100, blockedMs: 50, persistMs: 10 };

  test("takes up its interval at once; one that is new watches first", () => {
    const fresh = new StepFrequency(0.05, 1000);
    const known = new StepFrequency(0.05, 1000, before);
    expect(fresh.interval(50)).toBeUndefined();
    expect(known.interval(999)).toBe(10);
    expect(known.times(999)).toEqual(before);
  });

  test("and follows what it measures from there", () => {
    const known = new StepFrequency(0.05, undefined, before);
    for (let n = 0; n < 2000; n++) known.iteration(10);
    expect(known.times(0).iterationMs).toBeLessThan(20);
    expect(known.interval(0)).toBeGreaterThan(50);
  });
});

/**
 * CheckFreq Table 6.5: another job writes to the same disk for a while. A clock that is only
 * counted: steps of 100 ms, 20 ms for a snapshot, and one persist at a time, which is waited for.
 */
describe("a competing writer", () => {
  const STEP_MS = 100;
  const SNAPSHOT_MS = 20;
  const BUDGET = 0.035;
  const QUIET_MS = 400;
  const COMPETING_MS = 820;

  interface Phase {
    readonly share: number;
    /** Steps between two checkpoints, each time. */
    readonly intervals: readonly number[];
  }

  /** Trains for so many steps in each phase; `interval` says when the next checkpoint is due. */
  function train(
    phases: readonly { readonly steps: number; readonly persistMs: number }[],
    frequency: StepFrequency,
    interval: () => number | undefined,
  ): Phase[] {
    let nowMs = 0;
    let persist: { readonly endMs: number; readonly ms: number } | undefined;
    let since = 0;
    return phases.map(({ steps, persistMs }) => {
      let blockedMs = 0;
      const intervals: number[] = [];
      for (let step = 0; step < steps; step++) {
        nowMs += STEP_MS;
        frequency.iteration(STEP_MS);
        since++;
        if (persist && persist.endMs <= nowMs) {
          frequency.persist(persist.ms);
          persist = undefined;
        }
        if (since < (interval() ?? Infinity)) continue;
        const waitMs = persist ? persist.endMs - nowMs : 0;
        if (persist) frequency.persist(persist.ms);
        nowMs += waitMs + SNAPSHOT_MS;
        blockedMs += waitMs + SNAPSHOT_MS;
        frequency.checkpoint(waitMs + SNAPSHOT_MS);
        persist = { endMs: nowMs + persistMs, ms: persistMs };
        intervals.push(since);
        since = 0;
      }
      return { share: blockedMs / (steps * STEP_MS), intervals };
    });
  }

  const phases = [
    { steps: 2000, persistMs: QUIET_MS },
    { steps: 2000, persistMs: COMPETING_MS },
    { steps: 2000, persistMs: QUIET_MS },
  ];
  const adaptive = new StepFrequency(BUDGET, undefined);
  const [before, during, after] = train(phases, adaptive, () => adaptive.interval(SNAPSHOT_MS));

  test("a static interval exceeds the budget ten times", () => {
    const chosen = before?.intervals.at(-1);
    expect(chosen).toBe(6);
    const [, static_] = train(phases, new StepFrequency(BUDGET, undefined), () => chosen);
    expect(static_?.share).toBeGreaterThan(0.3);
  });

  test("one that is tuned stays within it: fewer checkpoints, and as many again afterwards", () => {
    expect(during?.share).toBeLessThanOrEqual(BUDGET);
    expect(Math.min(...(during?.intervals.slice(-50) ?? []))).toBeGreaterThan(
      COMPETING_MS / STEP_MS,
    );
    expect(after?.share).toBeLessThanOrEqual(BUDGET);
    expect(after?.intervals.at(-1)).toBe(6);
    expect(after?.intervals.length).toBeGreaterThan(0.9 * (before?.intervals.length ?? Infinity));
  });
});

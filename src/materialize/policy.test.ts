import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BlockTimings } from "./joint-invariant.ts";
import { JOINT_INVARIANT_DEFAULTS, shouldCheckpoint } from "./joint-invariant.ts";
import { Ledger } from "./ledger.ts";

type Times = Pick<BlockTimings, "computeMs" | "materializeMs">;

/** Executions, counted from 1, at which a block of constant times is checkpointed. */
function simulate(
  { computeMs, materializeMs }: Times,
  count: number,
  overheadMax: number,
): number[] {
  const taken: number[] = [];
  for (let executions = 1; executions <= count; executions++) {
    const block = { computeMs, materializeMs, executions, checkpoints: taken.length };
    if (shouldCheckpoint(block, { ...JOINT_INVARIANT_DEFAULTS, overheadMax }))
      taken.push(executions);
  }
  return taken;
}

describe("the joint invariant", () => {
  test.each<[string, Times, number[]]>([
    ["cheap", { computeMs: 100, materializeMs: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ["a fifth of the block", { computeMs: 100, materializeMs: 20 }, [3, 6, 9, 12]],
    ["as long as the block", { computeMs: 100, materializeMs: 100 }, []],
  ])("%s", (_, times, expected) => {
    expect(simulate(times, 12, 0.0667)).toEqual(expected.filter((at) => at <= 12));
  });

  test("what restoring was measured to take decides where the budget would pay", () => {
    const block = { computeMs: 100, materializeMs: 5, executions: 1, checkpoints: 0 };
    const options = { overheadMax: 0.0667, restoreFactor: 1 };
    expect(shouldCheckpoint(block, options)).toBe(true);
    expect(shouldCheckpoint(block, { ...options, restoreFactor: 30 })).toBe(false);
    expect(shouldCheckpoint({ ...block, executions: 2 }, { ...options, restoreFactor: 30 })).toBe(
      true,
    );
    // The bound of equation 3, for any c: materializing and restoring take less than computing.
    const times = fc.record({
      computeMs: fc.double({ min: 1, max: 1e4, noNaN: true }),
      materializeMs: fc.double({ min: 0.01, max: 1e3, noNaN: true }),
      restoreFactor: fc.double({ min: 0, max: 1e3, noNaN: true }),
    });
    fc.assert(
      fc.property(times, ({ computeMs, materializeMs, restoreFactor }) => {
        let checkpoints = 0;
        for (let executions = 1; executions <= 100; executions++) {
          const now = { computeMs, materializeMs, executions, checkpoints };
          if (shouldCheckpoint(now, { overheadMax: 10, restoreFactor })) checkpoints++;
        }
        const spent = checkpoints * materializeMs * (1 + restoreFactor);
        expect(spent).toBeLessThanOrEqual(100 * computeMs);
      }),
    );
  });

  test("overhead never exceeds the bound, and no slot of the budget is left unused", () => {
    const times = fc.record({
      computeMs: fc.double({ min: 0.1, max: 1e4, noNaN: true }),
      materializeMs: fc.double({ min: 0.01, max: 1e4, noNaN: true }),
    });
    fc.assert(
      fc.property(times, fc.double({ min: 0.001, max: 0.3, noNaN: true }), (block, budget) => {
        const count = 200;
        const taken = simulate(block, count, budget).length;
        const allowed = (count * budget * block.computeMs) / block.materializeMs;
        expect(taken).toBeLessThanOrEqual(Math.min(count, allowed));
        expect(taken).toBeGreaterThanOrEqual(Math.min(count, Math.floor(allowed - 1e-6)) - 1);
      }),
    );
  });
});

/** Runs epochs of constant cost through the ledger; answers what it booked and how often. */
function record(run: {
  readonly epochs: number;
  readonly epochMs: number;
  readonly snapshotMs: number;
  readonly slowdownMs?: number;
  readonly budget: number;
}): { share: number; taken: number } {
  const ledger = new Ledger({ overheadMax: run.budget, restoreFactor: 1.38 });
  let elapsedMs = 0;
  let taken = 0;
  let trainingMs = 0;
  let disturbed = false;
  for (let epoch = 0; epoch < run.epochs; epoch++) {
    const computeMs = run.epochMs + (disturbed ? (run.slowdownMs ?? 0) : 0);
    elapsedMs += computeMs;
    trainingMs += run.epochMs;
    ledger.observe("epoch", computeMs, disturbed ? computeMs : 0);
    const block = { computeMs: run.epochMs, executions: epoch + 1, checkpoints: taken };
    const facts = {
      ...block,
      stateBytes: run.snapshotMs * 1e6,
      copyBytesPerMs: 1e6,
      walkMs: 0,
      leftMs: () => ledger.leftMs(elapsedMs),
    };
    disturbed = ledger.allows(facts);
    if (!disturbed) continue;
    taken++;
    elapsedMs += run.snapshotMs;
    ledger.charge({ captureMs: 0, snapshotMs: run.snapshotMs, waitMs: 0 });
  }
  return { share: (elapsedMs - trainingMs) / trainingMs, taken };
}

describe("the ledger", () => {
  test.each([
    ["small state", { epochs: 100, epochMs: 1000, snapshotMs: 1, budget: 0.02 }, 85, 100],
    [
      "large state, short epochs",
      { epochs: 100, epochMs: 100, snapshotMs: 200, budget: 0.0667 },
      1,
      4,
    ],
    ["no budget", { epochs: 100, epochMs: 100, snapshotMs: 1, budget: 0 }, 0, 0],
  ])("%s", (_, run, least, most) => {
    const { taken, share } = record(run);
    expect(taken).toBeGreaterThanOrEqual(least);
    expect(taken).toBeLessThanOrEqual(most);
    expect(share).toBeLessThanOrEqual(run.budget + 1e-9);
  });

  test("stays in the budget whatever the times, a slowdown by the persist included", () => {
    const run = fc.record({
      epochs: fc.integer({ min: 20, max: 300 }),
      epochMs: fc.double({ min: 10, max: 5000, noNaN: true }),
      snapshotMs: fc.double({ min: 0.1, max: 500, noNaN: true }),
      slowdownMs: fc.double({ min: 0, max: 2, noNaN: true }),
      budget: fc.constantFrom(0.02, 0.0667, 0.2),
    });
    fc.assert(
      fc.property(run, (given) => {
        // Until five undisturbed epochs have been seen, no more than as many and two are disturbed.
        const slack = (given.slowdownMs * 8) / (given.epochs * given.epochMs) + 1e-9;
        expect(record(given).share).toBeLessThanOrEqual(given.budget + slack);
      }),
    );
  });

  test("what others take of the processor is no slowdown by a persist beside it", () => {
    const ledger = new Ledger({ overheadMax: 0.1, restoreFactor: 1.38 });
    for (let i = 0; i < 8; i++) ledger.observe("epoch", 20, 0);
    ledger.observe("epoch", 300, 40);
    expect(ledger.slowdownMs).toBe(40);
  });

  test("a short loop in the beginning does not stand in the way of the next one", () => {
    const ledger = new Ledger({ overheadMax: 0.1, restoreFactor: 1.38 });
    const block = {
      computeMs: 200,
      executions: 9,
      checkpoints: 0,
      leftMs: () => ledger.leftMs(500),
    };
    const state = { stateBytes: 1e6, copyBytesPerMs: 1e6, walkMs: 0 };
    for (let i = 0; i < 5; i++) ledger.observe("warm-up", 20, 20);
    expect(ledger.allows({ ...block, ...state })).toBe(false);
    ledger.settle();
    expect(ledger.allows({ ...block, ...state })).toBe(true);
  });

  test("without a budget everything is taken, from the first moment on", () => {
    const ledger = new Ledger({ overheadMax: Infinity, restoreFactor: 1.38 });
    const block = { computeMs: 0, executions: 1, checkpoints: 0 };
    expect(
      ledger.allows({ ...block, stateBytes: 1e9, copyBytesPerMs: 1, walkMs: 1, leftMs: () => 0 }),
    ).toBe(true);
    ledger.charge({ captureMs: 5, snapshotMs: 5, waitMs: 5 });
    expect(ledger.leftMs(0)).toBe(Infinity);
  });

  test("all that it takes the processor counts, and no wait", () => {
    const ledger = new Ledger({ overheadMax: 0.1, restoreFactor: 1.38 });
    ledger.charge({ captureMs: 1, snapshotMs: 2, waitMs: 100 });
    Object.assign(ledger, { exactLogMs: 4, otherMs: 8, boundaryMs: 16 });
    Object.assign(ledger, { outermostMs: 32, besideMs: 64 });
    expect(ledger.processorMs).toBe(127);
    // Of 10 s, 9.837 are the training's: a tenth of it, less what it did and waited for.
    expect(ledger.leftMs(10_000)).toBeCloseTo(983.7 - 131 - 32);
    // Three threads of the program computed: what is done beside it is a share of that, but what it waits for is none.
    ledger.besideMs = 1200;
    for (const [processorMs, leftMs] of [
      [0, -279.3],
      [15_263, 137],
      [31_263, 820.7],
    ] as const)
      expect(ledger.leftMs(10_000, processorMs)).toBeCloseTo(leftMs);
    ledger.besideMs = 64;
    // By the clock it took twice as long as it would have alone.
    ledger.runningShare = 0.5;
    expect(ledger.processorMs).toBe(31 / 2 + 32 + 64);
  });

  test.each([
    [false, 0, false],
    [true, 0, true],
    [true, -39, true],
    [true, -41, false],
  ])("an iteration that is to come pays for its end: %s, %d ms left", (isComing, left, allowed) => {
    const ledger = new Ledger({ overheadMax: 0.1, restoreFactor: 1.38 });
    ledger.charge({ captureMs: 0, snapshotMs: 10, waitMs: 0 });
    const block = { computeMs: 1000, executions: 2, checkpoints: 1, leftMs: () => left, isComing };
    const state = { stateBytes: 1000, copyBytesPerMs: 1e6, walkMs: 0.1 };
    expect(ledger.allows({ ...block, ...state })).toBe(allowed);
  });

  test("one interrupted call does not make logging dear", () => {
    const ledger = new Ledger(JOINT_INVARIANT_DEFAULTS);
    for (let i = 0; i < 100; i++) ledger.sampleLog(i === 50 ? 300 : 0.001);
    ledger.logCalls = 6400;
    expect(ledger.logMs).toBeCloseTo(6.4);
  });

  test("what was spent before a loop is paid while it goes on", () => {
    const ledger = new Ledger({ overheadMax: 0.1, restoreFactor: 1.38 });
    ledger.otherMs = 100;
    ledger.enterOutermost();
    // A loop that does not tell how long it is pays at once.
    expect(ledger.leftMs(600)).toBeCloseTo(50 - 100);
    for (const [share, paid] of [
      [0, 0],
      [0.05, 5],
      [0.5, 50],
      [1, 100],
      [1.2, 100],
    ] as const) {
      ledger.progress = share;
      expect(ledger.leftMs(600)).toBeCloseTo(50 - paid);
    }
    // What is spent in the loop is paid at once.
    ledger.progress = 0;
    ledger.otherMs += 30;
    expect(ledger.leftMs(630)).toBeCloseTo(50 - 30);
  });

  test("a checkpoint that was interrupted does not stand for the next", () => {
    const ledger = new Ledger({ overheadMax: 0.1, restoreFactor: 1.38 });
    for (const captureMs of [2, 3, 90]) ledger.charge({ captureMs, snapshotMs: 0, waitMs: 0 });
    const state = { stateBytes: 0, copyBytesPerMs: 1, walkMs: 0 };
    expect(ledger.expectedMs(state)).toBe(3);
    // By the clock; the budget is of the processor's time.
    const block = { computeMs: 1000, executions: 1, checkpoints: 0, ...state, leftMs: () => 2 };
    expect(ledger.allows(block)).toBe(false);
    ledger.runningShare = 0.5;
    expect(ledger.allows(block)).toBe(true);
    // Materializing and restoring take 2.38 times as long.
    expect(ledger.isWorthRestoring(7.1, state)).toBe(false);
    expect(ledger.isWorthRestoring(7.2, state)).toBe(true);
  });
});

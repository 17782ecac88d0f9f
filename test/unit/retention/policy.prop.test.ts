/** Whatever the policy: what is kept can be restored, and what must stay stays. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeepPolicy } from "../../../src/format/index.ts";
import { formatPath, parsePath } from "../../../src/format/index.ts";
import type { RetainedCheckpoint } from "../../../src/store/index.ts";
import { chooseRemoved } from "../../../src/store/index.ts";
import { checkpointsOf, policies, shapes } from "./shapes.ts";

function keptOf(
  checkpoints: readonly RetainedCheckpoint[],
  policy: KeepPolicy,
  newest: number,
): RetainedCheckpoint[] {
  const peak = parsePath("epoch=1,step=1")!;
  const removed = new Set(chooseRemoved({ checkpoints, policy, newest, peak }));
  return checkpoints.filter((checkpoint) => !removed.has(checkpoint));
}

describe("chooseRemoved", () => {
  test("keeps what kept checkpoints hold and need, the newest two, and outermost ends", () => {
    fc.assert(
      fc.property(shapes, policies, (shape, policy) => {
        const checkpoints = checkpointsOf(shape);
        const kept = keptOf(checkpoints, policy, 2);
        const files = new Set(kept.map(({ file }) => file));
        const paths = new Set(kept.map(({ path }) => formatPath(path)));
        const held = new Set(kept.flatMap(({ holds }) => holds));
        for (const { file, holds, needs } of kept) {
          for (const other of holds) expect(files).toContain(other);
          // What is there only for its bytes need not be reached.
          if (!held.has(file)) for (const path of needs) expect(paths).toContain(path);
        }
        const ends = checkpoints.filter(({ kind }) => kind === "iteration");
        for (const one of [...checkpoints.slice(-2), ...ends.slice(-2)])
          expect(kept).toContain(one);
        for (const one of checkpoints) {
          if (one.path.length === 1 && one.kind === "loop") expect(kept).toContain(one);
        }
      }),
    );
  });

  test("a byte budget is respected if anything more could go", () => {
    const budgets = fc.integer({ min: 0, max: 1e7 });
    fc.assert(
      fc.property(shapes, budgets, fc.constantFrom("all", "steps"), (shape, bytes, of) => {
        const checkpoints = checkpointsOf(shape);
        const kept = keptOf(checkpoints, { kind: "bytes", bytes, of }, 2);
        const held = new Set(kept.flatMap(({ holds }) => holds));
        const forOthers = new Set(checkpoints.flatMap(({ step, holds }) => (step ? [] : holds)));
        const counted = kept.filter(({ step, file }) => {
          return of === "all" || (step && !forOthers.has(file));
        });
        const total = counted.reduce((sum, one) => sum + one.bytes, 0);
        if (total <= bytes) return;
        const needed = new Set(kept.flatMap(({ needs }) => needs));
        const ends = checkpoints.filter(({ kind }) => kind === "iteration");
        const newest = [...checkpoints.slice(-2), ...ends.slice(-2)];
        const free = counted.filter((one) => {
          const isOuter = one.path.length === 1 && one.kind === "loop";
          const isUsed = held.has(one.file) || needed.has(formatPath(one.path));
          return !isUsed && !isOuter && !newest.includes(one);
        });
        expect(free).toEqual([]);
      }),
    );
  });

  test("of steps that fit into the bytes so many stay as may, and the newest", () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 2, max: 9 }), (shape, stepsMax) => {
        const checkpoints = checkpointsOf(shape);
        const policy: KeepPolicy = { kind: "bytes", bytes: 1e12, of: "steps" };
        const removed = chooseRemoved({ checkpoints, policy, newest: 2, stepsMax });
        const isGone = new Set(removed);
        const kept = checkpoints.filter((one) => !isGone.has(one));
        expect(removed.every(({ step }) => step)).toBe(true);
        for (const one of checkpoints.slice(-2)) expect(kept).toContain(one);
        const needed = new Set(kept.flatMap(({ needs }) => needs));
        const held = new Set(kept.flatMap(({ holds }) => holds));
        const ends = checkpoints.filter(({ kind }) => kind === "iteration");
        const last = [...checkpoints.slice(-2), ...ends.slice(-2)];
        const forOthers = new Set(checkpoints.flatMap(({ step, holds }) => (step ? [] : holds)));
        const counted = kept.filter(({ step, file }) => step && !forOthers.has(file));
        const free = counted.filter((one) => {
          return !needed.has(formatPath(one.path)) && !held.has(one.file) && !last.includes(one);
        });
        if (counted.length > stepsMax) expect(free).toEqual([]);
      }),
    );
  });

  test("more room keeps all that less room keeps; a multiple of n keeps less", () => {
    const sizes = fc.tuple(fc.integer({ min: 0, max: 1e7 }), fc.integer({ min: 0, max: 1e7 }));
    fc.assert(
      fc.property(shapes, sizes, fc.constantFrom("all", "steps"), (shape, [a, b], of) => {
        const checkpoints = checkpointsOf(shape);
        const kept = (bytes: number) => keptOf(checkpoints, { kind: "bytes", bytes, of }, 0);
        expect(kept(Math.max(a, b))).toEqual(expect.arrayContaining(kept(Math.min(a, b))));
        const every = (n: number) => keptOf(checkpoints, { kind: "every", n }, 0);
        expect(every(2)).toEqual(expect.arrayContaining(every(4)));
      }),
    );
  });

  test("what is kept for its bytes keeps nothing else", () => {
    // The end of each epoch has the bytes of its last step, which needs the end before.
    const checkpoints = [0, 1, 2, 3].flatMap((epoch): RetainedCheckpoint[] => {
      const step = {
        path: [
          ["epoch", epoch],
          ["step", 9],
        ],
        file: `s${epoch}`,
        step: true,
      } as const;
      const end = { path: [["epoch", epoch]], file: `e${epoch}`, step: false } as const;
      const rest = { kind: "iteration", bytes: 100, enteredMs: 0, atMs: epoch } as const;
      const needs = epoch === 0 ? [] : [`epoch=${epoch - 1}`];
      return [
        { ...step, ...rest, holds: [], needs },
        { ...end, ...rest, holds: [`s${epoch}`], needs: [] },
      ];
    });
    const kept = (policy: KeepPolicy) => keptOf(checkpoints, policy, 0).map(({ file }) => file);
    const peak = { kind: "peak", name: "x", best: "max" } as const;
    expect(kept(peak)).toEqual(["s0", "e0", "s3", "e3"]);
    expect(kept({ kind: "bytes", bytes: 450, of: "all" })).toEqual(["s1", "e1", "s2"]);
    expect(kept({ kind: "bytes", bytes: 0, of: "steps" })).toHaveLength(8);
  });

  test("only steps go when only steps count", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const checkpoints = checkpointsOf(shape);
        const kept = keptOf(checkpoints, { kind: "bytes", bytes: 0, of: "steps" }, 0);
        expect(kept).toEqual(expect.arrayContaining(checkpoints.filter(({ step }) => !step)));
      }),
    );
  });
});

/** A run of epochs without inner loops, each of these milliseconds and 100 bytes. */
function epochsOf(...times: readonly number[]): RetainedCheckpoint[] {
  let atMs = 0;
  return times.map((ms, epoch) => ({
    file: `e${epoch}`,
    path: [["epoch", epoch]],
    kind: "iteration",
    bytes: 100,
    holds: [],
    needs: [],
    step: false,
    enteredMs: 0,
    atMs: (atMs += ms),
  }));
}

describe("which goes first", () => {
  test.each<[string, readonly number[], number, readonly string[]]>([
    ["the last: what ends there is nowhere asked from", [10, 10, 10, 10], 300, ["e3"]],
    ["one after a short iteration", [10, 10, 1, 8, 10], 300, ["e4", "e2"]],
    ["one before a short iteration", [10, 8, 1, 10, 10], 300, ["e4", "e1"]],
    ["every other of many alike", [10, 10, 10, 10, 10], 200, ["e4", "e0", "e2"]],
    ["none if all fit", [10, 10], 200, []],
  ])("%s", (_, times, bytes, expected) => {
    const checkpoints = epochsOf(...times);
    const policy = { kind: "bytes", bytes, of: "all" } as const;
    const removed = chooseRemoved({ checkpoints, policy, newest: 0 });
    expect(removed.map(({ file }) => file)).toEqual(expected);
  });

  test.each<[string, string, readonly string[]]>([
    ["the iteration itself", "epoch=2", ["e2", "e5"]],
    ["a step in it: the one before", "epoch=2,step=3", ["e1", "e5"]],
    ["before the first: only the last", "epoch=0,step=3", ["e5"]],
  ])("peak and end: %s", (_, peak, expected) => {
    const checkpoints = epochsOf(1, 1, 1, 1, 1, 1);
    const policy = { kind: "peak", name: "x", best: "max" } as const;
    const removed = new Set(
      chooseRemoved({ checkpoints, policy, newest: 0, peak: parsePath(peak)! }),
    );
    expect(checkpoints.filter((one) => !removed.has(one)).map(({ file }) => file)).toEqual(
      expected,
    );
  });

  test("without a value of the name nothing goes", () => {
    const policy = { kind: "peak", name: "x", best: "max" } as const;
    expect(chooseRemoved({ checkpoints: epochsOf(1, 1, 1), policy, newest: 0 })).toEqual([]);
  });
});

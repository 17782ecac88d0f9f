import { expect, test } from "vitest";
import { RewrittenCost } from "./rewritten-cost.ts";

/** Outermost loops: what each of their iterations took, ms, and after which one loops were given up. */
const RUNS: readonly (readonly [
  what: string,
  loops: readonly (readonly [ms: readonly number[], gaveUpAt?: number])[],
  expected: number | null | undefined,
])[] = [
  ["nothing was given up", [[[9, 9, 9]]], undefined],
  ["slow until then", [[[9, 8, 2, 2, 2, 2, 2], 1]], 13],
  ["as quick as before", [[[2, 2, 2, 2, 2, 2, 2], 1]], 0],
  ["quicker than after", [[[1, 1, 2, 2, 2, 2, 2], 1]], 0],
  ["too few iterations after", [[[9, 8, 2, 2], 1]], null],
  [
    "two loops",
    [
      [[5, 1, 1, 1, 1, 1], 0],
      [[7, 2, 2, 2, 2, 2], 0],
    ],
    9,
  ],
  [
    "one of two is not known",
    [
      [[5, 1, 1, 1, 1, 1], 0],
      [[7, 2], 0],
    ],
    null,
  ],
];

test.each(RUNS)("what rewritten code cost: %s", (_, loops, expected) => {
  let now = 0;
  const cost = new RewrittenCost(() => now);
  for (const [iterations, gaveUpAt] of loops) {
    const frame = { parent: undefined, index: -1 };
    cost.entered(frame);
    for (const [index, ms] of iterations.entries()) {
      now += ms;
      frame.index = index;
      if (index === gaveUpAt) cost.gaveUp();
      if (index === gaveUpAt) cost.settled(frame);
    }
    cost.loopEnded(frame);
  }
  expect(cost.ms).toBe(expected);
});

test("what was given up in the last iteration is not known", () => {
  const cost = new RewrittenCost(() => 0);
  cost.entered({ parent: undefined });
  cost.gaveUp();
  expect(cost.ms).toBeNull();
  cost.loopEnded({ parent: undefined, index: 3 });
  expect(cost.ms).toBeNull();
});

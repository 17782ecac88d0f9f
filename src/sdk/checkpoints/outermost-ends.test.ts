/** Which ends of outermost loops are taken: every one, or what they may cost of the loop's time. */
import { expect, test } from "vitest";
import type { LoopFrame } from "../loops/loop-frame.ts";
import { OutermostEnds } from "./outermost-ends.ts";

/** Enters a loop `times` times; how many of its ends are taken. */
function taken(
  ends: OutermostEnds,
  { times, loopMs, costMs }: { times: number; loopMs: number; costMs: number },
): number {
  let count = 0;
  for (let n = 0; n < times; n++) {
    const frame = { loopKey: "i" } as LoopFrame;
    const wanted = ends.entered(frame);
    expect(ends.wants(frame)).toBe(wanted);
    ends.ended(frame, { loopMs, costMs: wanted ? costMs : 0 });
    if (wanted) count++;
  }
  return count;
}

test.each([
  ["a small loop, often", { times: 1000, loopMs: 0.01, costMs: 5 }, 1],
  ["a long one", { times: 10, loopMs: 1000, costMs: 5 }, 10],
  ["one that is worth it now and then", { times: 1000, loopMs: 1, costMs: 5 }, 13],
])("hands-free: %s", (_, loop, expected) => {
  const ends = new OutermostEnds({ share: 0.0667, handsFree: true });
  expect(taken(ends, loop)).toBe(expected);
});

test("no limit, or loops that the program names: all", () => {
  const loop = { times: 100, loopMs: 0.01, costMs: 5 };
  expect(taken(new OutermostEnds({ share: Infinity, handsFree: true }), loop)).toBe(100);
  expect(taken(new OutermostEnds({ share: 0, handsFree: false }), loop)).toBe(100);
});

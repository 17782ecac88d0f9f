import { expect, test } from "vitest";
import { batchSize } from "./iteration-batch.ts";

test.each<[string, number, number, boolean, number]>([
  ["nothing is known yet", 0, 0, true, 0],
  ["after the first iteration: a few", 1e-5, 1, true, 4],
  ["more from time to time", 1e-5, 100, true, 400],
  ["up to a quarter of a millisecond", 1e-4, 10_000, true, 2500],
  ["never very many", 1e-8, 100_000, true, 16_384],
  ["few where a package is called, or something awaited", 1e-5, 10_000, false, 64],
  ["none where two would take longer", 0.13, 1, true, 0],
  ["none of a second", 1000, 1, false, 0],
  ["a clock that stood still", 0, 10, true, 40],
])("%s", (_, ms, count, isTrivial, expected) => {
  expect(batchSize(ms, count, isTrivial)).toBe(expected);
});

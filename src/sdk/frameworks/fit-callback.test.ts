import { expect, test } from "vitest";
import { FitCallback, withoutOwn } from "./fit-callback.ts";

const nobody = { session: undefined, model: undefined };

test.each([0, -1, 1.5, Number.NaN])("a checkpoint every %d batches is refused", (every) => {
  expect(() => new FitCallback(nobody, { every })).toThrow(`every ${every} batches`);
});

test("ours are taken out of the callbacks of a training, wherever they stand", () => {
  const own = new FitCallback(nobody, { every: 7 });
  const silent = new FitCallback(nobody, {});
  const other = { onEpochEnd: () => undefined };
  expect(withoutOwn(own)).toEqual({ callbacks: [], every: 7 });
  expect(withoutOwn([other, silent, own])).toEqual({ callbacks: [other], every: 7 });
  expect(withoutOwn([silent])).toEqual({ callbacks: [], every: undefined });
  expect(withoutOwn(other)).toEqual({ callbacks: other, every: undefined });
  expect(withoutOwn(undefined)).toEqual({ callbacks: undefined, every: undefined });
});

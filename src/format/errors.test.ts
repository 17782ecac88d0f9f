import { expect, test } from "vitest";
import { AfterlogError, formatError, isAfterlogError } from "./errors.ts";
import { nearestName } from "./did-you-mean.ts";

test("an error reads as code, message, notes, help, and its stack begins with that", () => {
  const error = new AfterlogError("AL021", 'no run has logged "acc"', {
    notes: ["looked in 3 runs"],
    help: ["did you mean  accuracy"],
  });
  const text =
    'error[AL021]: no run has logged "acc"\n  looked in 3 runs\n  help: did you mean  accuracy';
  expect(formatError(error)).toBe(text);
  expect(error.stack?.startsWith(text)).toBe(true);
  expect(Object.keys(error)).toEqual([]);
  expect(isAfterlogError(error)).toBe(true);
  expect(isAfterlogError(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe(false);
});

test.each([
  ["epoch", ["epochs", "lr"], "epochs"],
  ["batch-size", ["batch_size"], "batch_size"],
  ["LR", ["lr"], "lr"],
  ["hlaf", ["half", "loss"], "half"],
  ["momentum", ["lr", "epochs"], undefined],
  ["x", [], undefined],
])("%s among %j means %s", (word, known, expected) => {
  expect(nearestName(word, known)).toBe(expected);
});

/** What runs and tags may be called, and what they are called on a screen. */
import { expect, test } from "vitest";
import { runLabels, runNameProblem, splitSharedName, tagProblem } from "./run-names.ts";

test.each(["baseline", "lr-0.1", "week_9", "v2+aug", "Größe", "2", "実験"])(
  "%s is a name",
  (name) => {
    expect([runNameProblem(name), tagProblem(name)]).toEqual([undefined, undefined]);
  },
);

test.each([
  ["", /empty/],
  ["@", /newest/],
  ["@~1", /newest/],
  ["a@epoch=3", /may hold/],
  ["a~x7q2", /may hold/],
  ["my run", /blanks/],
  ["runs/7", /path/],
  ["..", /begins/],
  ["-x", /begins/],
  ["train-20261119-104500-x7q2", /id of a run/],
  ["train-20261119", /id of a run/],
  ["deadbeef", /commit/],
  ["train.py", /program/],
  ["a\u001b[2J", /may hold/],
  ["a\u202eb", /may hold/],
  ["x".repeat(61), /longer/],
])("%j is none", (name, why) => {
  expect(runNameProblem(name)).toMatch(why);
});

test("runs of one name are told apart", () => {
  const ids = ["aaaa", "bbbb", "cccc", "dddd"].map((end) => `train-20261119-100000-${end}`);
  const names = ["base", "base", "other", "no name: two words"];
  const labels = runLabels(ids.map((id, at) => [id, names[at] ?? ""]));
  expect([...labels.values()]).toEqual(["base~aaaa", "base~bbbb", "other"]);
  expect(splitSharedName("base~bbbb")).toEqual({ name: "base", end: "bbbb" });
  expect(splitSharedName("@~1")).toBeUndefined();
});

/** Whether a replay of before answers what is asked now. */
import { expect, test } from "vitest";
import type { Manifest, PlannedStatement } from "../../format/index.ts";
import { namesOfOthers } from "./asked-statements.ts";

function statement(text: string, anchor = "epoch/0"): PlannedStatement {
  return { name: "f1", file: "train.ts", line: 3, column: 1, text, anchor, loops: ["epoch"] };
}

test.each([
  ["the same", "place", statement("log(a)"), []],
  ["another text", "place", statement("log(b)"), ["f1"]],
  ["another place", "place", statement("log(a)", "step/0"), ["f1"]],
  ["it cannot be put there", "place", undefined, ["f1"]],
  ["a source that cannot be read, the same text", "text", statement("log(a)", "step/0"), []],
  ["a source that cannot be read, another text", "text", statement("log(b)"), ["f1"]],
] as const)("%s", (_, by, now, others) => {
  const filled = { directive: { statements: [statement("log(a)")] } } as unknown as Manifest;
  expect(namesOfOthers(filled, ["f1"], { now: now ? [now] : [], by })).toEqual(others);
});

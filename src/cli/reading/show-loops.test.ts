import { expect, test } from "vitest";
import { mainLoop } from "../../app/read.ts";
import type { LoopSummary, RunDetails } from "../../catalog/index.ts";
import { leftAloneLines, loopLines } from "./show-loops.ts";

function loop(loops: readonly string[], ms: number): LoopSummary {
  const place = { file: "train.ts", line: ms, ms };
  return { loop: loops.at(-1) ?? "", loops, entries: 1, iterations: 2, exits: {}, ...place };
}

function detailsOf(loops: readonly LoopSummary[]): RunDetails {
  const nothing = {
    args: [],
    calls: [],
    metrics: [],
    checkpoints: [],
    replays: [],
    alerts: [],
    lastMs: 0,
  };
  return { run: { seconds: 1 }, loops, ...nothing };
}

const EPOCH = [loop(["i"], 9), loop(["epoch"], 800), loop(["epoch", "step"], 780)];

test("loops that were found stand with their places, shares and the main loop", () => {
  expect(loopLines(detailsOf(EPOCH), { leftAlone: [] })).toEqual([
    "  i       2 iterations  train.ts:9    0.9 % of the time",
    "  epoch   2 iterations  train.ts:800  80.0 % of the time  main loop",
    "    step  2 iterations  train.ts:780  78.0 % of the time",
  ]);
});

test("loops that the program named itself stand alone", () => {
  expect(loopLines(detailsOf(EPOCH), undefined)).toEqual([
    "  i  2 iterations",
    "  epoch  2 iterations",
    "    step  2 iterations",
  ]);
  expect(loopLines(detailsOf([]), undefined)).toEqual([]);
});

test("of very many the longest are listed, in their order", () => {
  const many = Array.from({ length: 25 }, (_, at) => loop([`i_${at}`], 25 - at));
  const lines = loopLines(detailsOf([...many, ...EPOCH]), { leftAlone: [] });
  expect(lines).toHaveLength(21);
  expect(lines[0]).toContain("i_0 ");
  expect(lines.at(-1)).toBe("  … and 8 shorter ones");
  expect(mainLoop(detailsOf([...many, ...EPOCH]))?.loop).toBe("epoch");
});

test("loops that are not recorded stand with the reason", () => {
  const left = { file: "data.ts", line: 4, column: 3, why: "it is a for…in" };
  expect(leftAloneLines({ leftAlone: [left] })).toEqual(["  data.ts:4  it is a for…in"]);
  expect(leftAloneLines({ leftAlone: Array.from({ length: 22 }, () => left) }).at(-1)).toBe(
    "  … and 2 more",
  );
  expect(leftAloneLines(undefined)).toEqual([]);
});

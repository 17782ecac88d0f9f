import { describe, expect, it } from "vitest";
import { landingOf, planFromJson, withoutTexts } from "./plan.ts";

const REST = {
  names: ["x"],
  where: null,
  after: null,
  left_out: [],
  workers: 1,
  seconds: 1,
  seconds_low: 1,
  seconds_high: 1,
  work: 1,
  past: null,
};
const STATEMENTS = [{ name: "x", file: "a.ts", line: 1, column: 1, text: "", loops: [] }];
const RUN = {
  run: "a-1",
  scan: "outer",
  ranges: [],
  seconds: 1,
  from_checkpoint: null,
  share: 0,
  notes: [],
  units: [],
};

describe("planFromJson", () => {
  it("reads a plan of before: all of its runs have one source", () => {
    const overlays = [{ file: "a.ts", text: "text" }];
    const before = { v: 1, ...REST, statements: STATEMENTS, runs: [RUN], overlays };
    const plan = planFromJson(JSON.parse(JSON.stringify(before)));
    const [run] = plan?.runs ?? [];
    expect(plan && run && landingOf(plan, run)).toMatchObject({ statements: STATEMENTS, overlays });
    expect(plan && withoutTexts(plan).landings[0]?.overlays).toEqual([]);
  });

  it.each<[unknown]>([
    [null],
    [7],
    ["plan"],
    [[]],
    [{}],
    [{ v: 1, runs: [] }],
    [{ v: 2, runs: [] }],
    [{ v: 3, runs: [], landings: [] }],
  ])("takes %j for none", (value) => {
    expect(planFromJson(value)).toBeUndefined();
  });
});

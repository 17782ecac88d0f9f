import { expect, test } from "vitest";
import { LoopCosts } from "./loop-costs.ts";

const BUDGET = 0.1;

const place = (name: string) => ({ file: "t.js", site: [1, 1, 1, 1, [], name] as const });

/** Books so many entries of so many milliseconds each. */
function enter(costs: LoopCosts, name: string, calls: number, ms: number): void {
  const cost = costs.of(SITES[name] ?? place(name));
  for (let n = 0; n < calls; n++) {
    cost.calls++;
    costs.book(cost, ms);
  }
}

const SITES = Object.fromEntries(["outer", "inner", "other"].map((name) => [name, place(name)]));

function givenUp(costs: LoopCosts, programMs: number, budget = BUDGET): string[] {
  const names: string[] = [];
  for (
    let cost;
    (cost = costs.tooCostly(budget, programMs));
    names.push(cost.place.site[5] ?? "")
  ) {
    costs.giveUp(cost);
  }
  return names;
}

test.each<[what: string, entries: [string, number, number][], programMs: number, string[]]>([
  ["cheap loops", [["inner", 1000, 0.01]], 0, []],
  ["a costly one", [["inner", 20_000, 0.01]], 0, ["inner"]],
  ["a costly one in a long training", [["inner", 20_000, 0.01]], 10_000, []],
  [
    "the costlier one alone, if that is enough",
    [
      ["other", 2000, 0.01],
      ["inner", 9000, 0.01],
    ],
    0,
    ["inner"],
  ],
  [
    "both, if it is not",
    [
      ["other", 11_000, 0.01],
      ["inner", 12_000, 0.01],
    ],
    0,
    ["inner", "other"],
  ],
  [
    "one that is entered rarely",
    [
      ["outer", 60, 1],
      ["other", 60, 1],
    ],
    0,
    [],
  ],
  ["calls that were interrupted", [["inner", 99, 1000]], 0, []],
])("%s", (_, entries, programMs, expected) => {
  const costs = new LoopCosts();
  for (const [name, calls, ms] of entries) enter(costs, name, calls, ms);
  expect(givenUp(costs, programMs)).toStrictEqual(expected);
});

test("others are given up sooner once one was", () => {
  const costs = new LoopCosts();
  enter(costs, "inner", 11_000, 0.01);
  expect(givenUp(costs, 100)).toStrictEqual(["inner"]);
  enter(costs, "other", 3500, 0.01);
  // 35 ms: more than 25 and its share of 100 ms; not of a second.
  expect(givenUp(costs, 1000)).toStrictEqual([]);
  expect(givenUp(costs, 100)).toStrictEqual(["other"]);
});

test("one in another loop may cost by its iterations", () => {
  const costs = new LoopCosts();
  enter(costs, "inner", 3, 1);
  enter(costs, "outer", 60, 1);
  enter(costs, "other", 60, 1);
  costs.of(SITES["inner"] ?? place("inner")).nested = 3;
  expect(givenUp(costs, 0)).toStrictEqual(["inner"]);
});

test("one whose iterations are looked at is kept", () => {
  const costs = new LoopCosts();
  enter(costs, "inner", 20_000, 0.01);
  costs.of(SITES["inner"] ?? place("inner")).logged = true;
  expect(givenUp(costs, 0)).toStrictEqual([]);
});

test("iterations that go by without a call count too", () => {
  const costs = new LoopCosts();
  const cost = costs.of(place("inner"));
  cost.nested = 3;
  expect(costs.bookIterations(cost, 2_000_000, "of")).toBeCloseTo(70);
  expect(givenUp(costs, 0)).toStrictEqual([]);
  costs.bookIterations(cost, 2_000_000, "plain");
  expect(givenUp(costs, 0)).toStrictEqual(["inner"]);
});

test("without a budget none is given up", () => {
  const costs = new LoopCosts();
  enter(costs, "inner", 1_000_000, 1);
  expect(givenUp(costs, 0, Infinity)).toStrictEqual([]);
});

test("nobody looks before there is something to see", () => {
  const costs = new LoopCosts();
  enter(costs, "inner", 99, 1);
  expect(costs.isDue).toBe(false);
  enter(costs, "inner", 2, 1);
  expect(costs.isDue).toBe(true);
  costs.tooCostly(BUDGET, 1000);
  expect(costs.isDue).toBe(false);
});

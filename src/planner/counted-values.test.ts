import { describe, expect, test } from "vitest";
import type { Choices, LoopSpec } from "../../test/unit/planner/recorded-run.ts";
import { COSTS, matchOf, Recording } from "../../test/unit/planner/recorded-run.ts";
import type { Box, PlannedRun } from "../format/index.ts";
import type { CountedValue, SourceLog, SourceLoop } from "../languages/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { planRun } from "./plan-run.ts";

/** `epoch` (3 iterations) with `step` (3) in it; all ends are taken. */
const SPECS: LoopSpec[] = [
  {
    id: 0,
    name: "epoch",
    iterator: "index",
    loops: [{ id: 1, name: "step", iterator: "index", loops: [] }],
  },
];

const CHOICES: Choices = {
  integer: (min, max) => (max === 400 ? 400 : max === 5 && min === 0 ? 3 : min),
  chance: (percent) => percent >= 50,
};

const COUNTER: CountedValue = {
  name: "n",
  depth: 0,
  key: "n",
  loops: [0, 1],
  start: 0,
  step: 2,
};

interface Given {
  readonly chain: readonly number[];
  readonly asked?: readonly Box[];
  readonly counter?: Partial<CountedValue>;
  readonly facts?: Partial<RunFacts>;
  readonly loop?: Partial<SourceLoop>;
  /** Of the second `step`. */
  readonly entry?: Partial<LoopEntry>;
}

function plan({ chain, asked, counter, facts, loop, entry }: Given): PlannedRun {
  const recorded = new Recording(CHOICES).run(SPECS);
  const { model } = recorded;
  const inner = recorded.facts.entries[0]?.children.get(1)?.[0];
  if (inner) Object.assign(inner, entry);
  const loops = model.loops.map((one) => (one.id === 1 ? { ...one, ...loop } : one));
  const placed: SourceLog = {
    file: "p.ts",
    line: 7,
    column: 1,
    name: "x",
    text: "",
    chain,
    certain: true,
    before: [],
    counts: [{ ...COUNTER, ...counter }],
  };
  const own = { ...model, loops };
  const question = { names: ["x"], placements: [placed], asked: asked ?? ("all" as const) };
  const planned = planRun(
    { ...recorded.facts, ...facts },
    own,
    { ...question, match: matchOf(own) },
    { costs: COSTS },
  );
  if (!("units" in planned)) throw new Error(planned.why);
  return planned;
}

/** What went by before each iteration that is executed, and in loops that are skipped. */
function passedIn({ units }: PlannedRun): string[] {
  return units.flatMap(({ courses }) => {
    return courses.flatMap(({ entry, legs = [], passed }) => [
      ...legs.flatMap((leg) => (leg.passed ? [`${entry} [${leg.from}] ${leg.passed["n"]}`] : [])),
      ...(passed ? [`${entry} ${passed["n"]}`] : []),
    ]);
  });
}

describe("what is counted in iterations that are left out", () => {
  test.each<[what: string, given: Given, passed: readonly string[]]>([
    ["loops that are skipped", { chain: [0] }, [0, 1, 2].map((at) => `epoch=${at},step=end 6`)],
    [
      "epochs, and the steps of one",
      { chain: [0], asked: [{ epoch: [2, 2] }] },
      ["epoch=end [2] 12", "epoch=2,step=end 6"],
    ],
    [
      "epochs, and some steps of one",
      { chain: [0, 1], asked: [{ epoch: [1, 1], step: [2, 2] }] },
      ["epoch=end [1] 6", "epoch=1,step=end [2] 4"],
    ],
    [
      "steps since the epoch began",
      { chain: [0], asked: [{ epoch: [2, 2] }], counter: { loops: [1], depth: 1 } },
      ["epoch=2,step=end 6"],
    ],
  ])("%s", (_, given, passed) => {
    const planned = plan(given);
    expect(passedIn(planned)).toEqual(passed);
    expect(planned.share).toBeLessThan(0.2);
  });
});

test.each<[why: string, given: Omit<Given, "chain">]>([
  ["the loop was given up", { facts: { givenUp: ["step"] } }],
  ["a loop is none of the run", { counter: { loops: [0, -1] } }],
  ["several calls may be in it", { loop: { concurrent: true } }],
  ["the iteration may have ended before it counted", { entry: { how: "jump" } }],
  ["it is still open later", { entry: { outlasts: true } }],
  ["sums would not be exact", { counter: { step: Number.MAX_SAFE_INTEGER } }],
])("all is executed where %s", (_, given) => {
  const { share, notes } = plan({ chain: [0], ...given });
  expect(share).toBe(1);
  expect(notes[0]).toMatch(/what became of n before/);
});

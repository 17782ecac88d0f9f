import { describe, expect, test } from "vitest";
import type { Choices } from "../../test/unit/planner/recorded-run.ts";
import { COSTS, makeSpecs, matchOf, Recording } from "../../test/unit/planner/recorded-run.ts";
import type { Plan, PlannedUnit } from "../format/index.ts";
import type { SourceLog } from "../languages/index.ts";
import type { AskedRun, Question } from "./plan-question.ts";
import { planQuestion, scaleByCanary } from "./plan-question.ts";
import { makespan } from "./schedule-units.ts";

/** Always the same: `epochs` iterations of one loop without a loop in it, every end taken. */
function run(id: string, epochs: number): AskedRun {
  const choices: Choices = {
    integer: (min, max) => (max === 400 ? 400 : max === 5 && min === 0 ? epochs : min),
    chance: (percent) => percent === 50 || percent === 60 || percent === 70 || percent === 80,
  };
  const specs = makeSpecs(choices).map((spec) => ({ ...spec, loops: [] }));
  const { facts, model } = new Recording(choices).run(specs);
  const log = { file: "p.ts", line: 1, column: 1, name: "x", text: "", certain: true, before: [] };
  const placements: SourceLog[] = [{ ...log, chain: [0] }];
  const named = { ...facts, run: `p-20261115-093000-${id}` };
  return { facts: named, model, placements, asked: "all", match: matchOf(model) };
}

function ask(runs: readonly AskedRun[], workers: number, canary = false): Plan {
  const rest = { names: ["x"], where: null, after: null, statements: [], landings: [], review: [] };
  const question: Question = { ...rest, runs, leftOut: [{ run: "old", why: "it has x" }] };
  return planQuestion(question, { workers, costs: COSTS, canary });
}

const unitsOf = ({ runs }: Plan): PlannedUnit[] => runs.flatMap(({ units }) => units);

const controlOf = ({ runs }: Plan): number => runs[0]?.control?.seconds ?? 0;

describe("planQuestion", () => {
  test("one run by one process", () => {
    const plan = ask([run("aaaa", 20)], 1);
    expect(plan).toMatchObject({ v: 2, workers: 1, left_out: [{ run: "old" }], past: null });
    expect(unitsOf(plan)).toHaveLength(1);
    // Start, prefix and twenty iterations of 400 ms.
    expect(plan.seconds).toBeCloseTo(0.1 + 0.007 + 8);
    expect(plan.work).toBe(plan.seconds);
    expect(plan.seconds_low).toBeLessThan(plan.seconds);
    expect(plan.seconds_high).toBeGreaterThan(plan.seconds);
  });

  test.each([2, 3, 4])("one run is cut for %d workers into equal parts", (workers) => {
    const plan = ask([run("aaaa", 24)], workers);
    const seconds = unitsOf(plan).map((unit) => unit.seconds);
    expect(seconds).toHaveLength(workers);
    // The control is a part of the work of one of them.
    expect(plan.work).toBeCloseTo(seconds.reduce((sum, one) => sum + one, controlOf(plan)));
    expect(plan.seconds).toBeLessThan(plan.work / workers + 0.41);
    expect(new Set(unitsOf(plan).map(({ part }) => JSON.stringify(part))).size).toBe(workers);
  });

  test("runs that fill the workers are not cut; one that outlasts the others is", () => {
    const alike = ["aaaa", "bbbb", "cccc", "dddd"].map((id) => run(id, 5));
    expect(unitsOf(ask(alike, 2))).toHaveLength(4);
    const uneven = ask([run("aaaa", 40), run("bbbb", 3)], 2);
    expect(uneven.runs.map(({ units }) => units.length)).toEqual([2, 1]);
    expect(uneven.seconds).toBeLessThan(11);
  });

  test("a canary is short, and its time counts", () => {
    const plan = ask([run("aaaa", 24)], 2, true);
    const [first = 0, ...others] = unitsOf(plan).map(({ seconds }) => seconds);
    expect(first).toBeLessThan(1);
    expect(others).toHaveLength(2);
    expect(plan.seconds).toBeCloseTo(first + makespan([...others, controlOf(plan)], 2));
    const runs = ["aaaa", "bbbb"].map((id) => run(id, 5));
    // One iteration first, then both runs side by side.
    const both = ask(runs, 2, true);
    const rest = [...unitsOf(both), ...both.runs.flatMap(({ control }) => control ?? [])]
      .map(({ seconds }) => seconds)
      .toSorted((a, b) => a - b);
    const shortest = rest.shift() ?? 0;
    expect(shortest).toBeCloseTo(0.507);
    expect(both.seconds).toBeCloseTo(shortest + makespan(rest, 2));
    const short = [run("cccc", 2)];
    expect(unitsOf(ask(short, 2, true))).toHaveLength(1);
  });

  test("of runs with one source the newest has a control, and its time counts", () => {
    const [older, newer, other] = ["aaaa", "bbbb", "cccc"].map((id, order) => {
      const asked = run(id, 5);
      const landing = id === "cccc" ? 1 : 0;
      const boxes = [{ l0: [3, 4] as const }];
      return { ...asked, facts: { ...asked.facts, order }, asked: boxes, source: { landing } };
    });
    if (!older || !newer || !other) throw new Error("no runs");
    const plan = ask([older, newer, other], 1);
    expect(plan.runs.map(({ control }) => control !== undefined)).toEqual([false, true, true]);
    const all = plan.runs.flatMap(({ units, control }) => [
      ...units,
      ...(control ? [control] : []),
    ]);
    expect(plan.work).toBeCloseTo(all.reduce((sum, { seconds }) => sum + seconds, 0));
  });

  test("what is not worth a process of its own is not cut", () => {
    const asked = run("aaaa", 2);
    const { times } = asked.facts;
    const slow = { ...asked.facts, times: { ...times, prefix: 60_000 } };
    expect(unitsOf(ask([{ ...asked, facts: slow }], 4))).toHaveLength(1);
  });

  test("a run without the loop is left out, and one that still runs", () => {
    const absent = { ...run("aaaa", 2), asked: [{ l0: [9, 9] as const }] };
    const running = run("bbbb", 2);
    const facts = { ...running.facts, status: "recording" as const };
    const plan = ask([absent, { ...running, facts }], 1);
    expect(plan.runs).toEqual([]);
    expect(plan.left_out.map(({ why }) => why)).toEqual([
      "it has x",
      "it has no iteration in the range that is asked for",
      "it is still being recorded",
    ]);
  });
});

describe("scaleByCanary", () => {
  const plan = ask([run("aaaa", 20), run("bbbb", 10)], 1);
  const [planned] = unitsOf(plan);

  test.each<[string, number, number | null, number]>([
    ["as predicted", 8.107, 0.1, 12.214],
    ["code twice as slow", 16.114, 0.1, 24.228],
    ["start ten times as slow", 9.007, 1, 14.014],
    ["all that is known is the whole", 16.214, null, 24.428],
  ])("%s", (_, actual_s, fixed_s, expected) => {
    if (!planned) throw new Error("no unit");
    const scaled = scaleByCanary(plan, { run: "-", planned, actual_s, fixed_s }, COSTS);
    expect(scaled.seconds).toBeCloseTo(expected, 2);
    expect(scaled.seconds_high).toBeGreaterThan(scaled.seconds);
  });
});

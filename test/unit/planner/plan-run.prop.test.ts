/**
 * For made-up runs, checkpoints and questions: a process that follows its courses executes every
 * asked statement with exactly the state that it had, and never costs more than it must.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Box, PlannedRun } from "../../../src/format/index.ts";
import type { SourceLog } from "../../../src/languages/index.ts";
import type { LoopEntry } from "../../../src/planner/index.ts";
import { allEntries, planRun } from "../../../src/planner/index.ts";
import type { Choices, LoopSpec, RecordedRun } from "./recorded-run.ts";
import { COSTS, makeSpecs, matchOf, Recording } from "./recorded-run.ts";
import { pathText, simulate } from "./simulate.ts";

interface Question {
  readonly run: RecordedRun;
  readonly statements: readonly Statement[];
  readonly boxes: readonly Box[];
}

/** A log statement before the `before`-th loop in the body of a loop, or at top level. */
interface Statement {
  readonly around: readonly LoopSpec[];
  readonly before: number;
}

function makeQuestion(choices: Choices): Question {
  const specs = makeSpecs(choices);
  const run = new Recording(choices).run(specs);
  const statements = Array.from({ length: choices.integer(1, 2) }, () => {
    const around: LoopSpec[] = [];
    let inner = specs;
    while (inner.length > 0 && choices.chance(65)) {
      const spec = inner[choices.integer(0, inner.length - 1)];
      if (!spec) break;
      around.push(spec);
      inner = [...spec.loops];
    }
    return { around, before: choices.integer(0, inner.length) };
  });
  const boxes = choices.chance(40) ? [] : [makeBox(choices, statements)];
  return { run, statements, boxes };
}

function makeBox(choices: Choices, [statement]: readonly Statement[]): Box {
  const names = (statement?.around ?? []).filter(() => choices.chance(70)).map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => {
      const first = choices.integer(0, 4);
      return [name, [first, first + choices.integer(0, 2)] as const];
    }),
  );
}

function toLog({ around, before }: Statement, specs: readonly LoopSpec[]): SourceLog {
  const inner = around.at(-1)?.loops ?? specs;
  return {
    file: "p.ts",
    line: 1,
    column: 1,
    name: "x",
    text: "",
    chain: around.map(({ id }) => id),
    certain: true,
    before: inner.slice(before).map(({ id }) => id),
  };
}

/** Where the statement must have run: the first place in the code at which it is certain. */
function* expectedRuns({
  run,
  statements,
  boxes,
}: Question): Generator<[string, LoopEntry | null]> {
  for (const { around, before } of statements) {
    if (around.length === 0) yield [placeOf(run, run.facts.entries, run.specs, before, ""), null];
    for (const entry of allEntries(run.facts.entries)) {
      const spec = run.specOf.get(entry);
      if (!spec || spec !== around.at(-1)) continue;
      for (let index = 0; index < entry.iterations; index++) {
        const path = [...entry.path, [entry.loop, index] as const];
        if (boxes.length > 0 && !boxes.some((box) => fits(box, path))) continue;
        const text = pathText(entry, index);
        yield [placeOf(run, entry.children.get(index) ?? [], spec.loops, before, text), entry];
      }
    }
  }
}

function fits(box: Box, path: readonly (readonly [string, unknown, ...unknown[]])[]): boolean {
  return path.every(([name, index]) => {
    const [first, last] = box[name] ?? [0, Infinity];
    return Number(index) >= first && Number(index) <= last;
  });
}

/** The statement runs after the recorded loops that stand before it. */
function placeOf(
  run: RecordedRun,
  entries: readonly LoopEntry[],
  specs: readonly LoopSpec[],
  before: number,
  path: string,
): string {
  const earlier = specs.slice(0, before);
  const passed = entries.filter((entry) => earlier.some((spec) => run.specOf.get(entry) === spec));
  return `${path}/${passed.length}`;
}

/** Statements that the run itself did not points need not run. */
function reached(question: Question): string[] {
  return [...expectedRuns(question)].map(([at]) => at).filter((at) => question.run.found.has(at));
}

function plan({ run, statements, boxes }: Question, workers: number, fromStart = false) {
  const placements = statements.map((statement) => toLog(statement, run.specs));
  const match = matchOf(run.model);
  const asked = boxes.length > 0 ? boxes : ("all" as const);
  const question = { names: ["x"], placements, asked, match };
  return planRun(run.facts, run.model, question, { workers, costs: COSTS, fromStart });
}

function isPlanned(planned: object): planned is PlannedRun {
  return "units" in planned;
}

/** Choices that follow from a seed: drawing each from fast-check would take minutes. */
const generated = fc.nat().map((seed): Choices => {
  let state = seed;
  const integer = (min: number, max: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return min + Math.floor(((state >>> 4) / 2 ** 28) * (max - min + 1));
  };
  return { integer, chance: (percent) => integer(0, 99) < percent };
});

const LATE_MS = 14.001;
const RUNS = { numRuns: 600 };

describe("planRun", () => {
  test("everything asked is executed with exactly the state of the run", () => {
    fc.assert(
      fc.property(generated, (choices) => {
        const question = makeQuestion(choices);
        const planned = plan(question, 1);
        if (!isPlanned(planned)) {
          expect(reached(question)).toEqual([]);
          return;
        }
        expect(planned.units).toHaveLength(1);
        for (const unit of planned.units) {
          const { ran, iterations, loads, ms } = simulate(question.run, unit.courses);
          expect([...ran]).toEqual(expect.arrayContaining(reached(question)));
          expect(iterations).toBe(unit.iterations);
          expect(loads).toBe(unit.checkpoints.length);
          // A loop that is left early is stopped only by what comes next: a gap, or the suffix.
          expect(Math.abs(ms - 1000 * unit.seconds)).toBeLessThanOrEqual(LATE_MS);
        }
      }),
      RUNS,
    );
  });

  test("a control has the state of the run at the last place, and gets there in another way", () => {
    const reaching = { some: 0, none: 0 };
    fc.assert(
      fc.property(generated, fc.integer({ min: 1, max: 3 }), (choices, workers) => {
        const question = makeQuestion(choices);
        const planned = plan(question, workers);
        if (!isPlanned(planned) || !planned.control) return;
        const [last, control] = [planned.units.at(-1), planned.control];
        const { ran } = simulate(question.run, control.courses);
        // An iteration that was left early may have been left before the statement.
        reaching[reached(question).some((at) => ran.has(at)) ? "some" : "none"]++;
        expect(control.ranges).toEqual(last?.ranges);
        expect(control.checkpoints.at(-1)).not.toBe(last?.checkpoints.at(-1));
      }),
      RUNS,
    );
    expect(reaching.some).toBeGreaterThan(RUNS.numRuns / 10);
    expect(reaching.none).toBeLessThan(reaching.some / 10);
  });

  test("it costs at most what executing everything costs, but for a preference to restore", () => {
    fc.assert(
      fc.property(generated, (choices) => {
        const question = makeQuestion(choices);
        const planned = plan(question, 1);
        const whole = plan(question, 1, true);
        if (!isPlanned(planned) || !isPlanned(whole)) return;
        expect(planned.seconds).toBeLessThanOrEqual(whole.seconds + 0.3001);
        expect(planned.share).toBeLessThanOrEqual(1);
        for (const { courses } of whole.units) {
          const { ran } = simulate(question.run, courses);
          expect([...ran]).toEqual(expect.arrayContaining([...question.run.found.keys()]));
        }
      }),
      RUNS,
    );
  });

  test("units do together what one does, each of its own cells", () => {
    fc.assert(
      fc.property(generated, fc.integer({ min: 2, max: 4 }), (choices, workers) => {
        const question = makeQuestion(choices);
        const planned = plan(question, workers);
        if (!isPlanned(planned)) return;
        expect(planned.units.length).toBeLessThanOrEqual(workers);
        const executed = planned.units.map((unit) => simulate(question.run, unit.courses).ran);
        if (planned.units.length === 1) return;
        const single = plan(question, 1);
        const slowest = Math.max(...planned.units.map(({ seconds }) => seconds));
        expect(slowest).toBeLessThan(isPlanned(single) ? single.seconds : 0);
        for (const [at, entry] of expectedRuns(question)) {
          if (!question.run.found.has(at)) continue;
          const owners = [...planned.units.keys()].filter((unit) => {
            return planned.units[unit]?.ranges.some((box) => fits(box, pathElements(at)));
          });
          expect([at, entry?.key, owners.length]).toEqual([at, entry?.key, 1]);
          expect(owners.every((unit) => executed[unit]?.has(at))).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

/** `l0=1,l1#1=2/3` to names and indices. */
function pathElements(at: string): [string, number][] {
  const [path = ""] = at.split("/");
  return path.split(",").map((part) => {
    const [name = "", index] = part.split("=");
    return [name.split("#")[0] ?? "", Number(index)];
  });
}

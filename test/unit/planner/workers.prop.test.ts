/**
 * Any question is cut for workers (Flor §2.2, §3.3.2). For made-up runs and questions: each asked cell is answered
 * by exactly one process, which executes it with the state that it had; by the plan's own prediction, no
 * worker is done more than one piece later than it could be, and never later than without a cut.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan, PlannedRun } from "../../../src/format/index.ts";
import { planQuestion } from "../../../src/planner/index.ts";
import { RunPlanner } from "../../../src/planner/plan-run.ts";
import { isInPart } from "../../../src/replayer/checking/judge-unit.ts";
import type { Question } from "./made-up-questions.ts";
import {
  askedRun,
  generated,
  isPlanned,
  makeQuestion,
  pathOf,
  planOf,
  reached,
} from "./made-up-questions.ts";
import type { Choices } from "./recorded-run.ts";
import { COSTS } from "./recorded-run.ts";
import { simulate } from "./simulate.ts";

const RUNS = { numRuns: 100 };
const LATE_MS = 14.001;

/** Runs of one program, the newest last. */
function makeQuestions(choices: Choices): Question[] {
  return Array.from({ length: choices.integer(1, 4) }, () => makeQuestion(choices));
}

function planAll(questions: readonly Question[], workers: number, canary: boolean): Plan {
  const asked = {
    names: ["x"],
    where: null,
    after: null,
    statements: [],
    landings: [],
    review: [],
  };
  const runs = questions.map((question, order) => {
    const run = askedRun(question);
    const id = `p-20261115-093000-aaa${order}`;
    return { ...run, facts: { ...run.facts, run: id, order }, source: { landing: order } };
  });
  return planQuestion({ ...asked, runs, leftOut: [] }, { workers, costs: COSTS, canary });
}

const questionOf = (questions: readonly Question[], { run }: PlannedRun): Question => {
  const question = questions[Number(run.at(-1))];
  if (!question) throw new Error(run);
  return question;
};

/** In one process, and each piece that is not cut further as a process of its own, in seconds. */
function secondsOf(question: Question): {
  readonly whole: number;
  readonly pieces: readonly number[];
} {
  const { facts, model, ...asked } = askedRun(question);
  const planner = new RunPlanner(facts, model, { names: ["x"], ...asked }, { costs: COSTS });
  const { cutter } = planner;
  const planned = planner.planned();
  const whole = isPlanned(planned) ? planned.seconds : 0;
  const { length } = cutter ?? { length: 0 };
  const each = Array.from({ length }, (_, at) => (cutter?.route(at, at + 1).ms ?? 0) / 1000);
  return { whole, pieces: cutter ? each : [whole] };
}

const sumOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

describe("a question that is cut for workers", () => {
  test("each cell has one process, which executes it", () => {
    const cut = { inside: 0, outside: 0, loops: 0 };
    fc.assert(
      fc.property(
        generated,
        fc.integer({ min: 2, max: 5 }),
        fc.boolean(),
        (choices, workers, canary) => {
          const questions = makeQuestions(choices);
          for (const planned of planAll(questions, workers, canary).runs) {
            const question = questionOf(questions, planned);
            const { units } = planned;
            const simulated = units.map(({ courses }) => simulate(question.run, courses));
            for (const at of reached(question)) {
              const path = pathOf(at);
              const owners = units.flatMap(({ part }, nth) =>
                !part || isInPart(path, part) ? [nth] : [],
              );
              expect([at, owners.length]).toEqual([at, 1]);
              expect(owners.map((nth) => simulated[nth]?.ran.has(at))).toEqual([true]);
            }
            for (const [nth, unit] of units.entries()) {
              expect(simulated[nth]?.iterations).toBe(unit.iterations);
              const lateMs = Math.abs((simulated[nth]?.ms ?? NaN) - 1000 * unit.seconds);
              expect(lateMs).toBeLessThanOrEqual(LATE_MS);
            }
            if (units.length < 2) continue;
            const statements = question.statements.map(({ around }) => around);
            cut.inside++;
            if (statements.some(({ length }) => length === 0)) cut.outside++;
            if (new Set(statements.map(([outermost]) => outermost?.id)).size > 1) cut.loops++;
          }
        },
      ),
      RUNS,
    );
    // Inside and outside together, and several loops, were cut too.
    expect(Math.min(...Object.values(cut))).toBeGreaterThan(RUNS.numRuns / 20);
  });

  test("whatever path a cell has, one process keeps it", () => {
    fc.assert(
      fc.property(generated, fc.integer({ min: 2, max: 4 }), (choices, workers) => {
        const question = makeQuestion(choices);
        const planned = planOf(question, workers);
        if (!isPlanned(planned)) return;
        const paths = [...question.run.found.keys()].map(pathOf);
        for (const path of [...paths, [["other", 3] as const], [["l0", 99] as const]]) {
          const owners = planned.units.filter(({ part }) => !part || isInPart(path, part));
          expect(owners).toHaveLength(1);
        }
      }),
      RUNS,
    );
  });

  test("no worker is done later than one piece after the ideal, and none later than without a cut", () => {
    const count = { cut: 0, runs: 0 };
    fc.assert(
      fc.property(generated, fc.integer({ min: 1, max: 5 }), (choices, workers) => {
        const questions = makeQuestions(choices);
        const plan = planAll(questions, workers, false);
        const units = plan.runs.flatMap((run) => run.units);
        const controls = plan.runs.flatMap(({ control }) => control?.seconds ?? []);
        const all = [...units.map(({ seconds }) => seconds), ...controls];
        // Nothing is left out of what the plan says.
        expect(plan.work).toBeCloseTo(sumOf(all));
        expect(plan.seconds).toBeGreaterThanOrEqual(
          Math.max(plan.work / workers, 0, ...all) - 1e-9,
        );
        const taken = questions.map(secondsOf);
        const serial = sumOf([...taken.map(({ whole }) => whole), ...controls]);
        expect(plan.seconds).toBeLessThanOrEqual(serial + 1e-9);
        const piece = Math.max(0, ...controls, ...taken.flatMap(({ pieces }) => pieces));
        if (units.length > plan.runs.length) {
          expect(plan.seconds).toBeLessThan(1.005 * (plan.work / workers + piece));
          count.cut++;
          if (plan.runs.length > 1) count.runs++;
        } else {
          // A cut that gains less than a twentieth is none: each process begins, and gets to its first piece.
          expect(plan.seconds).toBeLessThan((serial / workers + 2 * piece) / 0.95 + 1e-9);
        }
      }),
      RUNS,
    );
    expect(Math.min(count.cut, count.runs)).toBeGreaterThan(RUNS.numRuns / 20);
  });

  test("one that goes before all others is the first of its run, and its time counts", () => {
    fc.assert(
      fc.property(generated, fc.integer({ min: 2, max: 4 }), (choices, workers) => {
        const questions = makeQuestions(choices);
        const plan = planAll(questions, workers, true);
        const units = plan.runs.flatMap((run) => run.units);
        const newest = plan.runs.toSorted((a, b) => Number(b.run.at(-1)) - Number(a.run.at(-1)))[0];
        if (!newest || units.length < 2) return;
        const [first, ...others] = newest.units;
        const rest = [
          ...plan.runs.flatMap(({ control }) => control ?? []),
          ...plan.runs.flatMap((run) => (run === newest ? others : run.units)),
        ];
        const seconds = rest.map((unit) => unit.seconds);
        const alone = first?.seconds ?? 0;
        expect(plan.seconds).toBeGreaterThanOrEqual(alone + Math.max(...seconds) - 1e-9);
        expect(plan.seconds).toBeLessThanOrEqual(
          alone + sumOf(seconds) / workers + Math.max(...seconds) + 1e-9,
        );
      }),
      RUNS,
    );
  });
});

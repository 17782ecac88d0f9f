/**
 * For made-up runs, checkpoints and questions: a process that follows its courses executes every
 * asked statement with exactly the state that it had, and never costs more than it must.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generated, isPlanned, makeQuestion, planOf, reached } from "./made-up-questions.ts";
import { simulate } from "./simulate.ts";

const LATE_MS = 14.001;
const RUNS = { numRuns: 600 };

describe("planRun", () => {
  test("everything asked is executed with exactly the state of the run", () => {
    fc.assert(
      fc.property(generated, (choices) => {
        const question = makeQuestion(choices);
        const planned = planOf(question, 1);
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
        const planned = planOf(question, workers);
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
        const planned = planOf(question, 1);
        const whole = planOf(question, 1, { fromStart: true });
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
});

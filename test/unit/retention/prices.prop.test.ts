/** Prices of questions: fewer checkpoints make nothing cheaper, and one step is never all of them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { priceScans } from "../../../src/planner/index.ts";
import type { Choices } from "../planner/recorded-run.ts";
import { COSTS, makeSpecs, matchOf, Recording } from "../planner/recorded-run.ts";

/** Restoring is preferred to executing for up to so many seconds. */
const PREFERRED_S = 0.3;

test("fewer checkpoints never make a question cheaper", () => {
  fc.assert(
    fc.property(fc.gen(), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (gen, goes) => {
      const choices: Choices = {
        integer: (min, max) => gen(fc.integer, { min, max }),
        chance: (percent) => gen(fc.integer, { min: 0, max: 99 }) < percent,
      };
      const { facts, model } = new Recording(choices).run(makeSpecs(choices));
      const price = (checkpoints: typeof facts.checkpoints) =>
        priceScans({ ...facts, checkpoints }, model, matchOf(model), COSTS);
      const before = price(facts.checkpoints);
      const left = [...facts.checkpoints].filter((_, at) => !goes[at % goes.length]);
      const after = price(new Map(left));
      for (const scan of ["step", "outer", "inner"] as const) {
        expect(after[scan] === null).toBe(before[scan] === null);
        expect(after[scan] ?? 0).toBeGreaterThan((before[scan] ?? 0) - PREFERRED_S - 1e-6);
      }
      expect(after.step ?? 0).toBeLessThanOrEqual((after.inner ?? 0) + PREFERRED_S + 1e-6);
    }),
    { numRuns: 300 },
  );
});

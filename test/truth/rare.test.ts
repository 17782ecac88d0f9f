/**
 * Programs with state, sources and exits that are hard to follow: a replay may execute more, but
 * what it finds is the truth.
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import { checkProgram } from "./check-program.ts";
import { count, DRAW_SEED } from "../support/draws.ts";
import { programs } from "./generate.ts";

const seed = DRAW_SEED;
const made = fc.sample(programs({ rare: true }), {
  seed,
  numRuns: count(3, { long: 100 }),
});

describe(`rare programs, seed ${seed}`, () => {
  test.each(made.map((program, at) => [at, program] as const))(
    "program %i",
    async (at, program) => {
      await checkProgram(program, at);
    },
    120_000,
  );
});

/**
 * Generated training programs, asked for what they did not log: every value of every scan equals,
 * bit for bit, that of the same program run from scratch with the statement in it.
 */
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Checked } from "./check-program.ts";
import { checkProgram } from "./check-program.ts";
import { count, DRAW_SEED } from "../support/draws.ts";
import { programs } from "./generate.ts";

const seed = DRAW_SEED;
const made = fc.sample(programs({ rare: false }), {
  seed,
  numRuns: count(6, { long: 100 }),
});
const checked = new Map<number, Checked>();

describe(`usual programs, seed ${seed}`, () => {
  test.each(made.map((program, at) => [at, program] as const))(
    "program %i",
    async (at, program) => {
      checked.set(at, await checkProgram(program, at));
    },
    120_000,
  );

  test("outer and suffix statements execute no training iteration, nine times in ten", () => {
    const costs = [...checked].flatMap(([at, { how, outcomes }]) => {
      const skippable = outcomes.filter(
        ({ kind, scan, limited, notes }) =>
          !limited &&
          scan !== "none" &&
          // Where no inner loop was entered, the iterations asked for are the training itself.
          (scan !== "inner" || notes.length > 0) &&
          (kind === "outer" || kind === "suffix"),
      );
      return how === "all" && skippable.length > 0
        ? [{ at, share: Math.max(...skippable.map(({ share }) => share)) }]
        : [];
    });
    const costly = costs.filter(({ share }) => share > 0);
    // One more: a few dozen programs by chance are not always the tenth that they are of many.
    expect(costly.length, JSON.stringify(costly)).toBeLessThanOrEqual(1 + costs.length / 10);
  });
});

afterAll(() => {
  const lines = [...checked].map(([at, { how, outcomes }]) => {
    const each = outcomes.map(
      ({ kind, scan, share, limited }) =>
        `${kind}${limited ? " (range)" : ""}: ${scan} ${(share * 100).toFixed(0)} %`,
    );
    return `program ${at} (${how})  ${each.join(", ")}`;
  });
  console.log(lines.join("\n"));
});

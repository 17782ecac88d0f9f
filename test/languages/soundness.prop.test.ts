/** Whatever a loop really changes, the analysis says that it may. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { analyzeProgram } from "../../src/languages/index.ts";
import { changedBy } from "./observe.ts";
import { randomProgram } from "./random-programs.ts";

const RUNS = Number(process.env["AFTERLOG_PROGRAMS"] ?? 250);

test("every change that a random program makes is foreseen", async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 32 - 1 }), async (seed) => {
      const { text, observed } = randomProgram(seed);
      const read = (file: string): string | undefined =>
        file === "train.mjs" ? `import * as al from "afterlog";\n${text}` : undefined;
      const model = analyzeProgram("train.mjs", read);
      expect(model.uncertain).toEqual([]);
      const foreseen = new Set(model.loops[0]?.changes.map(({ name }) => name));
      const happened = await changedBy(observed);
      changes += happened.size;
      const overlooked = [...happened].filter((name) => !foreseen.has(name));
      expect(overlooked, text).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(changes).toBeGreaterThan(RUNS);
});

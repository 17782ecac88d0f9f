/** Whatever a loop really changes, the analysis says that it may. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";
import type { SourceLoop } from "../../../src/languages/index.ts";
import { count } from "../../support/draws.ts";
import { changedBy } from "./observe.ts";
import { randomProgram } from "./random-programs.ts";

const RUNS = count(250, { long: 5_000 });

const TOO_LARGE = "what the program's values may be takes too long to follow";

/** What becomes of the recorded loop: one over the same items, and one that takes them. */
const PLAIN: readonly [string, string] = [
  "for (const item of $1) { // afterlog: loop main",
  "for (let all = ($1)[Symbol.iterator](), r; !(r = all.next()).done; ) { // afterlog: loop main\n  const item = r.value;",
];

function overlooked(happened: ReadonlySet<string>, loop: SourceLoop | undefined): string[] {
  const foreseen = new Set(loop?.changes.map(({ name }) => name));
  return [...happened].filter((name) => !foreseen.has(name));
}

test("every change that a random program makes is foreseen", async () => {
  let changes = 0;
  let tooLarge = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 32 - 1 }), async (seed) => {
      const { text, observed } = randomProgram(seed);
      const read = (file: string): string | undefined =>
        file === "train.mjs" ? `import * as al from "afterlog";\n${text}` : undefined;
      const model = analyzeProgram("train.mjs", read);
      if (model.uncertain.includes(TOO_LARGE)) {
        // Each loop of it is executed.
        tooLarge += 1;
        return;
      }
      expect(model.uncertain).toEqual([]);
      const happened = await changedBy(observed);
      changes += happened.size;
      expect(overlooked(happened, model.loops[0]), text).toEqual([]);
      // The same loop, in a program that knows nothing of Afterlog.
      const plain = text.replace(
        /for \(const item of al\.loop\("step", (.*)\)\) \{$/m,
        seed % 2 ? PLAIN[1] : PLAIN[0],
      );
      expect(plain).not.toBe(text);
      const own = plain.replaceAll("al.range(2)", "[0, 1]");
      const alone = analyzeProgram(
        "train.mjs",
        (file) => (file === "train.mjs" ? own : undefined),
        {
          handsFree: true,
        },
      );
      const main = alone.loops.find(({ name }) => name === "main");
      expect(main, own).toBeDefined();
      expect(overlooked(happened, main), own).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(changes).toBeGreaterThan(RUNS);
  expect(tooLarge).toBeLessThan(RUNS / 100);
});

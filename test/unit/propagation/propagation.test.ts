/**
 * @file The table of landings: where a careful engineer would put a statement in an older version,
 * by kinds of edits that training code really sees. It prints the rate.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareLanguages } from "../../../src/languages/index.ts";
import { needs } from "../../support/needs.ts";
import { judge } from "./judge.ts";
import { readCases } from "./read-cases.ts";

await prepareLanguages(["train.py"]);

const TABLES = [
  ["TypeScript", "cases", {}],
  ["Python", "cases-python", needs("python")],
] as const;

describe.each(TABLES)("landings of the table for %s", (language, folder, options) => {
  const cases = readCases(join(import.meta.dirname, folder));
  const judged = cases.map((row) => ({ row, ...judge(row) }));

  it.each(judged.map(({ row, faults }) => ({ name: row.name, faults })))(
    "$name",
    options,
    ({ faults }) => {
      expect(faults.join("\n")).toBe("");
    },
  );

  it(
    "lands nearly everything right, nothing wrong as exact, and refuses what is impossible",
    options,
    () => {
      const right = judged.filter((one) => one.right).length;
      const rate = right / judged.length;
      console.log(
        `propagation, ${language}: ${right} of ${judged.length} right (${(rate * 100).toFixed(1)} %)`,
      );
      expect(judged.filter(({ wrongExact }) => wrongExact).map(({ row }) => row.name)).toEqual([]);
      expect(judged.filter((one) => one.landedImpossible).map(({ row }) => row.name)).toEqual([]);
      expect(rate).toBeGreaterThanOrEqual(0.97);
      expect(judged.length).toBeGreaterThanOrEqual(60);
    },
  );
});

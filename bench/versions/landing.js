// @ts-check
/**
 * @file Landing a statement in all versions of a script of 300 lines over 100 versions, and in one
 * other version of a script of 2,000 lines: processor time of the language's part alone, each
 * version parsed and paired from nothing.
 */
import assert from "node:assert/strict";
import { landStatements } from "../../build/landing/index.js";
import { prepareLanguages } from "../../build/languages/index.js";
import { makeResult, median } from "../measure.js";
import { JAVASCRIPT } from "./history.js";
import { PYTHON } from "./history-python.js";

/** @import { Bench } from "../measure.js" */
/** @import { History } from "./history.js" */

const MANY = { size: 300, versions: 100, seconds: 5 };
const LONG = { size: 2150, versions: 1, seconds: 1 };

/** @type {Bench} */
export const benchLanding = landing(JAVASCRIPT, MANY);
/** @type {Bench} */
export const benchLongFiles = landing(JAVASCRIPT, LONG);
/** @type {Bench} */
export const benchLandingPython = landing(PYTHON, MANY);
/** @type {Bench} */
export const benchLongFilesPython = landing(PYTHON, LONG);

/**
 * @param {History} history
 * @param {{ readonly size: number, readonly versions: number, readonly seconds: number }} goal
 *   Lines of the script, and the processor time in which it is to land in so many versions.
 * @returns {Bench}
 */
function landing({ file, language, scriptAt }, { size, versions: all, seconds: most }) {
  return async ({ quick, progress }) => {
    await prepareLanguages([file]);
    const versions = quick ? Math.ceil(all / 10) : all;
    const now = scriptAt({ lines: size, version: versions, probe: "f1_seven" });
    const line = now.split("\n").findIndex((text) => text.includes("f1_seven")) + 1;
    /** @type {number[]} */
    const values = [];
    /** @type {{ [verdict: string]: number }} */
    let verdicts = {};
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      progress(`round ${round + 1}`);
      verdicts = {};
      const before = process.cpuUsage();
      for (let version = 0; version < versions; version++) {
        const then = scriptAt({ lines: size, version });
        const { landings } = landStatements({
          now: { file: file, text: (name) => (name === file ? now : undefined) },
          statements: [{ line, column: 1 }],
          then: { files: [file], text: (name) => (name === file ? then : undefined) },
        });
        const verdict = landings[0]?.verdict ?? "none";
        verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      }
      const { user, system } = process.cpuUsage(before);
      values.push((user + system) / 1e6);
    }
    assert.equal(verdicts["cannot"] ?? 0, 0, "it lands in every version");
    const lines = now.split("\n").length;
    assert.ok(Math.abs(lines - size) < size / 10, `the script has ${lines} lines`);
    return [
      makeResult({
        name: `landing in ${versions} other ${versions === 1 ? "version" : "versions"} of a script of ${lines} lines of ${language}: processor time`,
        values,
        ratios: values.map((seconds) => seconds / versions),
        unit: "s",
        goal: { text: `<= ${most} s`, pass: quick || median(values) <= most },
        detail: { "s, min and max": [Math.min(...values), Math.max(...values)], verdicts },
      }),
    ];
  };
}

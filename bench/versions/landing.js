// @ts-check
/**
 * @file Landing a statement in all versions of a script of 300 lines over 100 versions: processor
 * time of the language's part alone, each version parsed and paired from nothing.
 */
import assert from "node:assert/strict";
import { landStatements } from "../../dist/languages/index.js";
import { makeResult, median } from "../measure.js";
import { scriptAt } from "./history.js";

/** @import { Bench } from "../measure.js" */

const LINES = 300;
const CPU_S_MAX = 5;
const FILE = "train.js";

/** @type {Bench} */
export async function benchLanding({ quick, progress }) {
  const versions = quick ? 10 : 100;
  const now = scriptAt({ lines: LINES, version: versions, probe: "f1_seven" });
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
      const then = scriptAt({ lines: LINES, version });
      const { landings } = landStatements({
        now: { file: FILE, text: (file) => (file === FILE ? now : undefined) },
        statements: [{ line, column: 1 }],
        then: { files: [FILE], text: (file) => (file === FILE ? then : undefined) },
      });
      const verdict = landings[0]?.verdict ?? "none";
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    }
    const { user, system } = process.cpuUsage(before);
    values.push((user + system) / 1e6);
  }
  const lines = now.split("\n").length;
  assert.ok(Math.abs(lines - LINES) < LINES / 10, `the script has ${lines} lines`);
  return [
    makeResult({
      name: `landing in ${versions} versions of a script of ${lines} lines: processor time`,
      values,
      ratios: values.map((seconds) => seconds / versions),
      unit: "s",
      goal: { text: `<= ${CPU_S_MAX} s`, pass: median(values) <= CPU_S_MAX },
      detail: { "s, min and max": [Math.min(...values), Math.max(...values)], verdicts },
    }),
  ];
}

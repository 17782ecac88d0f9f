// @ts-check
/**
 * @file How often it is noticed that the analysis overlooked a name: `test/handsfree/mutation.test.ts`
 * with all names of all loops of all programs, or some with `--quick`. `--rounds N`: so many names.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeResult } from "../measure.js";
import { ROOT } from "../replay/project.js";

/** @import { Bench } from "../measure.js" */
/** @typedef {{ program: string, overlook: string, outcome: "audit" | "check" | "equal" | "missed" }} Outcome */

const TEST = "test/handsfree/mutation.test.ts";

/** @type {Bench} */
export async function benchMutation({ quick, rounds, folder, progress }) {
  const count = String(rounds ?? (quick ? 3 : Infinity));
  const out = join(folder, "outcomes.json");
  progress(`${count} names`);
  await runTest({ AFTERLOG_TEST_COUNT: count, AFTERLOG_MUTATION_OUT: out });
  const outcomes = /** @type {Outcome[]} */ (JSON.parse(readFileSync(out, "utf8")));
  const changed = outcomes.filter(({ outcome }) => outcome !== "equal");
  /** @param {Outcome["outcome"]} wanted */
  const countOf = (wanted) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  return [
    makeResult({
      name: "names overlooked that changed an answer: share that was noticed",
      values: [changed.length],
      ratios: changed.map(({ outcome }) => (outcome === "missed" ? 0 : 1)),
      unit: "names",
      goal: { text: "all", pass: countOf("missed") === 0 },
      detail: {
        overlooked: outcomes.length,
        "by the audit": countOf("audit"),
        "by the deferred check": countOf("check"),
        "no answer changed": countOf("equal"),
        missed: outcomes.filter(({ outcome }) => outcome === "missed"),
      },
    }),
  ];
}

/**
 * A test that fails has written its outcomes all the same.
 * @param {{ [name: string]: string }} env
 * @returns {Promise<void>}
 */
function runTest(env) {
  const argv = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", TEST];
  const child = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

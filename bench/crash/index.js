// @ts-check
/**
 * @file The crash tests at full length: trainings that are killed a thousand times and continued,
 * kills at random moments of a recording, and power cuts at every moment. Each is the test of the same
 * name, with more rounds; what it says is whether all of them held.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { makeResult } from "../measure.js";

/** @import { Bench } from "../measure.js" */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * @param {string} file
 * @param {string} what is done to it, so often
 * @param {{ readonly quick: number, readonly full: number }} times
 * @returns {Bench}
 */
function held(file, what, times) {
  return async ({ quick, progress }) => {
    const count = quick ? times.quick : times.full;
    progress(`${count} ${what}`);
    const started = performance.now();
    const { status, stdout } = spawnSync("npx", ["vitest", "run", `test/crash/${file}`], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, AFTERLOG_TEST_COUNT: String(count) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) process.stderr.write(stdout);
    return [
      makeResult({
        name: `${file}: ${count} ${what}, all right`,
        values: [(performance.now() - started) / 1000],
        ratios: [status === 0 ? 1 : 0],
        unit: "s",
        goal: { atLeast: 1 },
        detail: {},
      }),
    ];
  };
}

/** @type {{ readonly [name: string]: Bench }} */
export const CRASH = {
  resume: held("resume-kills.test.ts", "kills", { quick: 10, full: 1000 }),
  record: held("random-kills.test.ts", "kills", { quick: 20, full: 1000 }),
  "power-cut": held("power-cut.test.ts", "cuts", { quick: 1, full: 50 }),
};

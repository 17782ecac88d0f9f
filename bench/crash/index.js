// @ts-check
/**
 * @file The crash tests at full length: trainings that are killed a thousand times and continued,
 * kills at random moments of a recording, and what a power cut leaves. Each is the test of the same
 * name, with more rounds; what it says is whether all of them held.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { makeResult } from "../measure.js";

/** @import { Bench } from "../measure.js" */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * @param {string} file
 * @param {{ readonly quick: number, readonly full: number }} kills
 * @returns {Bench}
 */
function held(file, kills) {
  return async ({ quick, progress }) => {
    const count = quick ? kills.quick : kills.full;
    progress(`${count} kills`);
    const started = performance.now();
    const { status, stdout } = spawnSync("npx", ["vitest", "run", `test/crash/${file}`], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, AFTERLOG_KILLS: String(count) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) process.stderr.write(stdout);
    return [
      makeResult({
        name: `${file}: ${count} kills, all right`,
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
  resume: held("resume-kills.test.ts", { quick: 10, full: 1000 }),
  record: held("random-kills.test.ts", { quick: 20, full: 1000 }),
  "power-cut": held("durability.test.ts", { quick: 1, full: 1 }),
};

/**
 * @file CheckFreq §6.2.2: whenever a training is killed, at most two intervals are lost. Here within
 * a budget, where the interval is what the policy chose; without one, see `resume-kills.test.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProfileRecord } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { DRAW_SEED } from "../support/draws.ts";

/** Longer than two seconds, so that its steps are worth checkpoints of their own. */
const STEPS = 130;
const STEP_MS = 20;

const PROGRAM = `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(1024), n: 0 });
const killAt = Number(process.env["KILL_AT"] ?? Infinity);
const cell = new Int32Array(new SharedArrayBuffer(4));
for (const epoch of al.loop("epoch", al.range(2))) {
  for (const step of al.loop("step", al.range(${STEPS}))) {
    Atomics.wait(cell, 0, 0, ${STEP_MS});
    state.w.fill(++state.n);
    al.log("n", state.n);
    if (state.n === killAt) process.kill(process.pid, "SIGKILL");
  }
}
`;

const SEED = DRAW_SEED;
/** Anywhere in the second epoch. */
const killAt = STEPS + 1 + (SEED % (STEPS - 1));

test(`killed at step ${killAt}, seed ${SEED}`, { timeout: 120_000 }, async () => {
  using project = new TestProject({ "train.ts": PROGRAM });
  const words = ["run", "--overhead", "20%", "train.ts"];
  const killed = await project.afterlogWith({ KILL_AT: String(killAt) }, ...words);
  expect(killed.code, killed.stderr).toBe(137);
  const intervals = readFileSync(join(project.run, "profile.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"k":"frequency"') && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Extract<ProfileRecord, { k: "frequency" }>)
    .map(({ interval }) => interval);
  // It is written again when it has changed by more than a tenth.
  const interval = Math.ceil(1.1 * Math.max(...intervals));
  expect(interval).toBeLessThan(STEPS / 4);
  const { stdout } = await project.afterlog("show", "@");
  expect(stdout).toMatch(/recovery +\d.* of work lost; resume: {2}afterlog run --resume=/);
  const { code, stderr } = await project.afterlog("run", "--resume", "train.ts");
  expect(code, stderr).toBe(0);
  const { records } = project;
  const rewind = records.findIndex(({ k }) => k === "rewind");
  const first = records.slice(rewind).find(({ k }) => k === "log");
  if (first?.k !== "log") throw new Error("nothing was logged after it went on");
  const lost = killAt - (Number(first.value) - 1);
  expect(lost).toBeGreaterThanOrEqual(0);
  expect(lost).toBeLessThanOrEqual(2 * interval);
});

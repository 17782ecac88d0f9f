/**
 * CheckFreq §6.2.2: whenever a training is killed, at most two intervals are lost. Here real processes at a budget
 * of 3.5 %, where the interval is what the policy chose; every moment of many trainings on a counted clock is in
 * `step-policy.test.ts`, and trainings without a budget in `resume-kills.test.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProfileRecord } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { count, DRAW_SEED, seededRandom } from "../support/draws.ts";

const STEPS = 100;
const EPOCHS = 2;
const STEP_MS = 40;
const KILLS = count(2, { long: 100 });
/** Of one training, which goes on after each. */
const KILLS_EACH = 2;

const PROGRAMS = {
  "train.ts": `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(1024), n: 0 });
const killAt = Number(process.env["KILL_AT"] ?? Infinity);
const cell = new Int32Array(new SharedArrayBuffer(4));
for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
  for (const step of al.loop("step", al.range(${STEPS}))) {
    Atomics.wait(cell, 0, 0, ${STEP_MS});
    state.w.fill(++state.n);
    al.log("n", state.n);
    if (state.n === killAt) process.kill(process.pid, "SIGKILL");
  }
}
`,
  "train.py": `import os, signal, time
import afterlog as al
state = al.checkpointing(w=bytearray(8192), n=0)
kill_at = int(os.environ.get("KILL_AT", 0))
for epoch in al.loop("epoch", range(${EPOCHS})):
    for step in al.loop("step", range(${STEPS})):
        time.sleep(${STEP_MS / 1000})
        state.n += 1
        state.w[step] = state.n % 256
        al.log("n", state.n)
        if state.n == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
`,
};

/** The interval as it was written at most; it is written again when it has changed by more than a tenth. */
function longestInterval(project: TestProject): number {
  const intervals = readFileSync(join(project.run, "profile.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"k":"frequency"') && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Extract<ProfileRecord, { k: "frequency" }>)
    .map(({ interval }) => interval);
  return Math.ceil(1.1 * Math.max(...intervals));
}

/** The first value that was logged after the run went on the last time. */
function goneOnWith({ records }: TestProject): number {
  const rewind = records.findLastIndex(({ k }) => k === "rewind");
  const first = records.slice(rewind).find(({ k }) => k === "log");
  if (rewind < 0 || first?.k !== "log") throw new Error("nothing was logged after it went on");
  return Number(first.value);
}

/**
 * Where each training is killed, the first time when it is known how long a step takes. One right behind the end of
 * an epoch is resumed from that end, and its next steps are checkpointed, too.
 */
function drawKills(): number[][] {
  const random = seededRandom(DRAW_SEED);
  const drawn = Array.from({ length: Math.ceil(KILLS / KILLS_EACH) }, () =>
    Array.from({ length: KILLS_EACH }, () => STEPS / 2 + random() * (EPOCHS - 0.5) * STEPS)
      .map(Math.floor)
      .toSorted((a, b) => a - b),
  );
  return [[STEPS + 3, EPOCHS * STEPS - 1], ...drawn.slice(1)];
}

test.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])(
  `%s, ${KILLS} kills, seed ${DRAW_SEED}`,
  { timeout: 60_000 + KILLS * 20_000 },
  async (program) => {
    const losses: number[] = [];
    for (const kills of drawKills()) {
      using project = new TestProject({ [program]: PROGRAMS[program] });
      const run = (...words: string[]): string[] => ["run", "--overhead", "3.5%", ...words];
      const resumed: number[] = [];
      const intervals: number[] = [];
      for (const [nth, killAt] of kills.entries()) {
        const words = nth === 0 ? run(program) : run("--resume", program);
        const { code, stderr } = await project.afterlogWith({ KILL_AT: String(killAt) }, ...words);
        // The second moment may be one that was passed before the run was killed first.
        expect([0, 137], stderr).toContain(code);
        if (nth > 0) resumed.push(goneOnWith(project));
        intervals.push(longestInterval(project));
      }
      const { stdout } = await project.afterlog("show", "@");
      expect(stdout).toMatch(/recovery +(\d.* of work lost|at most)/);
      const { code, stderr } = await project.afterlog(...run("--resume", program));
      expect(code, stderr).toBe(0);
      resumed.push(goneOnWith(project));
      for (const [nth, killAt] of kills.entries()) {
        const lost = killAt - ((resumed.at(nth) ?? 0) - 1);
        losses.push(lost);
        expect(lost, `killed at ${killAt}`).toBeGreaterThanOrEqual(0);
        expect(lost, `killed at ${killAt}`).toBeLessThanOrEqual(2 * (intervals.at(nth) ?? 0));
      }
    }
    // By epochs alone it would be half of one on average.
    const sum = losses.reduce((total, lost) => total + lost, 0);
    expect(sum / losses.length).toBeLessThan(STEPS / 2);
  },
);

test.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])(
  "%s: steps behind a loop that was skipped to go on have checkpoints",
  { timeout: 60_000 },
  async (program) => {
    using project = new TestProject({ [program]: PROGRAMS[program] });
    const run = ["run", "--overhead", "60%"];
    const killed = await project.afterlogWith({ KILL_AT: String(STEPS + 30) }, ...run, program);
    expect(killed.code, killed.stderr).toBe(137);
    // As if it had been killed before the end of the epoch was on the disk: only that of its loop is.
    const later = ['[["epoch",0]]', '[["epoch",1]'];
    const index = join(project.run, "checkpoints", "index.jsonl");
    const lines = readFileSync(index, "utf8").split("\n");
    const kept = lines.filter((line) => line !== "" && !later.some((path) => isOf(line, path)));
    writeFileSync(index, kept.map((line) => `${line}\n`).join(""));
    const again = await project.afterlogWith(
      { KILL_AT: String(EPOCHS * STEPS - 1) },
      ...run,
      "--resume",
      program,
    );
    expect(again.stderr).toContain("resumes after epoch=0,step=end");
    const taken = readFileSync(index, "utf8").split("\n");
    expect(taken.filter((line) => isOf(line, '[["epoch",1],["step",')).length).toBeGreaterThan(1);
  },
);

function isOf(line: string, path: string): boolean {
  return line.replaceAll(" ", "").includes(`"path":${path}`);
}

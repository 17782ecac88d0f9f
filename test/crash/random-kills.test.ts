/**
 * @file kill -9 at random moments: after each, what is listed verifies and restores, and the log is
 * a prefix of what was logged.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { readManifest } from "../../src/store/index.ts";
import { checkSurvived, countingProgram } from "./counting.ts";
import type { Started } from "../support/process.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { manifestOf } from "../support/recorded.ts";
import { count, DRAW_SEED, seededRandom } from "../support/draws.ts";

const KILLS = count(40, { long: 300 });
/** Two processes at a time, for two cores. */
const LANES = 2;
/** Longer than any of them lives. */
const ROUNDS = 1000;
/** A start takes about this long; one kill in eight falls into it. */
const START_MS = 200;
/** The others fall after one of so many steps, and up to so long after it. */
const STEPS_MAX = 40;
const AFTER_STEP_MS = 8;

const seed = DRAW_SEED;

interface Tally {
  kills: number;
  withRun: number;
  checkpoints: number;
  lines: number;
}

interface Projects {
  readonly memory: TestProject;
  readonly disk: TestProject;
}

/** Waits a random while, in the start or in the recording, and kills. */
async function killSomewhen(started: Started, random: () => number): Promise<void> {
  const inStart = random() < 1 / 8;
  const step = Math.floor(random() * STEPS_MAX);
  const moment = random();
  if (!inStart) await started.said(step === 0 ? "begun\n" : `\n${step}\n`);
  await sleep(moment * (inStart ? START_MS : AFTER_STEP_MS));
  started.child.kill("SIGKILL");
}

async function killOne(projects: Projects, random: () => number, tally: Tally): Promise<void> {
  // One in eight on the disk, with its O_DIRECT and slow syncs; the others where files are memory.
  const project = random() < 1 / 8 ? projects.disk : projects.memory;
  const before = new Set(project.runs);
  const persist = random() < 1 / 4 ? "inline" : "worker";
  const started = project.startTraining({
    env: { ...WITHOUT_GIT, AFTERLOG_OVERHEAD: "1", AFTERLOG_PERSIST: persist },
  });
  await killSomewhen(started, random);
  const { signal, side } = await started.finished;
  expect(signal).toBe("SIGKILL");
  tally.kills++;
  for (const run of project.runs.filter((folder) => !before.has(folder))) {
    const { checkpoints, logged } = checkSurvived(run, side);
    tally.checkpoints += checkpoints.length;
    tally.lines += logged;
    if (manifestOf(run) === undefined) continue;
    tally.withRun++;
    expect(readManifest(run).status).toBe("interrupted");
  }
}

test(`${KILLS} kills, seed ${seed}`, async () => {
  const tally: Tally = { kills: 0, withRun: 0, checkpoints: 0, lines: 0 };
  const lane = async (number: number): Promise<void> => {
    const random = seededRandom(seed + number);
    using memory = TestProject.apart({ fast: true });
    using disk = TestProject.apart();
    for (const project of [memory, disk]) {
      project.write("train.mjs", countingProgram(ROUNDS, 2048 + number * 4096));
    }
    while (tally.kills < KILLS) await killOne({ memory, disk }, random, tally);
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  // That the sweep hit what it was meant to hit.
  expect(tally.kills).toBeGreaterThanOrEqual(KILLS);
  expect(tally.withRun).toBeGreaterThan(KILLS / 2);
  expect(tally.checkpoints).toBeGreaterThan(KILLS);
  expect(tally.lines).toBeGreaterThan(KILLS);
  process.stdout.write(`seed ${seed}: ${JSON.stringify(tally)}\n`);
}, 240_000);

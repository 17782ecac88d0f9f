/** @file The disk is full: at the start, during a checkpoint, during the log, at any byte. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listCheckpoints, readManifest, runPaths } from "../../src/store/index.ts";
import { checkSurvived, countingProgram, STEPS_PER_ROUND } from "../crash/counting.ts";
import type { Finished } from "../support/process.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { manifestOf, ofKind, readLog, warnings } from "../support/recorded.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { needs } from "../support/needs.ts";

const ROUNDS = 6;
const MODES = ["worker", "inline"] as const;

/** Nothing of the program is different: its exit code, its output, no stack trace of ours. */
function expectUnhurt(ended: Finished, stdout: string): void {
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout });
}

/** Each thing is said once. */
function expectSaidOnce(stderr: string): string[] {
  const said = warnings(stderr).filter((line) => !line.includes("version turned off"));
  expect(new Set(said).size).toBe(said.length);
  expect(said.length).toBeGreaterThan(0);
  return said;
}

describe("a small disk", needs("mount"), () => {
  const FINISHED = `finished ${ROUNDS * STEPS_PER_ROUND}\n`;
  /** From nothing at all over every stage of a run: the manifest, the log, some checkpoints. */
  const sizes = ["4k", "8k", "12k", "16k", "24k", "32k", "48k", "64k", "96k", "112k"];
  const rows = sizes.flatMap((size) => MODES.map((mode) => ({ size, mode })));

  test.each(rows)("of $size, $mode", async ({ size, mode }) => {
    using project = TestProject.apart({ fast: true });
    using _ = new SmallDisk(project.store, { size });
    project.write("train.mjs", countingProgram(ROUNDS));
    const env = { ...WITHOUT_GIT, AFTERLOG_PERSIST: mode, AFTERLOG_OVERHEAD: "1" };
    const ended = await project.train({ env });
    expectUnhurt(ended, FINISHED);
    expectSaidOnce(ended.stderr);
    for (const run of project.runs) {
      manifestOf(run);
      checkSurvived(run, ended.side);
    }
  });

  /** Files cannot be made though there is room: each of the run's files is the first in turn. */
  const inodes = Array.from({ length: 8 }, (_, index) => index + 2);
  test.each(inodes)("of %i files", async (count) => {
    using project = TestProject.apart({ fast: true });
    using _ = new SmallDisk(project.store, { inodes: count });
    project.write("train.mjs", countingProgram(ROUNDS));
    const ended = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_OVERHEAD: "1" } });
    expectUnhurt(ended, FINISHED);
    expectSaidOnce(ended.stderr);
    for (const run of project.runs) checkSurvived(run, ended.side);
  });

  test.each(MODES)("filled by a checkpoint: the log goes on, %s", async (mode) => {
    using project = TestProject.apart({ fast: true });
    using _ = new SmallDisk(project.store, { size: "400k" });
    // 100 KiB of state that changes: the disk takes three checkpoints, not ten.
    project.write("train.mjs", countingProgram(10, 25_600));
    const env = { ...WITHOUT_GIT, AFTERLOG_PERSIST: mode, AFTERLOG_OVERHEAD: "0" };
    const ended = await project.train({ env });
    expectUnhurt(ended, `finished ${10 * STEPS_PER_ROUND}\n`);
    const said = expectSaidOnce(ended.stderr);
    expect(said).toEqual([expect.stringMatching(/checkpoints turned off: ENOSPC/)]);
    const { checkpoints, logged } = checkSurvived(project.onlyRun, ended.side);
    expect(checkpoints.length).toBeGreaterThan(0);
    expect(logged).toBe(10 * STEPS_PER_ROUND);
    expect(readLog(project.onlyRun).sealed).toBe("done");
    expect(readManifest(project.onlyRun)).toMatchObject({ status: "done", exitCode: 0 });
  });

  test.each(MODES)("filled by the log: it is a prefix, %s", async (mode) => {
    using project = TestProject.apart({ fast: true });
    using _ = new SmallDisk(project.store, { size: "600k" });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
const state = al.checkpointing({ n: 0 });
for (let round = 0; round < 20; round++) {
  for (const i of al.loop("i", al.range(1000))) al.log("n", ++state.n);
}
console.log("finished");
`,
    );
    const ended = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_PERSIST: mode } });
    expectUnhurt(ended, "finished\n");
    expect(expectSaidOnce(ended.stderr).join("\n")).toContain("log turned off: ENOSPC");
    const { records, damage, sealed } = readLog(project.onlyRun);
    expect({ damage, sealed }).toEqual({ damage: [], sealed: undefined });
    const values = ofKind(records, "log").map(({ value }) => value);
    expect(values.length).toBeGreaterThan(1000);
    expect(values).toEqual(values.map((_, index) => index + 1));
    for (const { logBytes } of listCheckpoints(project.onlyRun)) {
      expect(readFileSync(runPaths.log(project.onlyRun)).length).toBeGreaterThanOrEqual(logBytes);
    }
  });

  test("a disk that is emptied again: the log does not go on after a gap", async () => {
    using project = TestProject.apart({ fast: true });
    using _ = new SmallDisk(project.store, { size: "300k" });
    const ballast = join(project.store, "ballast");
    writeFileSync(ballast, Buffer.alloc(200_000));
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
import { rmSync } from "node:fs";
const state = al.checkpointing({ n: 0 });
for (let round = 0; round < 4; round++) {
  for (const i of al.loop("i", al.range(1000))) al.log("n", ++state.n);
  if (round === 2) rmSync(".afterlog/ballast");
}
console.log("finished");
`,
    );
    const ended = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_PERSIST: "inline" } });
    expectUnhurt(ended, "finished\n");
    const { records, damage } = readLog(project.onlyRun);
    expect(damage).toEqual([]);
    const values = ofKind(records, "log").map(({ value }) => value);
    expect(values).toEqual(values.map((_, index) => index + 1));
    rmSync(ballast, { force: true });
  });
});

describe("errors at the points of a persist stand in for a full disk", () => {
  test.each(MODES)("%s", async (mode) => {
    using project = TestProject.apart({ fast: true });
    project.write("train.mjs", countingProgram(ROUNDS));
    const crash = { AFTERLOG_CRASH_AT: "ENOSPC:persist:before-data-sync#2" };
    const env = { ...WITHOUT_GIT, ...crash, AFTERLOG_PERSIST: mode };
    const ended = await project.train({ env });
    expectUnhurt(ended, `finished ${ROUNDS * STEPS_PER_ROUND}\n`);
    expect(checkSurvived(project.onlyRun, ended.side).checkpoints).toHaveLength(1);
    expectSaidOnce(ended.stderr);
  });
});

/** @file Surroundings that are not as expected: the program runs as if we were not there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/store/index.ts";
import { checkSurvived, countingProgram, STEPS_PER_ROUND } from "../crash/counting.ts";
import type { Finished } from "../support/process.ts";
import { TestProject } from "../support/project.ts";
import { readLog, warnings } from "../support/recorded.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { needs } from "../support/needs.ts";

const ROUNDS = 3;
const MODES = ["worker", "inline"] as const;

function project(options: { git?: boolean } = {}): TestProject {
  const made = TestProject.apart({ fast: true, ...options });
  made.write("train.mjs", countingProgram(ROUNDS));
  return made;
}

function expectUnhurt(ended: Finished): void {
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  const stdout = `finished ${ROUNDS * STEPS_PER_ROUND}\n`;
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout });
}

describe("nothing can be recorded", () => {
  test.each(MODES)(".afterlog is read-only, %s", needs("mount"), async (mode) => {
    using made = project();
    using disk = new SmallDisk(made.store, {});
    mkdirSync(join(made.store, "runs"));
    disk.makeReadOnly();
    const ended = await made.train({ env: { AFTERLOG_PERSIST: mode } });
    expectUnhurt(ended);
    expect(warnings(ended.stderr)).toEqual([
      expect.stringMatching(/not recording: .*EROFS.*read-only/),
    ]);
    expect(made.runs).toEqual([]);
  });

  test.each([
    [".afterlog is a file", ".afterlog"],
    [".afterlog/runs is a file", ".afterlog/runs"],
  ])("%s", async (_, file) => {
    using made = project();
    made.write(file, "in the way\n");
    const ended = await made.train();
    expectUnhurt(ended);
    expect(warnings(ended.stderr)).toEqual([expect.stringContaining("not recording: ")]);
  });

  test("recording is switched off", async () => {
    using made = project();
    const ended = await made.train({ env: { AFTERLOG_MODE: "off" } });
    expectUnhurt(ended);
    expect(ended.stderr).toBe("");
    expect(made.runs).toEqual([]);
  });
});

describe("something is missing", () => {
  test.each([
    { what: "no HOME", env: { HOME: undefined }, git: true, off: [] },
    { what: "an empty environment but PATH", env: { HOME: undefined, LC_ALL: undefined }, off: [] },
    { what: "no git on PATH", env: { PATH: "/nonexistent" }, git: true, off: ["version"] },
    { what: "no repository and no git", env: { PATH: "/nonexistent" }, off: ["version"] },
    { what: "no PATH", env: { PATH: undefined }, git: true },
  ])("$what", async ({ env, git = false, off }) => {
    using made = project({ git });
    const ended = await made.train({ env });
    expectUnhurt(ended);
    const { logged } = checkSurvived(made.onlyRun, ended.side);
    expect(logged).toBe(ROUNDS * STEPS_PER_ROUND);
    expect(readLog(made.onlyRun).sealed).toBe("done");
    const manifest = readManifest(made.onlyRun);
    expect(manifest.status).toBe("done");
    if (off === undefined) return;
    expect(manifest.off.map(({ feature }) => feature)).toEqual(off);
    expect(warnings(ended.stderr)).toHaveLength(off.length);
    expect(manifest.version === null).toBe(off.length > 0);
  });
});

describe("while it runs", () => {
  test.each(MODES)("the run's folder is deleted, %s", async (mode) => {
    using made = project();
    made.write(
      "train.mjs",
      HALTING.replace("/* here */", 'rmSync(".afterlog", { recursive: true, maxRetries: 9 });'),
    );
    const started = made.startTraining({ env: { AFTERLOG_PERSIST: mode } });
    await started.said("halted");
    writeFileSync(join(made.folder, "go"), "");
    const ended = await started.finished;
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished\n" });
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect(warnings(ended.stderr).length).toBeGreaterThan(0);
  });

  test("a file that the program wrote is put out of reach", async () => {
    using made = project();
    made.write(
      "train.mjs",
      `import * as al from "afterlog";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
al.log("x", 1);
writeFileSync("out.txt", "out");
rmSync("out.txt");
symlinkSync("out.txt", "out.txt");
console.log("finished");
`,
    );
    const ended = await made.train();
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished\n" });
    expect(warnings(ended.stderr)).toEqual([]);
    expect(readLog(made.onlyRun).sealed).toBe("done");
  });

  test("the program logs once more when it exits: after the seal there is nothing", async () => {
    using made = project();
    made.write(
      "train.mjs",
      `import * as al from "afterlog";
process.on("exit", () => al.log("before", 1));
al.log("x", 1);
process.on("exit", () => {
  al.log("after", "z".repeat(5_000_000));
  for (const i of al.loop("late", [1, 2])) al.log("after", i);
});
`,
    );
    const ended = await made.train();
    expect(ended.code).toBe(0);
    const { records, sealed, damage } = readLog(made.onlyRun);
    expect({ sealed, damage }).toEqual({ sealed: "done", damage: [] });
    const names = records.flatMap((record) => (record.k === "log" ? [record.name] : []));
    expect(names).toEqual(["x", "before"]);
  });
});

/** Records two rounds, halts until it is told to go on, records two more. */
const HALTING = `
import * as al from "afterlog";
import { existsSync, rmSync, writeSync } from "node:fs";
const state = al.checkpointing({ w: new Float64Array(2000), n: 0 });
const round = () => {
  for (const i of al.loop("i", al.range(3))) al.log("n", ++state.n);
};
round();
round();
/* here */
writeSync(3, "halted");
while (!existsSync("go"));
round();
round();
console.log("finished");
`;

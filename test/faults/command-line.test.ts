/** @file The same faults under `afterlog run`: the program's exit code, output and state come first. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readManifest, runPaths, verifyCheckpoints } from "../../src/store/index.ts";
import type { Finished } from "../support/process.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { ofKind, readLog } from "../support/recorded.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { needs } from "../support/needs.ts";

/** Six rounds of three logged values, with 40 KiB of state; `act` comes in the last. */
function program(act = ""): string {
  return `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(5000), n: 0 });
for (let round = 0; round < 6; round++) {
  for (const i of al.loop("i", al.range(3))) {
    state.w.fill(++state.n);
    al.log("n", state.n);
    if (state.n === 17) { ${act} }
  }
}
console.log("finished", state.n);
`;
}

function project(act?: string): TestProject {
  const made = TestProject.apart({ fast: true });
  made.write("train.mjs", program(act));
  return made;
}

function run(made: TestProject, env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return made.train({ cli: true, env: { ...WITHOUT_GIT, ...env } });
}

/** What is listed verifies, and the log is a prefix of what the program logged. */
function checkRun(folder: string): number {
  expect(verifyCheckpoints(folder).bad).toEqual([]);
  const { records, damage } = readLog(folder);
  expect(damage).toEqual([]);
  const values = ofKind(records, "log").map(({ value }) => value);
  expect(values).toEqual(values.map((_, index) => index + 1));
  return values.length;
}

describe("exit codes", () => {
  test.each([
    { what: "exit 0", act: "", code: 0, status: "done" },
    { what: "exit 3", act: "process.exit(3);", code: 3, status: "failed" },
    { what: "an exception", act: 'throw new Error("mine");', code: 1, status: "failed" },
    {
      what: "SIGKILL",
      act: 'process.kill(process.pid, "SIGKILL");',
      code: 137,
      status: "interrupted",
    },
    {
      what: "SIGTERM",
      act: 'process.kill(process.pid, "SIGTERM");',
      code: 143,
      status: "interrupted",
    },
    { what: "abort", act: "process.abort();", code: 134, status: "interrupted" },
  ])("$what", async ({ act, code, status }) => {
    using made = project(act);
    const ended = await run(made);
    expect(ended.code).toBe(code);
    expect(ended.signal).toBeNull();
    expect(ended.stdout).toBe(act === "" ? "finished 18\n" : "");
    expect(readManifest(made.onlyRun).status).toBe(status);
    checkRun(made.onlyRun);
    expect(readFileSync(runPaths.stdout(made.onlyRun), "utf8")).toBe(ended.stdout);
  });
});

describe("faults", () => {
  test.each([
    "worker:persist:mid-data#2",
    "worker:log:before-write#2",
    "ENOSPC:persist:before-header#2",
    "EIO:persist:before-log-sync",
  ])("%s", async (crashAt) => {
    using made = project();
    const ended = await run(made, { AFTERLOG_CRASH_AT: crashAt });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({
      code: 0,
      stdout: "finished 18\n",
    });
    expect(ended.stderr.match(/checkpoints turned off/g)).toHaveLength(1);
    expect(checkRun(made.onlyRun)).toBe(18);
    expect(readLog(made.onlyRun).sealed).toBe("done");
    const off = readManifest(made.onlyRun).off.map(({ feature }) => feature);
    expect(off).toEqual(["version", "checkpoints"]);
  });

  test.each(["persist:before-rename#2", "log:before-write#3", "persist:after-index"])(
    "kill -9 at %s",
    async (crashAt) => {
      using made = project();
      const ended = await run(made, { AFTERLOG_CRASH_AT: crashAt });
      expect(ended.code).toBe(137);
      checkRun(made.onlyRun);
      expect(readManifest(made.onlyRun)).toMatchObject({
        status: "interrupted",
        signal: "SIGKILL",
      });
    },
  );

  test.each(["4k", "16k", "32k", "64k", "128k"])("a disk of %s", needs("mount"), async (size) => {
    using made = project();
    using _ = new SmallDisk(made.store, { size });
    const ended = await run(made);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({
      code: 0,
      stdout: "finished 18\n",
    });
    for (const folder of made.runs) checkRun(folder);
  });

  test("read-only .afterlog", needs("mount"), async () => {
    using made = project();
    using disk = new SmallDisk(made.store, {});
    mkdirSync(join(made.store, "runs"));
    disk.makeReadOnly();
    const ended = await run(made);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({
      code: 0,
      stdout: "finished 18\n",
    });
    expect(ended.stderr.match(/not recording/g)).toHaveLength(1);
    expect(made.runs).toEqual([]);
  });

  test(".afterlog is a file", async () => {
    using made = project();
    made.write(".afterlog", "in the way\n");
    const ended = await run(made);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({
      code: 0,
      stdout: "finished 18\n",
    });
    expect(ended.stderr.match(/not recording/g)).toHaveLength(1);
  });
});

describe("signals reach the program", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s", async (signal) => {
    using made = TestProject.apart({ fast: true });
    made.write(
      "train.mjs",
      `import * as al from "afterlog";
import { writeFileSync } from "node:fs";
process.on("${signal}", () => { al.log("last", 1); process.exit(9); });
writeFileSync("ready", "");
setTimeout(() => {}, 60_000);
`,
    );
    const started = made.startTraining({ cli: true, env: WITHOUT_GIT });
    while (!existsSync(join(made.folder, "ready"))) await new Promise(setImmediate);
    started.child.kill(signal);
    const ended = await started.finished;
    expect(ended.code).toBe(9);
    expect(readManifest(made.onlyRun)).toMatchObject({ status: "failed", exitCode: 9 });
    expect(ofKind(readLog(made.onlyRun).records, "log")).toMatchObject([{ name: "last" }]);
  });
});

/** @file Runs of one project that begin at the same time, each in its own process. */
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { readManifest, storePaths } from "../../src/store/index.ts";
import { checkSurvived, countingProgram, STEPS_PER_ROUND } from "../crash/counting.ts";
import { CLEAN_ENVIRONMENT, TestProject } from "../support/project.ts";
import { readLog, warnings } from "../support/recorded.ts";

const ROUNDS = 3;

/** All have loaded and wait; then all begin with the same look at the clock. */
const GATED = `
import { existsSync, writeSync } from "node:fs";
await import("afterlog");
writeSync(3, "ready");
while (!existsSync("go"));
await import("./train.mjs");
`;

describe.each([
  { git: true, what: "a repository" },
  { git: false, what: "no repository" },
])("in $what", ({ git }) => {
  test.each([2, 4])("%i runs", async (count) => {
    using project = TestProject.apart({ fast: true, git });
    project.write("train.mjs", countingProgram(ROUNDS));
    project.write("gated.mjs", GATED);
    const started = Array.from({ length: count }, () =>
      project.startTraining({ program: "gated.mjs" }),
    );
    await Promise.all(started.map((one) => one.said("ready")));
    project.write("go", "");
    const ended = await Promise.all(started.map((one) => one.finished));
    for (const one of ended) {
      expect(warnings(one.stderr)).toEqual([]);
      expect(one).toMatchObject({ code: 0, stdout: `finished ${ROUNDS * STEPS_PER_ROUND}\n` });
    }
    const { runs } = project;
    expect(new Set(runs).size).toBe(count);
    const [{ side } = { side: "" }] = ended;
    for (const run of runs) {
      const { logged } = checkSurvived(run, side);
      expect(logged).toBe(ROUNDS * STEPS_PER_ROUND);
      expect(readLog(run).sealed).toBe("done");
      expectVersion(project, run, git);
    }
  });
});

/** The version is there under the run's own name, and holds the program. */
function expectVersion(project: TestProject, run: string, git: boolean): void {
  const manifest = readManifest(run);
  expect(manifest).toMatchObject({ run: basename(run), status: "done", off: [] });
  const { commit = "", ref = "" } = manifest.version ?? {};
  expect(ref).toContain(basename(run));
  const folder = git ? project.folder : storePaths.privateGit(project.store);
  const ask = (...args: string[]): string =>
    execFileSync("git", args, { cwd: folder, env: CLEAN_ENVIRONMENT, encoding: "utf8" });
  expect(ask("rev-parse", ref).trim()).toBe(commit);
  expect(ask("show", `${commit}:train.mjs`)).toBe(countingProgram(ROUNDS));
}

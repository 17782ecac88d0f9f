/**
 * @file A disk that is slow, stalls, takes half of what it is given, or fails, while checkpoints of
 * steps are taken: the training goes on, what is listed is whole, and nothing waits for ever.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { readManifest, runPaths, verifyCheckpoints } from "../../src/store/index.ts";
import type { Finished } from "../support/process.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { ofKind, readLog, restoreRecord, sequence, warnings } from "../support/recorded.ts";
import { readFileSync } from "node:fs";

vi.setConfig({ testTimeout: 60_000 });

const EPOCHS = 3;
const STEPS = 4;
/** Two tensors of 64 KiB, so that a checkpoint's data are several writes, and a count. */
const PROGRAM = `import * as al from "afterlog";
const state = al.checkpointing({ a: new Float32Array(16384), b: new Float32Array(16384), n: 0 });
for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
  for (const step of al.loop("step", al.range(${STEPS}))) {
    state.n++;
    state.a.fill(state.n);
    state.b.fill(-state.n);
    al.log("n", state.n);
  }
}
console.log("finished", state.n);
`;
const PRELOAD = fileURLToPath(new URL("./odd-disk.cjs", import.meta.url));

/** Trains on such a disk; whatever happens to the files, the program must not notice. */
async function train(project: TestProject, env: NodeJS.ProcessEnv): Promise<Finished> {
  project.write("train.mjs", PROGRAM);
  const flags = env["ODD_DISK"] === undefined ? {} : { NODE_OPTIONS: `--require=${PRELOAD}` };
  const ended = await project.train({
    env: { ...WITHOUT_GIT, AFTERLOG_OVERHEAD: "inf", ...flags, ...env },
  });
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({
    code: 0,
    stdout: `finished ${EPOCHS * STEPS}\n`,
  });
  return ended;
}

/** Every listed checkpoint restores to what the program had there; answers how many. */
function checkListed(run: string): number {
  const { good, bad } = verifyCheckpoints(run);
  expect(bad).toEqual([]);
  for (const record of good) {
    const [[, epoch = 0] = [], [, step = "end"] = []] = record.path;
    const epochs = epoch === "end" ? EPOCHS : epoch;
    const steps = epoch === "end" ? 0 : step === "end" ? STEPS : step + 1;
    const n = epochs * STEPS + steps;
    const state = restoreRecord(run, record);
    expect([state["n"], (state["a"] as Float32Array)[9], (state["b"] as Float32Array)[9]]).toEqual([
      n,
      n,
      -n,
    ]);
  }
  return good.length;
}

function checkLog(run: string): void {
  const { records, damage, sealed } = readLog(run);
  expect({ damage, sealed }).toEqual({ damage: [], sealed: "done" });
  expect(sequence(records)).toEqual(sequence(records).map((_, at) => at));
  expect(ofKind(records, "log").map(({ value }) => value)).toEqual(
    Array.from({ length: EPOCHS * STEPS }, (_, at) => at + 1),
  );
}

function turnedOff(run: string): string[] {
  const { off } = readManifest(run);
  return off.map(({ feature }) => feature).filter((feature) => feature !== "version");
}

/** Ends of iterations and of loops, at every level. */
const ALL = EPOCHS * (STEPS + 2) + 1;

describe("slow", () => {
  test.each(["worker", "inline"])("%s: none is abandoned, and all are whole", async (persist) => {
    using project = TestProject.apart({ fast: true });
    const env = { AFTERLOG_CRASH_AT: "stall=150:persist:before-data-sync#2-5" };
    await train(project, { ...env, AFTERLOG_PERSIST: persist });
    expect(checkListed(project.onlyRun)).toBe(ALL);
    checkLog(project.onlyRun);
    expect(turnedOff(project.onlyRun)).toEqual([]);
  });

  test("within a budget the training does not wait for it", async () => {
    using project = TestProject.apart({ fast: true });
    const env = {
      AFTERLOG_CRASH_AT: "stall=1000:persist:before-data-sync#1",
      AFTERLOG_OVERHEAD: "0.5",
    };
    await train(project, env);
    checkListed(project.onlyRun);
    const { overhead } = readManifest(project.onlyRun);
    // For a slot that is still written, which lasted as long as said below.
    expect(overhead?.waitMs).toBeLessThan(1000);
    // It did last; only the end of the outermost loop, apart from the budget, waited for it.
    const persists = readFileSync(runPaths.profile(project.onlyRun), "utf8")
      .split("\n")
      .filter((line) => line.startsWith('{"k":"persist"'))
      .map((line) => (JSON.parse(line) as { ms: number }).ms);
    expect(Math.max(...persists)).toBeGreaterThanOrEqual(1000);
  });
});

describe("stalled: it is given up, and the training ends as it would have", () => {
  const FOREVER = "stall=1000000";
  test.each([
    ["a sync of a checkpoint", { AFTERLOG_CRASH_AT: `${FOREVER}:persist:before-data-sync#4` }, 3],
    ["the line of the index", { AFTERLOG_CRASH_AT: `${FOREVER}:persist:before-index#2` }, 1],
    ["a write that never comes back", { ODD_DISK: "never" }, undefined],
    ["the log", { AFTERLOG_CRASH_AT: `${FOREVER}:log:before-write#2` }, undefined],
  ])("%s", async (_, env, listed) => {
    using project = TestProject.apart({ fast: true });
    const { stderr } = await train(project, { ...env, AFTERLOG_STALL_MS: "1500" });
    const count = checkListed(project.onlyRun);
    if (listed !== undefined) expect(count).toBe(listed);
    checkLog(project.onlyRun);
    expect(turnedOff(project.onlyRun)).toEqual(["checkpoints"]);
    const said = warnings(stderr).filter((line) => !line.includes("version"));
    expect(said).toEqual([expect.stringContaining("it got nothing done for 1.5 s")]);
  });
});

describe("odd", () => {
  const NO_SPACE = "ENOSPC:persist:before-data-sync#3";

  test.each(["worker", "inline"])("%s: short writes are completed", async (persist) => {
    using project = TestProject.apart({ fast: true });
    await train(project, { ODD_DISK: "short", AFTERLOG_PERSIST: persist });
    expect(checkListed(project.onlyRun)).toBe(ALL);
    checkLog(project.onlyRun);
    expect(turnedOff(project.onlyRun)).toEqual([]);
  });

  test("short writes, where files are written past the cache", async () => {
    using project = TestProject.apart();
    await train(project, { ODD_DISK: "short" });
    expect(checkListed(project.onlyRun)).toBe(ALL);
    checkLog(project.onlyRun);
  });

  test.each([
    ["EIO of a sync, the thread's", "EIO", { ODD_DISK: "EIO" }],
    ["EIO of a sync, inline", "EIO", { ODD_DISK: "EIO", AFTERLOG_PERSIST: "inline" }],
    ["no space, the thread's", "ENOSPC", { AFTERLOG_CRASH_AT: NO_SPACE }],
    ["no space, inline", "ENOSPC", { AFTERLOG_CRASH_AT: NO_SPACE, AFTERLOG_PERSIST: "inline" }],
  ])("%s: said once, and no torn file counts", async (_, code, env) => {
    using project = TestProject.apart({ fast: true });
    const { stderr } = await train(project, env);
    checkListed(project.onlyRun);
    const { records, damage } = readLog(project.onlyRun);
    expect(damage).toEqual([]);
    expect(ofKind(records, "log")).toHaveLength(EPOCHS * STEPS);
    const said = warnings(stderr).filter((line) => !line.includes("version"));
    expect(new Set(said).size).toBe(said.length);
    expect(said.join("\n")).toContain(`checkpoints turned off: ${code}`);
  });
});

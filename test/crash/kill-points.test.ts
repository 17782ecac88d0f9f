/** @file The program, or its worker alone, dies at each named point of a persist. */
import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/store/index.ts";
import { some } from "../support/draws.ts";
import { checkSurvived, countingProgram, STEPS_PER_ROUND } from "./counting.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { checkpointFiles, readLog, warnings } from "../support/recorded.ts";

/** In the order in which one checkpoint passes them; the last is after the line in the index. */
const PERSIST = [
  "persist:before-open",
  "persist:before-data",
  "persist:mid-data",
  "persist:before-data-sync",
  "persist:before-header",
  "persist:before-header-sync",
  "persist:before-rename",
  "persist:before-folder-sync",
  "persist:before-log-sync",
  "persist:before-index",
  "persist:after-index",
] as const;
/** Where a file is open that has not got its name yet. */
const UNFINISHED: readonly string[] = PERSIST.slice(
  PERSIST.indexOf("persist:before-data"),
  PERSIST.indexOf("persist:before-rename") + 1,
);
const WRITES = ["log:before-write", "profile:before-write"] as const;
/** Where there is no thread, data and lines are written without a stop. */
const INLINE = PERSIST.filter((point) => !/(?:before|mid)-data$/.test(point));

const ROUNDS = 6;
const TIMES = [1, 3] as const;

function project(): TestProject {
  const made = TestProject.apart({ fast: true });
  made.write("train.mjs", countingProgram(ROUNDS));
  return made;
}

const BASE = { ...WITHOUT_GIT, AFTERLOG_OVERHEAD: "1" };

interface Row {
  readonly point: string;
  readonly time: number;
  readonly persist: "worker" | "inline";
}

const rows = (points: readonly string[], persist: Row["persist"]): Row[] =>
  points.flatMap((point) => TIMES.map((time) => ({ point, time, persist })));

/** How many checkpoints are listed when the process dies there: those before, or this one too. */
function listed({ point, time }: Row): number | undefined {
  if (!point.startsWith("persist:")) return undefined;
  return point === "persist:after-index" ? time : time - 1;
}

describe("kill -9", () => {
  const table = [...rows([...PERSIST, ...WRITES], "worker"), ...rows(INLINE, "inline")];
  test.each(some(table, { every: 3 }))("$persist, $point, time $time", async (row) => {
    using made = project();
    const crash = { AFTERLOG_CRASH_AT: `${row.point}#${row.time}`, AFTERLOG_PERSIST: row.persist };
    const { signal, side } = await made.train({ env: { ...BASE, ...crash } });
    expect(signal).toBe("SIGKILL");
    const { checkpoints } = checkSurvived(made.onlyRun, side);
    const count = listed(row);
    if (count !== undefined) expect(checkpoints).toHaveLength(count);
    // The unfinished file is still there, under a name that no reader takes for a checkpoint.
    const unfinished = checkpointFiles(made.onlyRun).filter((name) => name.endsWith(".tmp"));
    expect(unfinished).toHaveLength(UNFINISHED.includes(row.point) ? 1 : 0);
    expect(readLog(made.onlyRun).sealed).toBeUndefined();
    expect(readManifest(made.onlyRun).status).toBe("interrupted");
  });
});

describe("the worker dies", () => {
  const table = rows([...PERSIST, ...WRITES], "worker");
  test.each(some(table, { every: 3 }))("$point, time $time", async (row) => {
    using made = project();
    const env = { ...BASE, AFTERLOG_CRASH_AT: `worker:${row.point}#${row.time}` };
    const ended = await made.train({ env });
    expectFinished(ended);
    const { checkpoints, logged } = checkSurvived(made.onlyRun, ended.side);
    const count = listed(row);
    if (count !== undefined) expect(checkpoints).toHaveLength(count);
    expectSealed(made.onlyRun, logged);
    expectOff(made.onlyRun, ended.stderr, /the background thread stopped/);
  });
});

describe("the disk fails", () => {
  const errors = ["ENOSPC", "EIO"] as const;
  const table = errors.flatMap((error) => [
    ...rows(PERSIST, "worker").map((row) => ({ ...row, error })),
    ...rows(INLINE, "inline").map((row) => ({ ...row, error })),
  ]);
  test.each(some(table, { every: 5 }))("$error, $persist, $point, time $time", async (row) => {
    using made = project();
    const crash = { AFTERLOG_CRASH_AT: `${row.error}:${row.point}#${row.time}` };
    const ended = await made.train({ env: { ...BASE, ...crash, AFTERLOG_PERSIST: row.persist } });
    expectFinished(ended);
    const { checkpoints, logged } = checkSurvived(made.onlyRun, ended.side);
    expect(checkpoints).toHaveLength(listed(row) ?? 0);
    expectSealed(made.onlyRun, logged);
    expectOff(made.onlyRun, ended.stderr, new RegExp(row.error));
  });

  test("ENOSPC, the log: it ends there, and no checkpoint claims more of it", async () => {
    using made = project();
    const env = { ...BASE, AFTERLOG_CRASH_AT: "ENOSPC:log:before-write#3" };
    const ended = await made.train({ env });
    expectFinished(ended);
    checkSurvived(made.onlyRun, ended.side);
    expect(readLog(made.onlyRun).sealed).toBeUndefined();
    const said = warnings(ended.stderr).filter((line) => !line.includes("version turned off"));
    expect(said).toEqual([expect.stringContaining("log turned off: ENOSPC")]);
    const { off, status } = readManifest(made.onlyRun);
    expect(off.map(({ feature }) => feature)).toEqual(["version", "log", "checkpoints"]);
    expect(status).toBe("done");
  });

  test("ENOSPC, the profile: nothing else is given up", async () => {
    using made = project();
    const env = { ...BASE, AFTERLOG_CRASH_AT: "ENOSPC:profile:before-write#3" };
    const ended = await made.train({ env });
    expectFinished(ended);
    const { logged } = checkSurvived(made.onlyRun, ended.side);
    expectSealed(made.onlyRun, logged);
    const { off } = readManifest(made.onlyRun);
    expect(off.map(({ feature }) => feature)).toEqual(["version", "profile"]);
  });
});

function expectFinished(ended: { code: number | null; stdout: string; stderr: string }): void {
  expect(ended.stderr).not.toMatch(/at .*\.js:\d+/);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({
    code: 0,
    stdout: `finished ${ROUNDS * STEPS_PER_ROUND}\n`,
  });
}

function expectSealed(runFolder: string, logged: number): void {
  expect(logged).toBe(ROUNDS * STEPS_PER_ROUND);
  expect(readLog(runFolder)).toMatchObject({ sealed: "done", tornBytes: 0, damage: [] });
  expect(readManifest(runFolder)).toMatchObject({ status: "done", exitCode: 0 });
}

/** Said once on stderr, and kept in the manifest and in the log, each with its reason. */
function expectOff(runFolder: string, stderr: string, why: RegExp): void {
  const said = warnings(stderr).filter((line) => !line.includes("version turned off"));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(why);
  const { off } = readManifest(runFolder);
  const ours = off.filter(({ feature }) => feature !== "version");
  expect(ours).toEqual([{ feature: "checkpoints", why: expect.stringMatching(why) }]);
  const logged = readLog(runFolder).records.filter((record) => record.k === "off");
  expect(logged).toMatchObject([{ feature: "checkpoints" }]);
}

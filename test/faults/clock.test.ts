/** @file The wall clock moves backwards, between runs and inside one. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Manifest, ProfileRecord } from "../../src/format/index.ts";
import { listCheckpoints, readManifest, runPaths, storePaths } from "../../src/store/index.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { readLog } from "../support/recorded.ts";

/** A clock that is off by `CLOCK_OFFSET` ms, and that the program can set. */
const CLOCK = `
const RealDate = Date;
let offset = Number(process.env.CLOCK_OFFSET ?? 0);
globalThis.setClock = (ms) => { offset = ms; };
globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }
  static now() { return RealDate.now() + offset; }
};
`;

const PROGRAM = `
import * as al from "afterlog";
const state = al.checkpointing({ w: new Float32Array(2000) });
for (let round = 0; round < 4; round++) {
  for (const epoch of al.loop("epoch", al.range(2))) {
    for (const step of al.loop("step", al.range(2))) al.log("x", state.w[0]++);
  }
  if (process.env.JUMP) setClock(Number(process.env.JUMP) * (round + 1));
}
`;

const HOUR = 3_600_000;

function project(): TestProject {
  const made = TestProject.apart({ fast: true });
  made.write("clock.mjs", CLOCK);
  made.write("train.mjs", PROGRAM);
  return made;
}

/** Runs the program under that clock; the folder of the new run. */
async function runAt(made: TestProject, env: NodeJS.ProcessEnv): Promise<string> {
  const before = new Set(made.runs);
  const flags = ["--import", "./clock.mjs"];
  const ended = await made.train({
    flags,
    env: { ...WITHOUT_GIT, AFTERLOG_OVERHEAD: "1", ...env },
  });
  expect(ended.code).toBe(0);
  const [run = ""] = made.runs.filter((folder) => !before.has(folder));
  return run;
}

/** No duration is negative, no time comes before the one before it. */
function expectForward(run: string): void {
  const manifest = readManifest(run);
  expect(manifest.status).toBe("done");
  const tookMs = Date.parse(manifest.ended ?? "") - Date.parse(manifest.started);
  expect(tookMs).toBeGreaterThanOrEqual(0);
  const { overhead } = manifest;
  expect(Object.values(overhead ?? {}).every((value) => value >= 0)).toBe(true);
  const times = readLog(run).records.flatMap((record) => ("t" in record ? [record.t] : []));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const { times, t } of listCheckpoints(run)) {
    expect([t, ...Object.values(times)].every((value) => value >= 0)).toBe(true);
  }
  const profile = readFileSync(runPaths.profile(run), "utf8").trimEnd().split("\n");
  for (const line of profile) {
    const record = JSON.parse(line) as ProfileRecord;
    const durations =
      record.k === "iterations"
        ? [record.next, record.head, record.inner ?? [], record.tail ?? []].flat()
        : record.k === "frequency"
          ? [record.iterationMs, record.blockedMs, record.persistMs]
          : [record.ms];
    expect(
      durations.filter((ms) => !(ms >= 0)),
      line,
    ).toEqual([]);
  }
}

function orders(runs: readonly string[]): number[] {
  return runs.map((run): Manifest["order"] => readManifest(run).order);
}

function expectInOrder(runs: readonly string[]): void {
  const found = orders(runs);
  expect(new Set(found).size).toBe(runs.length);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
}

test("between runs: they stay in the order in which they began", async () => {
  using made = project();
  const runs: string[] = [];
  for (const offset of [0, -HOUR, -24 * HOUR, -23 * HOUR, HOUR, -HOUR]) {
    runs.push(await runAt(made, { CLOCK_OFFSET: String(offset) }));
  }
  for (const run of runs) expectForward(run);
  expectInOrder(runs);
});

test("inside a run: nothing takes less than no time", async () => {
  using made = project();
  const first = await runAt(made, { JUMP: String(-HOUR) });
  const second = await runAt(made, {});
  expectForward(first);
  expectForward(second);
  expectInOrder([first, second]);
});

describe("the note of the last run's place is lost while the clock is behind", () => {
  test.each([
    ["gone", undefined],
    ["empty", ""],
    ["not a number", "garbage\n"],
    ["infinite", "Infinity"],
  ])("%s", async (_, text) => {
    using made = project();
    const first = await runAt(made, {});
    const clock = storePaths.clock(made.store);
    if (text === undefined) rmSync(clock);
    else writeFileSync(clock, text);
    const second = await runAt(made, { CLOCK_OFFSET: String(-HOUR) });
    expectInOrder([first, second]);
  });
});

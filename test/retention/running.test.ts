/** Checkpoints that go while the training runs: what stays is sound, whatever happens in between. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProfileRecord } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { some } from "../support/draws.ts";
import { TestProject } from "../support/project.ts";
import { EPOCHS, PEAK, Training } from "./training.ts";

describe("--keep", () => {
  test.each<[string, (kept: readonly string[]) => void]>([
    ["all", (kept) => expect(kept).toHaveLength(EPOCHS * 6 + 1)],
    [
      "peak:accuracy",
      (kept) => {
        expect(kept).toEqual(expect.arrayContaining([`epoch=${PEAK}`, "epoch=4", "epoch=end"]));
        expect(kept).not.toContain("epoch=1");
        expect(kept.length).toBeLessThan(10);
      },
    ],
    [
      "peak:accuracy:min",
      (kept) => {
        expect(kept).toContain("epoch=0");
        expect(kept).not.toContain(`epoch=${PEAK}`);
      },
    ],
    [
      "every:2",
      (kept) => {
        expect(kept).toEqual(expect.arrayContaining(["epoch=1", "epoch=1,step=end", "epoch=3"]));
        expect(kept).not.toContain("epoch=2,step=end");
      },
    ],
    ["steps:60kB", (kept) => expect(kept).toEqual(expect.arrayContaining(["epoch=0", "epoch=3"]))],
    ["120kB", (kept) => expect(kept).toContain("epoch=end")],
  ])("%s", async (policy, check) => {
    using project = new Training();
    const { code, stderr } = await project.record({}, "--keep", policy);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).not.toContain("warning");
    check(project.sound);
    expect(project.unlisted).toEqual([]);
    if (policy === "all") return;
    expect(project.sound.length).toBeLessThan(EPOCHS * 6 + 1);
  });

  test("a name that nothing logs removes nothing, and is said", async () => {
    using project = new Training();
    const { stderr } = await project.record({ AFTERLOG_KEEP: "peak:acuracy" });
    expect(stderr).toContain("nothing logged acuracy: every checkpoint is kept");
    expect(project.sound).toHaveLength(EPOCHS * 6 + 1);
    const wrong = await project.record({}, "--keep", "best");
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toMatch(/error\[AL001\]: --keep best is no policy/);
  });
});

const POINTS = ["retention:before-lines", "retention:before-unlink"] as const;

describe("kill -9 between the steps of a removal", () => {
  const rows = POINTS.flatMap((point) => [
    { point, time: 2, persist: "worker" },
    { point, time: 5, persist: "inline" },
  ]);
  test.each(rows)("$point, time $time, $persist", async ({ point, time, persist }) => {
    using truth = await Training.recorded();
    using project = new Training();
    const killed = await project.record({
      AFTERLOG_CRASH_AT: `${point}#${time}`,
      AFTERLOG_PERSIST: persist,
      AFTERLOG_KEEP: "peak:accuracy",
    });
    expect(killed.code).toBe(137);
    // Sound, though the file of a checkpoint that is no more may still be there.
    expect(project.sound.length).toBeGreaterThan(1);
    expect(project.unlisted.length).toBeLessThanOrEqual(point === POINTS[0] ? 1 : 4);
    const { run } = project;
    const resumed = await project.record({}, "--keep", "peak:accuracy", "--resume");
    expect(resumed).toMatchObject({ code: 0 });
    expect(project.run).toBe(run);
    expect(project.logged("f1")).toEqual(truth.logged("f1"));
    expect(project.sound).toEqual(
      expect.arrayContaining([`epoch=${PEAK}`, `epoch=${EPOCHS - 1}`, "epoch=end"]),
    );
  });
});

test.each(["ENOSPC", "EIO"])("%s costs room on the disk, not the training", async (fault) => {
  using project = new Training();
  const { code, stderr } = await project.record({
    AFTERLOG_CRASH_AT: `${fault}:retention:before-lines#3`,
    AFTERLOG_KEEP: "peak:accuracy",
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(new RegExp(`retention turned off: ${fault}`));
  expect(stderr).not.toContain("checkpoints turned off");
  expect(project.sound).toContain("epoch=end");
  expect(project.manifest.off).toMatchObject([{ feature: "retention" }]);
});

describe("a run that goes on", () => {
  test("knows the best from before, and removes what is superseded", async () => {
    using project = new Training();
    const keep = ["--keep", "peak:accuracy"];
    await project.record({ KILL_AT: "4,1" }, ...keep);
    const before = listCheckpoints(project.run);
    const { code } = await project.record({}, "--resume");
    expect(code).toBe(0);
    expect(project.sound).toEqual(expect.arrayContaining([`epoch=${PEAK}`, "epoch=4"]));
    expect(project.sound).not.toContain("epoch=3,step=end");
    expect(before.length).toBeGreaterThan(0);
    expect(new Set(project.sound).size).toBe(project.sound.length);
  });

  test.each(some(["peak:accuracy", "every:2", "60kB", "steps:40kB"], { every: 4 }))(
    "again and again, keeping %s: it ends as if nothing had happened",
    async (policy) => {
      using truth = await Training.recorded();
      using project = new Training();
      await project.record({ KILL_AT: "1,2" }, "--keep", policy);
      for (const killAt of ["2,1", "2,2", "4,3"]) {
        const { code } = await project.record({ KILL_AT: killAt }, "--resume");
        expect(code).toBe(137);
        expect(project.sound.length).toBeGreaterThan(1);
      }
      expect(await project.record({}, "--resume")).toMatchObject({ code: 0 });
      expect(project.logged("f1")).toEqual(truth.logged("f1"));
      // Not one is there twice, or of a part that was done again.
      expect(new Set(project.sound).size).toBe(project.sound.length);
      expect(project.unlisted).toEqual([]);
    },
  );

  test("does not profile its steps again: fifty iterations the first time, none the second", async () => {
    using project = new TestProject({ "train.ts": LONG });
    const start = (killAt: string, ...options: readonly string[]) =>
      project.afterlogWith(
        { KILL_AT: killAt },
        "run",
        "--overhead",
        "0.0001",
        ...options,
        "train.ts",
      );
    await start("10");
    expect(frequencies(project)).toEqual([]);
    await start("60");
    const [first, ...none] = frequencies(project);
    expect(first).toMatchObject({ k: "frequency", block: "epoch/step" });
    expect(none).toEqual([]);
    await start("10", "--resume");
    const [, second] = frequencies(project);
    // Ten iterations alone would not have told: the times are those from before, hardly moved.
    expect(second?.block).toBe("epoch/step");
    expect(second?.interval).toBeGreaterThan(1);
  });
});

/** Nobody knows how many steps there are, and no checkpoint is affordable. */
const LONG = `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(10) });
function* steps() { for (let n = 0; ; n++) yield n; }
for (const epoch of al.loop("epoch", al.range(2))) {
  for (const step of al.loop("step", steps())) {
    for (const end = performance.now() + 3; performance.now() < end;) state.w[0]!++;
    if (String(step) === process.env.KILL_AT) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      process.kill(process.pid, "SIGKILL");
    }
  }
}
`;

function frequencies(project: TestProject): Extract<ProfileRecord, { k: "frequency" }>[] {
  const lines = readFileSync(join(project.run, "profile.jsonl"), "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const record = JSON.parse(line) as ProfileRecord;
    return record.k === "frequency" ? [record] : [];
  });
}

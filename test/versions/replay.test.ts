/** Every past version answers: what a replay across versions gives is what each would have logged. */
import { afterAll, describe, expect, it, vi } from "vitest";
import { landingOf } from "../../src/format/index.ts";
import { MAIN } from "../support/project.ts";
import { History, truthOf } from "./history.ts";
import { NEWEST, VERSIONS } from "./programs.ts";

// Many processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 600_000 });

const NAMES = ["spread", "norm", "final"] as const;

const truth = await truthOf(VERSIONS, NAMES);
const original = new History();
for (const version of VERSIONS) await original.record(version);
afterAll(() => original[Symbol.dispose]());

/** All versions, each recorded once. */
function recorded(): History {
  const history = new History();
  history.copyFrom(original);
  history.names.push(...original.names);
  return history;
}

describe("a replay across versions", () => {
  it("gives what each would have logged, and leaves the repository as it was", async () => {
    using history = recorded();
    history.put({ "train.ts": NEWEST });
    const before = history.repositoryState();
    for (const [name, jobs, scan] of [
      ["norm", 1, "outer"],
      ["spread", 2, "inner"],
      ["final", 2, "suffix"],
    ] as const) {
      const plan = await history.plan(name);
      expect(plan.left_out).toEqual([]);
      expect(plan.runs.map((run) => run.scan)).toEqual(VERSIONS.map(() => scan));
      expect(plan.runs.map((run) => landingOf(plan, run)?.verdict)).toContain("moved");
      // What is brought along shifts no number of what the checkpoints hold.
      if (scan !== "inner") expect(plan.runs.map(({ share }) => share)).toEqual([0, 0, 0, 0, 0]);
      const done = await history.afterlog("replay", name, "--yes", "-j", String(jobs));
      expect({ code: done.code, stderr: done.code === 0 ? "" : done.stderr }).toMatchObject({
        code: 0,
      });
      expect(await history.values(name)).toEqual(truth[name]);
      const rows = await history.rows(name);
      const origins = new Set(rows.map((row) => JSON.stringify(row["origin"])));
      const verified = JSON.stringify({ [name]: { from: "hindsight", check: "verified" } });
      expect([...origins]).toEqual([verified]);
    }
    // What is there is not asked for again.
    const again = await history.afterlog("replay", ...NAMES, "--yes");
    expect(again.stderr).toContain("nothing to do: the cells are filled");
    expect(history.repositoryState()).toEqual(before);
  });

  it("asks the runs that a condition names, in loops that differ between versions", async () => {
    using history = recorded();
    history.put({ "train.ts": NEWEST });
    const [oldest = "", , , , newest = ""] = history.names;
    const some = await history.plan("spread", "-w", `run in ('${oldest}', '${newest}')`);
    expect(some.runs.map(({ run }) => run)).toEqual([oldest, newest]);
    expect(some.landings.map((one) => one.statements[0]?.loops)).toEqual([
      ["epoch", "step"],
      ["epoch", "batch"],
    ]);
    const done = await history.afterlog("replay", "spread", "-y", "-w", "epoch = 1");
    expect(done.code).toBe(0);
    const values = await history.values("spread");
    expect(values.map((own) => own.length)).toEqual([4, 4, 4, 4, 3]);
  });

  it("goes on after a kill in the middle, with the repository as it was", async () => {
    using history = recorded();
    history.put({ "train.ts": NEWEST });
    const before = history.repositoryState();
    const { child, finished } = history.start([MAIN, "replay", "norm", "--yes", "-j", "1"]);
    await new Promise<void>((seen) => {
      child.stderr?.on("data", (text: string) => text.includes("progress  2/") && seen());
      child.on("close", () => seen());
    });
    child.kill("SIGKILL");
    expect((await finished).signal).toBe("SIGKILL");
    expect(history.repositoryState()).toEqual(before);
    const resumed = await history.afterlog("resume");
    expect({ code: resumed.code, stderr: resumed.stderr }).toMatchObject({ code: 0 });
    expect(await history.values("norm")).toEqual(truth["norm"]);
    expect(history.repositoryState()).toEqual(before);
  });
});

/** Every past version of a Python program answers: what a replay gives is what each would have logged. */
import { expect, test, vi } from "vitest";
import { landingOf } from "../../src/format/index.ts";
import { History, truthOf } from "../versions/history.ts";
import { NEWEST, VERSIONS } from "./history.ts";

// Many processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 600_000 });

const NAMES = ["spread", "norm", "final"] as const;

test("a replay across versions gives what each would have logged", async () => {
  const truth = await truthOf(VERSIONS, NAMES);
  using history = new History();
  for (const version of VERSIONS) await history.record(version);
  history.put({ "train.py": NEWEST });
  const before = history.repositoryState();
  for (const [name, scan] of [
    ["norm", "outer"],
    ["spread", "inner"],
    ["final", "suffix"],
  ] as const) {
    const plan = await history.plan(name);
    expect(plan.left_out).toEqual([]);
    expect(plan.runs.map((run) => run.scan)).toEqual(VERSIONS.map(() => scan));
    expect(plan.runs.map((run) => landingOf(plan, run)?.verdict)).toContain("moved");
    const done = await history.afterlog("replay", name, "--yes", "-j", "2");
    expect({ code: done.code, stderr: done.code === 0 ? "" : done.stderr }).toMatchObject({
      code: 0,
    });
    expect(await history.values(name)).toEqual(truth[name]);
    const rows = await history.rows(name);
    const origins = new Set(rows.map((row) => JSON.stringify(row["origin"])));
    const verified = JSON.stringify({ [name]: { from: "hindsight", check: "verified" } });
    expect([...origins]).toEqual([verified]);
  }
  const again = await history.afterlog("replay", ...NAMES, "--yes");
  expect(again.stderr).toContain("nothing to do: the cells are filled");
  expect(history.repositoryState()).toEqual(before);
});

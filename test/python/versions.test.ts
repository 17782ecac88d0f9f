/** Every past version of a Python program answers: what a replay gives is what each would have logged. */
import { expect, test, vi } from "vitest";
import { landingOf } from "../../src/format/index.ts";
import { History, truthOf } from "../versions/history.ts";
import { NEWEST, VERSIONS } from "./history.ts";

// Many processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 600_000 });

const NAMES = ["spread", "norm", "final"] as const;

test("five versions of a script answer, are looked at, decided about and bisected", async () => {
  const truth = await truthOf(VERSIONS, NAMES);
  using history = new History();
  for (const version of VERSIONS) await history.record(version);
  const oldest = history.names[0] ?? "";
  const newest = history.names.at(-1) ?? "";
  history.put({ "train.py": NEWEST });
  const before = history.repositoryState();
  const succeed = async (...words: readonly string[]): Promise<string> => {
    const { code, stderr, stdout } = await history.afterlog(...words);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };

  const plan = await history.plan("norm");
  expect(plan.left_out).toEqual([]);
  expect(plan.runs.map(({ scan, share }) => ({ scan, share }))).toEqual(
    VERSIONS.map(() => ({ scan: "outer", share: 0 })),
  );
  const verdicts = plan.runs.map((run) => landingOf(plan, run)?.verdict);
  // The newest one is the working tree without what was added; the one before calls the same `main` without a condition.
  expect(verdicts).toEqual([...VERSIONS.slice(2).map(() => "moved"), "exact", "exact"]);
  // Only the last version lets every step go up.
  const found = JSON.parse(await succeed("bisect", "final > 5", "--yes", "--json")) as object;
  expect(found).toMatchObject({ first_bad: { run: newest } });
  await succeed("replay", ...NAMES, "--yes", "-j", "2");
  for (const name of NAMES) {
    expect(await history.values(name)).toEqual(truth[name]);
    const origins = new Set((await history.rows(name)).map((row) => JSON.stringify(row["origin"])));
    const verified = JSON.stringify({ [name]: { from: "hindsight", check: "verified" } });
    expect([...origins]).toEqual([verified]);
  }
  // Each is filled also where it is asked for alone.
  for (const names of [NAMES, ["norm"]]) {
    const again = await history.afterlog("replay", ...names, "--yes");
    expect(again.stderr).toContain("nothing to do: the cells are filled");
  }

  // A place that was decided is kept, and asked for anew.
  const shown = await succeed("where", "norm", oldest);
  expect(shown).toContain("renamed: weights → w");
  expect(await succeed("where", "norm", oldest, "--at", "6")).toContain("as decided");
  expect((await history.plan("norm")).runs.map(({ run }) => run)).toEqual([oldest]);
  expect(await succeed("where", "norm", oldest, "--forget")).toContain("moved");
  expect(history.repositoryState()).toEqual(before);
});

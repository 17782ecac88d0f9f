/** Python processes that are killed, or whose disk fails: what is listed is sound, and goes on. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Orders } from "../../src/format/index.ts";
import { DIRECTIVE_VARIABLE, formatPath } from "../../src/format/index.ts";
import { readRunFacts } from "../../src/replayer/index.ts";
import { listCheckpoints, verifyCheckpoints } from "../../src/store/index.ts";
import { some } from "../support/draws.ts";
import type { Finished } from "../support/process.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS, python } from "../support/python.ts";
import { logged } from "../support/replay.ts";

const command = INTERPRETERS[0] ?? "python3";

const PROGRAM = `
import random
import afterlog as al

state = al.checkpointing(w=bytearray(9000), v=[0.0], frozen=bytearray(5000))
for epoch in al.loop("epoch", range(6)):
    for step in al.loop("step", range(3)):
        state.v[0] += random.random()
        state.w[epoch * 3 + step] = int(256 * random.random())
        al.log("loss", state.v[0])
    state.w = bytearray(state.w)
    al.log("sum", sum(state.w))
al.log("final", [state.v[0], sum(state.w)])
`;

const POINTS = [
  "persist:before-open",
  "persist:before-data",
  "persist:before-data-sync",
  "persist:before-header",
  "persist:before-header-sync",
  "persist:before-rename",
  "persist:before-log-sync",
  "persist:before-index",
  "persist:after-index",
];

const ENV = { AFTERLOG_OVERHEAD: "inf", AFTERLOG_SEED: "11" };

/** Goes on after the newest epoch of which there is a checkpoint, as `run --resume` would. */
async function resume(project: TestProject): Promise<Finished> {
  const newest = listCheckpoints(project.run)
    .filter(({ kind, path }) => kind === "iteration" && path.length === 1)
    .at(-1);
  const from = newest === undefined ? 0 : Number(newest.path[0]?.[1]) + 1;
  const orders: Orders = {
    v: 1,
    parent: project.run,
    out: null,
    names: [],
    probes: [],
    courses: newest
      ? [
          {
            entry: "epoch=end",
            do: "legs",
            legs: [{ from, to: null, restore: newest.file, reposition: "index" }],
            after: "run",
          },
        ]
      : [],
    arrive: newest?.file ?? null,
    args: {},
  };
  const folder = mkdtempSync(join(tmpdir(), "afterlog-orders-"));
  writeFileSync(join(folder, "orders.json"), JSON.stringify(orders));
  const program = join(project.folder, "train.py");
  const directive = {
    v: 1,
    mode: "resume",
    root: project.folder,
    store: join(project.folder, ".afterlog"),
    program,
    name: null,
    seed: project.manifest.seed,
    overhead: "inf",
    persist: null,
    live: false,
    terminal: { stdout: null, stderr: null },
    orders: join(folder, "orders.json"),
  };
  try {
    const env = { [DIRECTIVE_VARIABLE]: JSON.stringify(directive) };
    return await python(project, command, ["-m", "afterlog.launch", program], env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What readers see: records that a later part of the run supersedes are dropped. */
function seen(project: TestProject): unknown[] {
  let records = [...project.records];
  const at = records.findLastIndex((record) => record.k === "rewind");
  const rewind = records[at];
  if (rewind?.k === "rewind") {
    records = records.filter(
      (record, index) => index > at || ("seq" in record && record.seq <= rewind.seq),
    );
  }
  return logged(records);
}

describe("a process that was killed", () => {
  let truth: unknown[] = [];
  beforeAll(async () => {
    using whole = new TestProject({ "train.py": PROGRAM });
    assert.equal((await python(whole, command, ["train.py"], ENV)).code, 0);
    truth = logged(whole.records);
  });

  const moments = POINTS.flatMap((point) => [`${point}#2`, `${point}#9`]);
  test.each(some(moments, { every: 3 }))("at %s", async (point) => {
    using project = new TestProject({ "train.py": PROGRAM });
    const env = { ...ENV, AFTERLOG_CRASH_AT: point };
    const { signal } = await python(project, command, ["train.py"], env);
    expect(signal).toBe("SIGKILL");
    expect(project.manifest.status).toBe("interrupted");
    expect(verifyCheckpoints(project.run).bad).toEqual([]);
    const { code, stderr } = await resume(project);
    expect({ code, stderr: stderr.split("\n").length }).toEqual({ code: 0, stderr: 2 });
    expect(project.manifest).toMatchObject({ status: "done", resumed: [expect.any(String)] });
    expect(seen(project)).toEqual(truth);
    expect(verifyCheckpoints(project.run).bad).toEqual([]);
    // The engine's own reader finds the end of every epoch.
    const paths = [...readRunFacts(project.run).checkpoints.values()].map(({ path }) => path);
    expect(paths.filter((path) => path.length === 1)).toHaveLength(7);
  });
});

test.each(["ENOSPC:persist:before-data", "EIO:persist:before-data-sync"])(
  "training goes on when the disk fails: %s",
  async (point) => {
    using project = new TestProject({ "train.py": PROGRAM });
    const env = { ...ENV, AFTERLOG_CRASH_AT: `${point}#3` };
    const { code, stderr } = await python(project, command, ["train.py"], env);
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: checkpoints turned off: OSError/);
    expect(project.manifest.off.map(({ feature }) => feature)).toEqual(["checkpoints"]);
    expect(project.logged("final")).toHaveLength(1);
    const { good, bad } = verifyCheckpoints(project.run);
    expect(bad).toEqual([]);
    expect(good.map(({ path }) => formatPath(path))).toEqual(["epoch=0,step=0", "epoch=0,step=1"]);
  },
);

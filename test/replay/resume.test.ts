/** A run that goes on after it was killed: one log, and the numbers of the uninterrupted run. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Course, Orders, Record } from "../../src/format/index.ts";
import { DIRECTIVE_VARIABLE } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { ROOT, TestProject } from "../support/project.ts";
import { preload } from "../support/replay.ts";
import { logged } from "../support/replay.ts";

const PROGRAM = `
import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array([1, 2]), seen: [] });
const killAt = process.env.KILL_AT;
// What was taken is durable by then.
function die() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500); process.kill(process.pid, "SIGKILL"); }
for (const epoch of al.loop("epoch", al.range(4))) {
  for (const step of al.loop("step", al.range(5))) {
    state.w[0] += Math.random();
    state.seen.push(epoch * 10 + step);
    al.log("loss", state.w[0]);
    if (killAt === epoch + "," + step) die();
  }
  al.log("acc", [state.w[0], state.seen.length]);
}
for (const x of al.loop("after", al.range(3))) {
  state.w[1] += Math.random();
  al.log("more", state.w[1]);
  if (killAt === "after," + x) die();
}
al.log("final", [...state.w, ...state.seen]);
`;

async function resume(
  project: TestProject,
  arrive: string | null,
  courses: Course[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stderr: string }> {
  const folder = join(project.folder, ".afterlog/orders");
  mkdirSync(folder, { recursive: true });
  const orders: Orders = {
    v: 1,
    parent: project.run,
    out: null,
    names: [],
    probes: [],
    courses,
    arrive,
    args: {},
  };
  writeFileSync(join(folder, "o.json"), JSON.stringify(orders));
  const program = join(project.folder, "train.mjs");
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
    orders: join(folder, "o.json"),
  };
  const variables = { [DIRECTIVE_VARIABLE]: JSON.stringify(directive), ...env };
  return project.start(["--import", preload(), program], variables).finished;
}

/** What readers see: what a rewind supersedes is gone. */
function seen(records: readonly Record[]): Record[] {
  let kept: Record[] = [];
  for (const record of records) {
    if (record.k === "rewind") {
      kept = kept.filter((before) => !("seq" in before) || before.seq <= record.seq);
    } else kept.push(record);
  }
  return kept;
}

const to = (entry: string, from: number, restore: string): Course => ({
  entry,
  do: "legs",
  legs: [{ from, to: null, restore, reposition: "index" }],
  after: "run",
});

describe("a run that was killed goes on", () => {
  test.each<[string, string, string | null, Course[]]>([
    ["from its start", "0,0", null, []],
    [
      "from the end of an epoch",
      "2,3",
      "epoch=1.safetensors",
      [to("epoch=end", 2, "epoch=1.safetensors")],
    ],
    [
      "from a step",
      "2,3",
      "epoch=2,step=1.safetensors",
      [
        to("epoch=end", 2, "epoch=1.safetensors"),
        to("epoch=2,step=end", 2, "epoch=2,step=1.safetensors"),
      ],
    ],
    [
      "from the end of a loop",
      "after,1",
      "epoch=end.safetensors",
      [{ entry: "epoch=end", do: "skip", restore: "epoch=end.safetensors" }],
    ],
    [
      "from the second loop",
      "after,1",
      "after=0.safetensors",
      [
        { entry: "epoch=end", do: "skip", restore: "epoch=end.safetensors" },
        to("after=end", 1, "after=0.safetensors"),
      ],
    ],
  ])("%s", async (_, killAt, arrive, courses) => {
    using whole = new TestProject({ "train.mjs": PROGRAM });
    await whole.afterlog("run", "--seed", "5", "--overhead", "inf", "train.mjs");
    using project = new TestProject({ "train.mjs": PROGRAM });
    const argv = ["dist/cli/main.js", "run", "--seed", "5", "--overhead", "inf", "train.mjs"];
    argv[0] = join(ROOT, "dist/cli/main.js");
    await project.start(argv, { KILL_AT: killAt }).finished;
    expect(project.manifest.status).toBe("interrupted");
    const { code, stderr } = await resume(project, arrive, courses);
    expect(code, stderr).toBe(0);
    expect(logged(seen(project.records))).toEqual(logged(whole.records));
    const shape = (records: readonly Record[]): unknown[] =>
      records.flatMap((record) =>
        record.k === "enter" || record.k === "exit"
          ? [[record.k, record.path, record.loop, record.k === "exit" ? record.iterations : 0]]
          : [],
      );
    expect(shape(seen(project.records))).toEqual(shape(whole.records));
    const files = (run: string): string[] =>
      [...new Set(listCheckpoints(run).map(({ path }) => JSON.stringify(path)))].toSorted();
    expect(files(project.run)).toEqual(files(whole.run));
    expect(project.manifest).toMatchObject({ status: "done", kind: "record" });
    expect(project.manifest.resumed).toHaveLength(1);
    expect(basename(project.run)).toBe(project.manifest.run);
  });
});

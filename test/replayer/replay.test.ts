/**
 * Whole replays: a recorded run, a plan written by hand, real processes, and what the frame then
 * shows. The truth is the same program with the statement in it from the start.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { executePlan, readReplay } from "../../dist/replayer/index.js";
import type { ReplayEvent, ReplayOptions } from "../../dist/replayer/index.js";
import type { Course, Plan, PlannedUnit } from "../../src/format/index.ts";
import { TestProject } from "../run/harness.ts";

/** Rewritten by hand, as `afterlog run` does it. */
const PROGRAM = `
import * as al from "afterlog";
const __al = globalThis[Symbol.for("afterlog.instrument")]("train.mjs", [[5, 1, 12, 1, ["k"]], [7, 1, 9, 1, ["k"]]]);
const state = al.checkpointing({ w: new Float64Array([1, 2]) });
let total = 0;
START
{ const l = __al.at(0, () => [["train.mjs:0:total", () => total, (v) => { total = v; }]]);
for (const epoch of l.over(al.loop("epoch", al.range(al.arg("epochs", 4))))) {
  { const m = __al.at(1, () => [["train.mjs:0:total", () => total, (v) => { total = v; }]]);
  for (const step of m.over(al.loop("step", al.range(3)))) {
    state.w[0] += Math.random() + NOISE;
    total += state.w[0];
    al.log("loss", state.w[0]);
    PROBE_STEP
  } }
  PROBE_EPOCH
  al.log("acc", total / state.w[0]);
} }
PROBE_END
`;

interface Places {
  readonly [place: string]: string;
}

function source(places: Places = {}): string {
  const text = PROGRAM.replaceAll(/PROBE_\w+|START/g, (place) => places[place] ?? "");
  return text.replace("NOISE", places["NOISE"] ?? "0");
}

const skip = (entry: string): Course => ({ entry, do: "skip", restore: `${entry}.safetensors` });
const OUTER = [0, 1, 2, 3].map((epoch) => skip(`epoch=${epoch},step=end`));

function unit(courses: readonly Course[], fields: Partial<PlannedUnit> = {}): PlannedUnit {
  return { ranges: [], courses, seconds: 1, iterations: 0, checkpoints: [], ...fields };
}

async function record(places: Places = {}): Promise<TestProject> {
  const project = new TestProject({ "train.mjs": source(places) });
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", "train.mjs");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

function planOf(project: TestProject, places: Places, units: readonly PlannedUnit[]): Plan {
  const text = source(places);
  const line = text.split("\n").findIndex((content) => content.includes('"x"')) + 1;
  const { run } = project.manifest;
  return {
    v: 1,
    names: ["x"],
    where: null,
    after: null,
    statements: [{ name: "x", file: "train.mjs", line, column: 3, text: "", loops: [] }],
    runs: [
      {
        run,
        scan: "outer",
        ranges: [],
        seconds: 1,
        from_checkpoint: null,
        share: 0,
        notes: [],
        units,
      },
    ],
    left_out: [],
    overlays: [{ file: "train.mjs", text }],
    workers: 1,
    seconds: 1,
    seconds_low: 0.5,
    seconds_high: 2,
    work: 1,
    past: null,
  };
}

async function execute(
  project: TestProject,
  plan: Plan,
  options: Partial<ReplayOptions> = {},
): Promise<{ events: ReplayEvent[]; status: string }> {
  const events: ReplayEvent[] = [];
  const { status } = await executePlan({
    plan,
    project: { root: project.folder, store: join(project.folder, ".afterlog") },
    workers: 2,
    canary: false,
    emit: (event) => events.push(event),
    ...options,
  });
  return { events, status };
}

type Kind<K extends ReplayEvent["kind"]> = Extract<ReplayEvent, { kind: K }>;
const only = <K extends ReplayEvent["kind"]>(events: readonly ReplayEvent[], kind: K): Kind<K>[] =>
  events.filter((event) => event.kind === kind) as Kind<K>[];

/** Rows of `afterlog frame x --json`. */
async function frame(project: TestProject): Promise<{ readonly [column: string]: unknown }[]> {
  const { code, stdout } = await project.afterlog("frame", "x", "--json");
  expect(code).toBe(0);
  return JSON.parse(stdout) as { [column: string]: unknown }[];
}

/** Values of the program with the statement in it from the start. */
async function truth(project: TestProject, places: Places): Promise<unknown[]> {
  using other = new TestProject({ "train.mjs": source(places) });
  const { code } = await other.afterlog("run", "--seed", project.manifest.seed, "train.mjs");
  expect(code).toBe(0);
  return other.logged("x");
}

const EPOCH = { PROBE_EPOCH: '  al.log("x", total * 2);' };

describe("a replay", () => {
  test("fills the cells of its run, verified, and leaves no tree", async () => {
    using project = await record();
    const { run } = project.manifest;
    const expected = await truth(project, EPOCH);
    const { events, status } = await execute(project, planOf(project, EPOCH, [unit(OUTER)]));
    expect(only(events, "failure")).toEqual([]);
    expect(status).toBe("done");
    const cells = only(events, "cell");
    expect(cells.map(({ value }) => value)).toEqual(expected);
    expect(new Set(cells.map(({ check }) => check))).toEqual(new Set(["verified"]));
    expect(cells.map(({ path }) => path)).toEqual([0, 1, 2, 3].map((epoch) => [["epoch", epoch]]));
    const rows = await frame(project);
    expect(rows.map(({ x }) => x)).toEqual(expected);
    expect(rows[0]).toMatchObject({ run });
    expect(readdirSync(join(project.folder, ".afterlog/trees"))).toEqual([]);
    const store = join(project.folder, ".afterlog");
    expect(readReplay(store).units[0]).toMatchObject({ status: "done", cells: 4 });
  });
});

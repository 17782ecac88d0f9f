/**
 * From a recorded run to values: real processes do what the planner orders, and what they log is
 * compared with the same program that had the statement from the start.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Box, PlannedRun } from "../../src/format/index.ts";
import type { ChangedName, SourceLog, SourceLoop, SourceModel } from "../../src/languages/index.ts";
import type { RunFacts } from "../../src/planner/index.ts";
import { learnCosts, matchLoops, planRun } from "../../src/planner/index.ts";
import { readRunFacts } from "../../src/replayer/index.ts";
import { logged, replay } from "../support/replay.ts";
import { TestProject } from "../support/project.ts";

/** Rewritten by hand; two outermost loops, a loop in a loop, an exit of each kind. */
const PROGRAM = `
import * as al from "afterlog";
const __al = globalThis[Symbol.for("afterlog.instrument")]("train.mjs", [[8, 1, 8, 999, ["k"]], [12, 1, 21, 9, ["k"]], [14, 1, 19, 9, ["k"]]]);
const state = al.checkpointing({ w: new Float64Array([1, 2]) });
let total = 0; const hist = [];
PROBE_START
const key = (name) => "train.mjs:0:" + name;
{ const l = __al.at(0, () => [[key("total"), () => total, (v) => { total = v; }]]); for (const i of l.over(al.loop("warmup", [3, 4, 5]))) { total += i * Math.random(); state.w[1] += i; al.log("warm", total); PROBE_WARM } }
PROBE_BETWEEN
function* batches() { for (let i = 0; i < 6; i++) yield i; }
const train = () => {
{ const l = __al.at(1, () => [[key("total"), () => total, (v) => { total = v; }], [key("hist"), () => hist]]); for (const epoch of l.over(al.loop("epoch", al.range(5)))) {
  PROBE_HEAD
  { const m = __al.at(2, () => [[key("total"), () => total, (v) => { total = v; }]]); for (const step of m.over(al.loop("step", batches()))) {
    state.w[0] += Math.random() / (step + 1);
    total += state.w[0];
    PROBE_STEP
    al.log("loss", state.w[0]);
    if (step === 2 && epoch === 3) { m.brk(); break; } } }
  hist.push(total); PROBE_EPOCH
  al.log("acc", total / state.w[0]); if (epoch === 4) return; } }
};
train();
PROBE_END
al.log("final", total + hist.length + state.w[1]);
`;

const PROBE = 'al.log("x", [total, hist, state.w[0], state.w[1]]);';

function source(place: string | null): string {
  return PROGRAM.replaceAll(/PROBE_\w+/g, (found) => (found === place ? PROBE : ""));
}

const name = (variable: string): ChangedName => {
  return { key: `train.mjs:0:${variable}`, name: variable, access: "name" };
};
const declared: ChangedName = { key: "train.mjs:0:state", name: "state", access: "declared" };

function loop(
  id: number,
  place: readonly [number, string],
  fields: Partial<SourceLoop>,
): SourceLoop {
  const [line, text] = place;
  const column = 1 + (PROGRAM.split("\n")[line - 1]?.indexOf(text) ?? 0);
  const known = { id, ordinal: id, form: "for" as const, name: null, awaits: false };
  return { ...known, changes: [], iterator: "index", file: "train.mjs", line, column, ...fields };
}

const MODEL: SourceModel = {
  files: ["train.mjs"],
  loops: [
    loop(0, [8, 'al.loop("warmup"'], { name: "warmup", changes: [name("total"), declared] }),
    loop(1, [12, 'al.loop("epoch"'], {
      name: "epoch",
      changes: [name("total"), name("hist"), declared],
    }),
    loop(2, [14, 'al.loop("step"'], {
      name: "step",
      changes: [name("total"), declared],
      iterator: "independent",
    }),
  ],
  logs: [],
  uncertain: [],
};

/** Where the probe stands: the loops around it, and those that follow it for certain. */
const PLACES: { readonly [place: string]: readonly [chain: number[], before: number[]] } = {
  PROBE_START: [[], [0, 1, 2]],
  PROBE_WARM: [[0], []],
  PROBE_BETWEEN: [[], [1, 2]],
  PROBE_HEAD: [[1], [2]],
  PROBE_STEP: [[1, 2], []],
  PROBE_EPOCH: [[1], []],
  PROBE_END: [[], []],
};

function planFor(facts: RunFacts, place: string, asked: readonly Box[] | "all"): PlannedRun {
  const [chain, before] = PLACES[place] ?? [[], []];
  const log = { file: "train.mjs", line: 1, column: 1, name: "x", text: PROBE, certain: true };
  const placements: SourceLog[] = [{ ...log, chain, before }];
  const match = matchLoops(MODEL, MODEL);
  const options = { costs: learnCosts([]) };
  const planned = planRun(facts, MODEL, { names: ["x"], placements, asked, match }, options);
  if (!("units" in planned)) throw new Error(planned.why);
  return planned;
}

async function recorded(): Promise<TestProject> {
  const project = new TestProject({ "train.mjs": source(null) });
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", "train.mjs");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

const truths = new Map<string, Promise<ReturnType<typeof logged>>>();

/** The values of the program that had the statement from the start. */
function truth(place: string, seed: string): Promise<ReturnType<typeof logged>> {
  const known = truths.get(place) ?? recordTruth(place, seed);
  truths.set(place, known);
  return known;
}

async function recordTruth(place: string, seed: string): Promise<ReturnType<typeof logged>> {
  using other = new TestProject({ "train.mjs": source(place) });
  const { code } = await other.afterlog("run", "--seed", seed, "train.mjs");
  expect(code).toBe(0);
  return logged(other.records).filter((value) => value.name === "x");
}

/** Names and indices of a path as text. */
function isIn(boxes: readonly Box[], path: string): boolean {
  const indices = new Map(path.split(",").map((part) => part.split("=") as [string, string]));
  const inBox = (box: Box): boolean =>
    Object.entries(box).every(([loopName, [first, last]]) => {
      const index = Number(indices.get(loopName) ?? first);
      return index >= first && index <= last;
    });
  return boxes.length === 0 || boxes.some(inBox);
}

const EPOCHS_1_AND_3: Box[] = [{ epoch: [1, 1] }, { epoch: [3, 3] }];

describe("a planned replay", () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await recorded();
  });
  afterAll(() => project[Symbol.dispose]());

  test.each<[string, readonly Box[] | "all", PlannedRun["scan"], number]>([
    ["PROBE_START", "all", "prefix", 0],
    ["PROBE_WARM", "all", "inner", 3],
    ["PROBE_BETWEEN", "all", "suffix", 0],
    ["PROBE_HEAD", "all", "outer", 0],
    ["PROBE_HEAD", [{ epoch: [4, 4] }], "outer", 0],
    ["PROBE_STEP", "all", "inner", 27],
    ["PROBE_STEP", EPOCHS_1_AND_3, "inner", 9],
    ["PROBE_STEP", [{ epoch: [2, 2], step: [1, 3] }], "inner", 4],
    ["PROBE_EPOCH", "all", "outer", 0],
    ["PROBE_EPOCH", EPOCHS_1_AND_3, "outer", 0],
    ["PROBE_END", "all", "suffix", 0],
  ])("%s, %j: %s gives the truth", async (place, asked, scan, iterationsMax) => {
    const facts = readRunFacts(project.run);
    const planned = planFor(facts, place, asked);
    expect(planned.scan).toBe(scan);
    // Of 30 recorded. Whether a step's end was checkpointed depends on the disk.
    const executed = planned.units.reduce((sum, unit) => sum + unit.iterations, 0);
    expect(executed).toBeLessThanOrEqual(iterationsMax);
    writeFileSync(join(project.folder, "train.mjs"), source(place));
    const expected = await truth(place, project.manifest.seed);
    const kept = asked === "all" ? [] : asked;
    for (const unit of planned.units) {
      rmSync(join(project.folder, ".afterlog/replays"), { recursive: true, force: true });
      const replayed = await replay(project, "train.mjs", [...unit.courses]);
      expect(replayed).toMatchObject({ code: 0, outcome: { kind: "done" } });
      const known = logged(project.records);
      const values = replayed.values.filter((value) => value.name === "x");
      expect(values.filter(({ path }) => isIn(kept, path))).toEqual(
        expected.filter(({ path }) => isIn(kept, path)),
      );
      for (const value of replayed.values.filter(({ name }) => name !== "x")) {
        expect(known).toContainEqual(value);
      }
    }
  });

  test("a program that is not rewritten is executed from its start, and the plan says why", () => {
    const facts = { ...readRunFacts(project.run), rewritten: false };
    const checkpoints = new Map(
      [...facts.checkpoints].map(([path, record]) => [
        path,
        { ...record, places: record.places.filter(({ key }) => key.startsWith("d")) },
      ]),
    );
    const planned = planFor({ ...facts, checkpoints }, "PROBE_END", "all");
    expect(planned).toMatchObject({ share: 1, from_checkpoint: null, units: [{ courses: [] }] });
    expect(planned.notes).toContain(
      'total (train.mjs:8) changes in loop "warmup" and was not captured; record with afterlog run',
    );
  });
});

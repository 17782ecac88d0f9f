/**
 * What a process does with its orders, without the planner: programs that were rewritten by hand
 * are recorded, then taken to points of the recording. The truth is the same program with the
 * statement in it from the start.
 */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Course, ReplayOutcome } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { copiesOf, TestProject } from "../support/project.ts";
import { logged, replay } from "../support/replay.ts";

/** `total` is captured by name, `state` is declared. */
const PROGRAM = `
import * as al from "afterlog";
const __al = globalThis[Symbol.for("afterlog.instrument")]("train.mjs", [[5, 1, 12, 1, ["k"]], [7, 1, 9, 1, ["k"]]]);
const state = al.checkpointing({ w: new Float64Array([1, 2]) });
let total = 0;
const hist = [];
{ const l = __al.at(0, () => [["train.mjs:0:total", () => total, (v) => { total = v; }], ["train.mjs:0:hist", () => hist]]);
for (const epoch of l.over(al.loop("epoch", al.range(al.arg("epochs", 5))))) {
  PROBE_HEAD
  { const m = __al.at(1, () => [["train.mjs:0:total", () => total, (v) => { total = v; }]]);
  for (const step of m.over(al.loop("step", al.range(4)))) {
    state.w[0] += Math.random();
    total += state.w[0];
    PROBE_STEP
    al.log("loss", state.w[0]);
    if (step === 2 && epoch === 3) { m.brk(); break; }
  } }
  hist.push(total);
  PROBE_EPOCH
  al.log("acc", total / state.w[0]);
} }
PROBE_END
al.log("final", total + hist.length);
`;

function source(probes: { readonly [place: string]: string }): string {
  return PROGRAM.replaceAll(/PROBE_\w+/g, (place) => probes[place] ?? "");
}

async function record(): Promise<TestProject> {
  const project = new TestProject({ "train.mjs": source({}) });
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", "train.mjs");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

/** A project with a run of the program. */
const recorded = copiesOf(record, () => new TestProject());

/** Values of the program with the statement in it from the start. */
async function truth(project: TestProject, probes: { [place: string]: string }, name: string) {
  using other = new TestProject({ "train.mjs": source(probes) });
  const { seed } = project.manifest;
  const { code } = await other.afterlog("run", "--seed", seed, "train.mjs");
  expect(code).toBe(0);
  return logged(other.records).filter((value) => value.name === name);
}

const skip = (entry: string): Course => ({ entry, do: "skip", restore: `${entry}.safetensors` });
const STEPS = [0, 1, 2, 3, 4].map((epoch) => skip(`epoch=${epoch},step=end`));

describe("orders", () => {
  test.each<[string, { [place: string]: string }, Course[], (path: string) => boolean, number]>([
    [
      "suffix",
      { PROBE_END: 'al.log("x", [total, hist, state.w[0], Math.random()]);' },
      [skip("epoch=end")],
      () => true,
      0,
    ],
    [
      "outer, all epochs",
      { PROBE_EPOCH: 'al.log("x", [total, hist, state.w[0]]);' },
      STEPS,
      () => true,
      0,
    ],
    [
      "outer, one epoch",
      { PROBE_HEAD: 'al.log("x", [total, hist, state.w[0]]);' },
      [
        {
          entry: "epoch=end",
          do: "legs",
          legs: [{ from: 3, to: 3, restore: "epoch=2.safetensors", reposition: "index" }],
          after: "stop",
        },
        { entry: "epoch=3,step=end", do: "stop" },
      ],
      (path) => path === "epoch=3",
      0,
    ],
    [
      "inner, from a step on",
      { PROBE_STEP: 'al.log("x", [total, hist, state.w[0]]);' },
      [
        {
          entry: "epoch=end",
          do: "legs",
          legs: [{ from: 2, to: 2, restore: "epoch=1.safetensors", reposition: "index" }],
          after: "stop",
        },
        {
          entry: "epoch=2,step=end",
          do: "legs",
          legs: [{ from: 2, to: 2, restore: "epoch=2,step=1.safetensors", reposition: "index" }],
          after: "stop",
        },
      ],
      (path) => path === "epoch=2,step=2",
      1,
    ],
    [
      "inner, two epochs, then the end",
      { PROBE_STEP: 'al.log("x", [total, hist, state.w[0]]);' },
      [
        {
          entry: "epoch=end",
          do: "legs",
          legs: [
            { from: 1, to: 1, restore: "epoch=0.safetensors", reposition: "index" },
            { from: 3, to: 3, restore: "epoch=2.safetensors", reposition: "consume" },
          ],
          after: "skip",
          restore: "epoch=end.safetensors",
        },
      ],
      (path) => /^epoch=[13],/.test(path),
      7,
    ],
  ])("%s gives the truth", async (_, probes, courses, asked, iterations) => {
    using project = await recorded();
    writeFileSync(join(project.folder, "train.mjs"), source(probes));
    const expected = (await truth(project, probes, "x")).filter(({ path }) => asked(path));
    const replayed = await replay(project, "train.mjs", courses);
    expect(replayed).toMatchObject({ code: 0, outcome: { kind: "done" }, iterations });
    expect(replayed.values.filter(({ name }) => name === "x")).toEqual(expected);
    expect(replayed.states.filter(({ equal }) => !equal)).toEqual([]);
    const known = logged(project.records);
    for (const value of replayed.values.filter(({ name }) => name !== "x")) {
      expect(known).toContainEqual(value);
    }
  });

  test("a state that differs is seen, and named, though nothing logs it", async () => {
    using project = await recorded();
    const change = { PROBE_EPOCH: "if (epoch === 2) hist[0] = -1;" };
    writeFileSync(join(project.folder, "train.mjs"), source(change));
    const { states } = await replay(project, "train.mjs", STEPS);
    expect(states.map(({ equal }) => equal)).toEqual([true, true, false, true, true, true]);
  });

  test("names that a loop changes are in its checkpoints", async () => {
    using project = await recorded();
    const places = listCheckpoints(project.run).map(({ file, places: held }) => [
      basename(file, ".safetensors"),
      held.map(({ key }) => key),
    ]);
    expect(Object.fromEntries(places)).toMatchObject({
      "epoch=1": ["d0.w", "train.mjs:0:total#0", "train.mjs:0:hist#0"],
      "epoch=1,step=end": [
        "d0.w",
        "train.mjs:0:total#0",
        "train.mjs:0:hist#0",
        "train.mjs:0:total#1",
      ],
    });
    const exits = project.records.flatMap((record) => (record.k === "exit" ? [record.how] : []));
    expect(exits).toContain("break");
    expect(project.manifest.rewriter).toMatchObject({ version: 1, rewritten: true });
  });

  test.each<[string, string, Course[], Partial<ReplayOutcome>]>([
    [
      "a loop that ends elsewhere",
      "if (epoch === 1) break;",
      [],
      { kind: "diverged", why: expect.stringContaining("ended after") as string },
    ],
    [
      "a loop that the run did not enter",
      'for (const x of al.loop("other", [1])) {}',
      [],
      { kind: "diverged", why: expect.stringContaining("did not enter") as string },
    ],
    [
      "a checkpoint that is not there",
      "",
      [
        skip("epoch=0,step=end"),
        { entry: "epoch=1,step=end", do: "skip", restore: "no.safetensors" },
      ],
      { kind: "insufficient", why: expect.stringContaining("no.safetensors") as string },
    ],
    ["a program that throws", "if (epoch === 2) throw new Error('oh');", [], { kind: "failed" }],
  ])("%s ends the process with an outcome", async (_, change, courses, outcome) => {
    using project = await recorded();
    writeFileSync(join(project.folder, "train.mjs"), source({ PROBE_EPOCH: change }));
    const replayed = await replay(project, "train.mjs", courses);
    expect(replayed.outcome).toMatchObject(outcome);
  });
});

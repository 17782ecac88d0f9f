/**
 * Whole replays: a recorded run, a plan written by hand, real processes, and what the frame then
 * shows. The truth is the same program with the statement in it from the start.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  executePlan,
  listReplays,
  localExecutor,
  readReplay,
  continueReplay,
} from "../../build/replayer/index.js";
import type { ReplayEvent, ReplayOptions } from "../../build/replayer/index.js";
import type { Course, Plan, PlannedUnit } from "../../src/format/index.ts";
import { planFromJson } from "../../src/format/index.ts";
import { copiesOf, TestProject } from "../support/project.ts";

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

/** A project with a run of the program as it is. */
const recorded = copiesOf(
  () => record(),
  () => new TestProject(),
);

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
  // As an earlier version wrote it: such a plan can still be executed.
  const plan = planFromJson({
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
  });
  if (!plan) throw new Error("that is no plan");
  return plan;
}

const storeOf = (project: TestProject): string => join(project.folder, ".afterlog");

function optionsFor(project: TestProject, events: ReplayEvent[]): ReplayOptions {
  return {
    project: { root: project.folder, store: storeOf(project) },
    workers: 2,
    canary: false,
    emit: (event) => events.push(event),
  };
}

async function execute(
  project: TestProject,
  plan: Plan,
  options: Partial<ReplayOptions> = {},
): Promise<{ events: ReplayEvent[]; status: string }> {
  const events: ReplayEvent[] = [];
  const { status } = await executePlan({ ...optionsFor(project, events), plan, ...options });
  return { events, status };
}

async function resume(project: TestProject): Promise<{ events: ReplayEvent[]; status: string }> {
  const events: ReplayEvent[] = [];
  const { status } = await continueReplay(optionsFor(project, events));
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
const STEP = { PROBE_STEP: '    al.log("x", total * 2);' };

/** What a process does to itself in the third epoch, when its log is on disk; it does so `once`. */
function harm(act: string, often: "once" | "always"): Places {
  const start = `
    import fs from "node:fs";
    const unit = fs.realpathSync(process.env.TMPDIR) + "/../";
    const written = () => fs.readFileSync(unit + "out/log.jsonl", "utf8").split('"name":"x"').length - 1;
    const harm = async () => {
      if (${often === "once"} && fs.existsSync(unit + "harmed")) return;
      for (; written() < 2; al.log("tick", 0)) await new Promise((done) => setTimeout(done, 20));
      fs.writeFileSync(unit + "harmed", "");
      ${act};
    };`;
  return {
    START: start.replaceAll("\n", " "),
    PROBE_EPOCH: `if (epoch === 2) await harm(); al.log("x", total * 2);`,
  };
}
const HELD = harm("await new Promise((done) => setTimeout(done, 3600e3))", "once");

/** Two processes: the first two epochs, and the others from a checkpoint. */
const HALVES = [
  unit(
    [
      { entry: "epoch=end", do: "legs", legs: [{ from: 0, to: 1, restore: null }], after: "stop" },
      ...OUTER,
    ],
    { ranges: [{ epoch: [0, 1] }] },
  ),
  unit(
    [
      {
        entry: "epoch=end",
        do: "legs",
        legs: [{ from: 2, to: 3, restore: "epoch=1.safetensors", reposition: "index" }],
        after: "stop",
      },
      ...OUTER,
    ],
    { ranges: [{ epoch: [2, 3] }] },
  ),
];

const values = (events: readonly ReplayEvent[]): unknown[] =>
  only(events, "cell")
    .toSorted((a, b) => JSON.stringify(a.path).localeCompare(JSON.stringify(b.path)))
    .map(({ value }) => value);

describe("a replay", () => {
  test("fills the cells of its run, verified, and leaves no tree", async () => {
    using project = await recorded();
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
    expect(readdirSync(join(storeOf(project), "trees"))).toEqual([]);
    expect(readReplay(storeOf(project)).units[0]).toMatchObject({ status: "done", cells: 4 });
    expect(readdirSync(join(storeOf(project), "replays/r1/units/0"))).toEqual([
      "orders.json",
      "stderr.log",
      "stdout.log",
    ]);
  });

  test("in two processes gives the same values; a canary comes first and may end it", async () => {
    using project = await recorded();
    const plan = planOf(project, EPOCH, HALVES);
    const expected = await truth(project, EPOCH);
    const refused = await execute(project, plan, { canary: true, confirmCanary: () => false });
    expect(refused.status).toBe("stopped");
    expect(only(refused.events, "canary")[0]?.cells.map(({ value }) => value)).toEqual(
      expected.slice(0, 2),
    );
    const resumed = await resume(project);
    expect(resumed.status).toBe("done");
    expect(values(resumed.events)).toEqual(expected.slice(2));
    expect(only(resumed.events, "done")).toMatchObject([{ cells: 4, marks: { verified: 4 } }]);
    expect((await frame(project)).map(({ x }) => x)).toEqual(expected);
  });

  test("keeps only what is in the ranges of a unit", async () => {
    using project = await recorded();
    const expected = await truth(project, STEP);
    const ranges = [{ epoch: [1, 1], step: [1, 2] }] as const;
    const { events } = await execute(project, planOf(project, STEP, [unit([], { ranges })]));
    expect(values(events)).toEqual(expected.slice(4, 6));
  });
});

describe("what does not go as planned", () => {
  test("planted randomness is caught with its first path and both values", async () => {
    // Too large to be recorded and given again.
    const chance = { NOISE: "crypto.getRandomValues(new Uint32Array(1000))[0]" };
    using project = await record(chance);
    const plan = planOf(project, { ...STEP, ...chance }, [unit([])]);
    const { events } = await execute(project, plan);
    expect(new Set(only(events, "cell").map(({ check }) => check))).toEqual(new Set(["diverged"]));
    expect(only(events, "done")[0]?.differences).toEqual([
      {
        run: plan.runs[0]?.run,
        first_difference: {
          path: [
            ["epoch", 0],
            ["step", 0],
          ],
          name: "loss",
          recorded: expect.any(Number),
          replayed: expect.any(Number),
        },
        likely_cause: "crypto.getRandomValues() at train.mjs:11",
      },
    ]);
  });

  test("a damaged checkpoint: the run is executed, or nothing is answered", async () => {
    using project = await recorded();
    const expected = await truth(project, EPOCH);
    truncateSync(join(project.run, "checkpoints/epoch=1,step=end.safetensors"), 4096);
    const plan = planOf(project, EPOCH, [unit(OUTER)]);
    const { events, status } = await execute(project, plan);
    expect(status).toBe("failed");
    expect(only(events, "cell")).toEqual([]);
    expect(only(events, "failure")[0]?.why).toContain("epoch=1,step=end.safetensors");
    const same = await execute(project, plan, { fallback: (_, planned) => planned });
    expect(same.status).toBe("failed");
    expect(only(same.events, "cell")).toEqual([]);
    const whole = await execute(project, plan, { fallback: () => unit([]) });
    expect(values(whole.events)).toEqual(expected);
    expect(readReplay(storeOf(project)).units[0]).toMatchObject({ whole: true, status: "done" });
  });

  test("a statement that throws fails once", async () => {
    using project = await recorded();
    const places = { PROBE_EPOCH: '  al.log("x", nothing.here);' };
    const plan = planOf(project, places, HALVES);
    const { events, status } = await execute(project, plan, { canary: true });
    expect(status).toBe("failed");
    expect(only(events, "failure")).toHaveLength(1);
    expect(only(events, "failure")[0]?.stderr).toContain("nothing is not defined");
    expect(readReplay(storeOf(project)).units.map(({ status: of }) => of)).toEqual([
      "failed",
      "waiting",
    ]);
  });

  test.each([
    ["once is started again", "once", "done", 4, 0],
    ["each time is reported, and what it gave is kept", "always", "failed", 2, 1],
  ] as const)("a process that dies %s", async (_, often, expected, cells, failures) => {
    using project = await recorded();
    const places = harm('process.kill(process.pid, "SIGKILL")', often);
    const { events, status } = await execute(project, planOf(project, places, [unit(OUTER)]));
    expect(status).toBe(expected);
    expect(only(events, "cell")).toHaveLength(cells);
    expect(only(events, "failure")).toHaveLength(failures);
  });
});

describe("a replay that is ended early", () => {
  const held = (project: TestProject): boolean =>
    existsSync(join(storeOf(project), "replays/r1/units/0/harmed"));

  test("keeps what it has, and goes on from there without asking twice", async () => {
    using project = await recorded();
    const expected = await truth(project, EPOCH);
    const stop = new AbortController();
    const started = execute(project, planOf(project, HELD, [unit(OUTER)]), { signal: stop.signal });
    await vi.waitFor(() => expect(held(project)).toBe(true), 30_000);
    stop.abort();
    const { events, status } = await started;
    expect(status).toBe("stopped");
    expect(values(events)).toEqual(expected.slice(0, 2));
    const resumed = await resume(project);
    expect(resumed.status).toBe("done");
    expect(values(resumed.events)).toEqual(expected.slice(2));
    expect((await frame(project)).map(({ x }) => x)).toEqual(expected);
    expect(listReplays(storeOf(project))).toHaveLength(1);
  });

  test("by the time allowed", async () => {
    using project = await recorded();
    const plan = planOf(project, HELD, [unit(OUTER)]);
    const { events, status } = await execute(project, plan, { maxSeconds: 3 });
    expect(status).toBe("stopped");
    expect(only(events, "failure")).toEqual([]);
  });

  test("by a kill: what processes in flight had is kept first", async () => {
    using project = await recorded();
    const expected = await truth(project, EPOCH);
    const plan = planOf(project, HELD, [unit(OUTER)]);
    const script = join(project.folder, "replayer.mjs");
    const door = join(import.meta.dirname, "../../build/replayer/index.js");
    const options = { project: { root: project.folder, store: storeOf(project) }, plan };
    writeFileSync(
      script,
      `import { executePlan } from ${JSON.stringify(door)};
       const given = ${JSON.stringify(options)};
       await executePlan({ ...given, workers: 1, canary: false, emit: () => {} });`,
    );
    const replayer = spawn(process.execPath, [script], { stdio: "inherit" });
    await vi.waitFor(() => expect(held(project)).toBe(true), 30_000);
    replayer.kill("SIGKILL");
    await once(replayer, "exit");
    expect(readReplay(storeOf(project)).status).toBe("interrupted");
    const abandoned = join(storeOf(project), "trees/r7-0");
    mkdirSync(abandoned);
    const resumed = await resume(project);
    expect(resumed.status).toBe("done");
    expect(values(resumed.events)).toEqual(expected);
    expect((await frame(project)).map(({ x }) => x)).toEqual(expected);
    expect(readReplay(storeOf(project)).units[0]?.results).toHaveLength(2);
    expect(readdirSync(join(storeOf(project), "trees"))).toEqual([]);
  });
});

/** What an executor promises, of whatever units are executed by it. */
describe("an executor", () => {
  test("begins a unit once and ends it once; what waits when it is stopped has no events", async () => {
    using project = await recorded();
    const probe = { PROBE_EPOCH: 'al.log("x", epoch);' };
    const plan = planOf(project, probe, [unit(OUTER), unit(OUTER), unit(OUTER)]);
    for (const stopAfter of [Infinity, 1]) {
      const seen: string[] = [];
      const controller = new AbortController();
      const watched: ReplayOptions["executor"] = (context, limits) => {
        const executor = localExecutor(context, limits);
        return {
          async *start(units, signal) {
            for await (const event of executor.start(units, signal)) {
              if (event.kind !== "status") seen.push(`${event.kind} ${event.unit.index}`);
              if (seen.length >= stopAfter) controller.abort();
              yield event;
            }
          },
        };
      };
      const { signal } = controller;
      const { status } = await execute(project, plan, { executor: watched, workers: 1, signal });
      const isStopped = stopAfter !== Infinity;
      expect(status).toBe(isStopped ? "stopped" : "done");
      const indices = isStopped ? [0] : [0, 1, 2];
      expect(seen).toEqual(indices.flatMap((index) => [`begun ${index}`, `ended ${index}`]));
    }
  });
});

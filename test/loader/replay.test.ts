/**
 * Datasets in recorded programs: a process that is taken to a point of the run, in the middle of an
 * epoch or between two, gets exactly the batches that the run got there.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Course, Leg } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { some } from "../support/draws.ts";
import { logged, replay } from "../support/replay.ts";
import { TestProject } from "../support/project.ts";

interface Program {
  /** How the dataset is made. */
  readonly data?: string;
  /** Before and after each loop over it, and at the end of its body. */
  readonly head?: string;
  readonly tail?: string;
  readonly body?: string;
  readonly awaits?: boolean;
}

const DATA =
  "al.dataset(10).shuffle(7).map((x, { random }) => x + random.next()).batch(3).map((b) => b)";
const AUGMENT = `
export function augment(x: number, { random }: { random: { next(): number } }): number {
  return x + random.next();
}`;

/** Epochs are a recorded loop: their ends, and those of the loops inside, are checkpointed. */
function nested({ data = DATA, head = "", tail = "", body = "", awaits }: Program): string {
  return `
import * as al from "afterlog";
const data = ${data};
const state = al.checkpointing({ w: new Float64Array(1) });
for ${awaits ? "await " : ""}(const epoch of al.loop("epoch", al.range(4))) {
  ${head}
  let steps = 0;
  for ${awaits ? "await " : ""}(const batch of al.loop("step", data)) {
    state.w[0] += batch.reduce((sum, x) => sum + x, Math.random());
    al.log("loss", [batch, state.w[0]]);
    steps++;
    ${body}
  }
  ${tail}
  al.log("acc", [state.w[0], data.state()]);
}
al.log("end", data.state());
`;
}

/** Epochs are not recorded: every step is an iteration of an outermost loop, and checkpointed. */
function flat({ data = DATA, head = "", tail = "", body = "", awaits }: Program): string {
  return `
import * as al from "afterlog";
const data = ${data};
const state = al.checkpointing({ w: new Float64Array(1) });
for (let epoch = 0; epoch < 4; epoch++) {
  ${head}
  let steps = 0;
  for ${awaits ? "await " : ""}(const batch of al.loop("step", data)) {
    state.w[0] += batch.reduce((sum, x) => sum + x, Math.random());
    al.log("loss", [batch, state.w[0]]);
    steps++;
    ${body}
  }
  ${tail}
}
al.log("end", data.state());
`;
}

async function recorded(text: string): Promise<TestProject> {
  const project = new TestProject({ "train.ts": text, "augment.ts": AUGMENT });
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", "train.ts");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

function fileOf(project: TestProject, path: string): string {
  const record = listCheckpoints(project.run).find((known) => formatPath(known.path) === path);
  if (!record) throw new Error(`there is no checkpoint ${path}`);
  return record.file;
}

/** Follows the courses; every value must be one of the run, and those at the asked paths be there. */
async function check(
  project: TestProject,
  courses: (file: (path: string) => string) => Course[],
  asked: RegExp,
): Promise<void> {
  rmSync(join(project.folder, ".afterlog/replays"), { recursive: true, force: true });
  const known = logged(project.records);
  const replayed = await replay(
    project,
    "train.ts",
    courses((path) => fileOf(project, path)),
  );
  expect(replayed.stderr).toBe("");
  expect(replayed).toMatchObject({ code: 0, outcome: { kind: "done" } });
  const expected = known.filter(({ path }) => asked.test(path));
  expect(expected.length).toBeGreaterThan(0);
  expect(replayed.values.filter(({ path }) => asked.test(path))).toEqual(expected);
  for (const value of replayed.values) expect(known).toContainEqual(value);
  expect(replayed.iterations).toBeLessThan(known.filter(({ name }) => name === "loss").length);
}

const leg = (
  from: number,
  to: number | null,
  restore: string,
  reposition: Leg["reposition"],
): Leg => ({ from, to, restore, ...(reposition ? { reposition } : {}) });

/** Straight to epoch 2, and on to the end. */
const toEpoch2 = (file: (path: string) => string): Course[] => [
  { entry: "epoch=end", do: "legs", legs: [leg(2, null, file("epoch=1"), "index")], after: "run" },
];
/** Steps of the first epochs are skipped by their ends. */
const skipTwo = (file: (path: string) => string): Course[] =>
  [0, 1].map((epoch) => {
    const entry = `epoch=${epoch},step=end`;
    return { entry, do: "skip", restore: file(entry) };
  });

const NESTED: [string, Program][] = [
  ["plain", {}],
  ["awaited", { awaits: true }],
  [
    "prepared ahead",
    {
      awaits: true,
      data: "al.dataset(10).shuffle(7).map(async (x, { random }) => x + random.next(), { prefetch: 3 }).batch(3)",
    },
  ],
  [
    "prepared by threads",
    {
      awaits: true,
      data: 'al.dataset(10).shuffle(7).map({ module: new URL("./augment.ts", import.meta.url), name: "augment" }, { workers: 2 }).batch(3)',
    },
  ],
  ["left in the middle", { body: "if (steps === 2) break;" }],
  ["left after the last batch", { body: "if (steps === 4) break;" }],
  ["left after the last batch, awaited", { awaits: true, body: "if (steps === 4) break;" }],
  ["with epochs of its own", { head: "data.setEpoch(2 * epoch + 1);" }],
  ["with the epoch set after", { tail: "data.setEpoch(5 * epoch);" }],
  ["made in each epoch", { data: "al.dataset(1)", head: `const data = ${DATA};` }],
  [
    "beside one that is gone through by hand",
    {
      data: `${DATA}; const other = al.dataset(5).shuffle(1).batch(2)`,
      head: "for (const [x] of other) { state.w[0] += x; if (x % 2) break; }",
      tail: 'al.log("other", other.state());',
    },
  ],
  ["without batches", { data: "al.dataset(10).shuffle(7).map((x) => [x])" }],
  ["in order", { data: "al.dataset([[1], [2], [3], [4]])" }],
];

describe("between epochs", () => {
  test.each(some(NESTED, { every: 4 }))("%s", async (_, program) => {
    using project = await recorded(nested(program));
    await check(project, toEpoch2, /^$|^epoch=[23]/);
    await check(project, skipTwo, /^$|^epoch=[23]/);
  });
});

describe("in the middle of an epoch", () => {
  const rows = NESTED.filter(([name]) => name !== "with the epoch set after");
  test.each(some(rows, { every: 4 }))("%s", async (_, program) => {
    // Entries before are skipped; the second step of the third pass is the first that runs.
    const courses = (file: (path: string) => string): Course[] => [
      { entry: "step=end", do: "skip", restore: file("step=end") },
      { entry: "step#1=end", do: "skip", restore: file("step#1=end") },
      {
        entry: "step#2=end",
        do: "legs",
        legs: [leg(1, null, file("step#2=0"), "state")],
        after: "run",
      },
    ];
    using project = await recorded(flat(program));
    await check(project, courses, /^$|^step#2=[1-9]|^step#3/);
  });

  test("what is left of a pass after its last step is nothing", async () => {
    const courses = (file: (path: string) => string): Course[] => [
      {
        entry: "step=end",
        do: "legs",
        legs: [leg(4, null, file("step=3"), "state")],
        after: "run",
      },
    ];
    using project = await recorded(flat({}));
    await check(project, courses, /^$|^step#/);
  });
});

/**
 * A process with orders takes plain loops to where they say: where such a loop stands is all in its
 * variables, so that a checkpoint sets it, and its test is evaluated after the restore.
 */
import { afterAll, describe, expect, test } from "vitest";
import type { Course } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { readRunFacts } from "../../src/replayer/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { logged, replay } from "../support/replay.ts";
import { TestProject } from "../support/project.ts";

/** Loops of every kind; tests and updates draw and change things as well. */
const PROGRAM = `
let total = 0;
const history: number[] = [];
for (let epoch = 0; epoch < 5; epoch++) {
  let step = 0;
  while (step < 4) {
    total += Math.random();
    console.log("loss", total);
    step++;
    if (epoch === 3 && step === 3) break;
  }
  do {
    total *= 0.9;
    console.log("shrunk", total);
  } while (total > 3 + Math.random());
  history.push(total);
  console.log("accuracy", total / history.length);
}
console.log("after_for", total, "length", history.length);
let tries = 0;
do {
  tries++;
  total -= Math.random();
  console.log("tried", total);
} while (tries < 4 || Math.random() > 0.3);
console.log("after_do", total, "tries", tries);
for (let low = 0, high = 9; low < high; low++, high--) {
  total += [1, 2].map((by) => by * low + high).reduce((a, b) => a + b) * Math.random();
  console.log("pair", total, "between", high - low);
}
console.log("after_pairs", total);
const queue = [5, 3, 1];
for (let next; (next = queue.shift()) !== undefined; total += next) {
  if (next > 3) queue.push(next - 2);
  console.log("queued", total, "left", queue.length);
}
console.log("after_queue", total);
for (const part of new Set([2, 4, 8])) {
  total += part * Math.random();
  console.log("part", total);
}
console.log("after_of", total, "draw", Math.random());
export {};
`;

const OUTERMOST = ["epoch", "do.2", "low", "next", "part"];
const skip = (entry: string): Course => ({ entry, do: "skip", restore: `${entry}.safetensors` });

/** Begins with iteration `from`, whatever the loop is. */
function beginAt(loop: string, from: number, around = ""): Course {
  const restore = `${around}${loop}=${from - 1}.safetensors`;
  const legs = [{ from, to: null, restore, reposition: "index" as const }];
  return { entry: `${around}${loop}=end`, do: "legs", legs, after: "run" };
}

describe("plain loops with orders", async () => {
  const project = new TestProject({ "train.ts": PROGRAM });
  afterAll(() => project[Symbol.dispose]());
  const ran = await project.afterlog("run", "--overhead", "inf", "train.ts");
  const records = logged(project.records);
  const taken = listCheckpoints(project.run).map(({ path }) => formatPath(path));

  test("every end of an iteration has a checkpoint", () => {
    expect(ran.code).toBe(0);
    for (const name of OUTERMOST) {
      expect(taken).toContain(`${name}=1`);
      expect(taken).toContain(`${name}=end`);
    }
    expect(taken).toContain("epoch=2,do=end");
  });

  test.each<[string, Course[], (path: string) => boolean]>([
    ["executed from the start", [], () => true],
    ["all skipped", OUTERMOST.map((loop) => skip(`${loop}=end`)), (path) => path === ""],
    [
      "each begun in its middle",
      OUTERMOST.map((loop) => beginAt(loop, 2)),
      (path) => path === "" || Number(/=(\d+)/.exec(path)?.[1]) >= 2,
    ],
    [
      "each begun with its second iteration",
      OUTERMOST.map((loop) => beginAt(loop, 1)),
      (path) => path === "" || Number(/=(\d+)/.exec(path)?.[1]) >= 1,
    ],
    [
      "inner loops skipped",
      [0, 1, 2, 3, 4].flatMap((epoch) => [
        skip(`epoch=${epoch},while=end`),
        skip(`epoch=${epoch},do=end`),
      ]),
      (path) => !/while|do=/.test(path),
    ],
    [
      "begun in the middle of inner loops",
      [
        {
          ...beginAt("epoch", 1),
          legs: [{ from: 1, to: 1, restore: "epoch=0.safetensors" }],
          after: "stop",
        },
        beginAt("while", 2, "epoch=1,"),
      ],
      (path) => /^epoch=1($|,do=|,while=[23])/.test(path),
    ],
  ])("%s: as recorded", async (_, courses, isExecuted) => {
    const { outcome, values, states, stderr } = await replay(project, "train.ts", courses);
    expect(outcome.kind, `${outcome.why} ${stderr}`).toBe("done");
    expect(values).toEqual(records.filter(({ path }) => isExecuted(path)));
    expect(states.every(({ equal }) => equal)).toBe(true);
  });

  test("stopped where the orders say", async () => {
    const legs = [{ from: 0, to: 1, restore: null }];
    const courses: Course[] = [{ entry: "epoch=end", do: "legs", legs, after: "stop" }];
    const { outcome, values } = await replay(project, "train.ts", courses);
    expect(outcome.kind).toBe("done");
    expect(new Set(values.map(({ path }) => path.split(",")[0]))).toEqual(
      new Set(["epoch=0", "epoch=1"]),
    );
  });
});

/** Bodies so short that most iterations go by without a call. */
const SHORT = `
let total = 0;
for (let i = 0; i < 3_000_000; i++) total += Math.random() * i;
console.log("total", total);
let steps = 0;
while (Math.random() < 0.999999 && steps < 2_000_000) steps++;
console.log("steps", steps, "next", Math.random());
let sum = 0;
for (const x of Float64Array.from({ length: 2_000_000 }, (_, k) => k)) sum += x * Math.random();
console.log("sum", sum);
export {};
`;

describe("loops of short bodies", async () => {
  const project = new TestProject({ "train.ts": SHORT });
  afterAll(() => project[Symbol.dispose]());
  const ran = await project.afterlog("run", "--overhead", "0.5", "train.ts");
  const records = logged(project.records);
  const taken = listCheckpoints(project.run).filter(({ kind }) => kind === "iteration");

  test("are checkpointed where an iteration ends, and go on from there", async () => {
    expect(ran.code, ran.stderr).toBe(0);
    const last = new Map(taken.map(({ path, file }) => [path[0]?.[0] ?? "", { path, file }]));
    const courses = [...last].map(([loop, { path, file }]): Course => {
      const from = Number(path[0]?.[1]) + 1;
      const legs = [{ from, to: null, restore: file, reposition: "index" as const }];
      return { entry: `${loop}=end`, do: "legs", legs, after: "run" };
    });
    expect(courses.length).toBeGreaterThan(0);
    const { outcome, values } = await replay(project, "train.ts", courses);
    expect(outcome.kind, outcome.why).toBe("done");
    expect(values).toEqual(records);
  });

  test("tell how many iterations there were, and how long they took", () => {
    const iterations = project.records.flatMap((record) =>
      record.k === "exit" ? [[record.loop, record.iterations]] : [],
    );
    const steps = records.find(({ name }) => name === "steps")?.value;
    expect(iterations).toEqual([
      ["i", 3_000_000],
      ["while", steps],
      ["x", 2_000_000],
    ]);
    const entries = readRunFacts(project.run).entries.map(({ loop, elapsedMs, times }) => {
      const mean = times.head.reduce((sum, ms) => sum + ms, 0) / times.head.length;
      return { loop, isMean: mean > 0 && mean < (elapsedMs ?? 0) };
    });
    expect(entries.every(({ isMean }) => isMean)).toBe(true);
  });
});

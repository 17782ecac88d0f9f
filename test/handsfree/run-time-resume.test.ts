/** A hands-free run that is killed or asked to stop goes on, and a fork of one begins, in its plain loops. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Record as LogLine } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { MAIN, TestProject } from "../support/project.ts";

vi.setConfig({ testTimeout: 120_000 });

/** At `AT` (values drawn so far) it does what `ACT` says, once; `MARK` is outside of the project. */
const PROGRAM = `
import { existsSync } from "node:fs";
const { AT, ACT, MARK = "" } = process.env;
const cell = new Int32Array(new SharedArrayBuffer(4));
function act(): void {
  // What was taken before is durable by then.
  Atomics.wait(cell, 0, 0, 300);
  if (ACT === "kill") process.kill(process.pid, "SIGKILL");
  if (ACT !== "hold") return;
  process.stdout.write("holding\\n");
  while (!existsSync(MARK)) Atomics.wait(cell, 0, 0, 5);
  // That it is asked to stop is known by then.
  Atomics.wait(cell, 0, 0, 400);
}
const weights = new Float64Array([1, 2]);
let drawn = 0;
let rate = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  let step = 0;
  while (step < 4) {
    weights[step % 2]! += rate * Math.random();
    drawn += 1;
    step += 1;
    if (AT === String(drawn)) act();
    console.log("loss", weights[0]);
  }
  do {
    rate *= 0.7;
    drawn += 1;
    if (AT === String(drawn)) act();
    console.log("rate", rate);
  } while (rate > 0.3 + Math.random());
  console.log("accuracy", weights[1]);
}
console.log("final", weights[0] + weights[1], "drawn", drawn);
`;

/** What readers see: what a rewind supersedes is gone. */
function seen(records: readonly LogLine[]): string[] {
  let kept: LogLine[] = [];
  for (const record of records) {
    if (record.k !== "rewind") kept.push(record);
    else kept = kept.filter((before) => !("seq" in before) || before.seq <= record.seq);
  }
  return kept.flatMap((record) =>
    record.k === "log" ? [`${formatPath(record.path)} ${record.name} ${String(record.value)}`] : [],
  );
}

const WORDS = ["run", "--seed", "7"];

describe("a hands-free run", async () => {
  const whole = new TestProject({ "train.ts": PROGRAM });
  afterAll(() => whole[Symbol.dispose]());
  const { code } = await whole.afterlog(...WORDS, "--overhead", "inf", "train.ts");
  const expected = seen(whole.records);

  test("has something to go on with", () => {
    expect(code).toBe(0);
    expect(whole.manifest.handsFree).toBe(true);
    expect(expected.filter((line) => line.includes("loss"))).toHaveLength(12);
  });

  test.each([
    ["in a loop of a later epoch", "8", "inf"],
    ["in a do, near the end", "15", "inf"],
    ["without a checkpoint", "3", "0"],
  ])("that is killed %s goes on", async (_, at, overhead) => {
    using project = new TestProject({ "train.ts": PROGRAM });
    const environment = { ACT: "kill", AT: at };
    const words = [...WORDS, "--overhead", overhead, "train.ts"];
    expect((await project.afterlogWith(environment, ...words)).code).toBe(137);
    const resumed = await project.afterlog("run", "--resume", "train.ts");
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(seen(project.records)).toEqual(expected);
    expect(project.manifest).toMatchObject({ status: "done", handsFree: true });
  });

  test("that is asked to stop takes a last checkpoint, and goes on from there", async () => {
    using project = new TestProject({ "train.ts": PROGRAM });
    using signals = new TestProject({});
    const mark = join(signals.folder, "mark");
    const environment = { ACT: "hold", AT: "3", MARK: mark };
    const started = project.start([MAIN, ...WORDS, "--overhead", "0", "train.ts"], environment);
    await new Promise<void>((done) => {
      started.child.stdout?.on("data", (text: string) => text.includes("holding") && done());
    });
    started.child.kill("SIGTERM");
    while (!existsSync(join(project.run, "stop"))) await new Promise((done) => setTimeout(done, 9));
    writeFileSync(mark, "");
    expect((await started.finished).code).toBe(143);
    expect(listCheckpoints(project.run).map(({ path }) => formatPath(path))).toEqual([
      "epoch=0,while=2",
    ]);
    const resumed = await project.afterlog("run", "--resume", "train.ts");
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(seen(project.records)).toEqual(expected);
  });

  test("can be forked after an iteration", async () => {
    const { run } = whole.manifest;
    const forked = await whole.afterlog("fork", `${run}@epoch=1`);
    expect(forked.code, forked.stderr).toBe(0);
    const rest = expected.filter((line) => !/^epoch=[01]/.test(line));
    expect(whole.manifest.handsFree).toBe(true);
    expect(seen(whole.records)).toEqual(rest);
  });
});

/** Each call of `grow` has variables of its own, which are no more when the iteration is over. */
const RECURSIVE = `
let calls = 0;
function grow(depth: number, data: number[]): { split: number; size: number } {
  const node = { split: 0, size: data.length };
  if (depth === 0 || data.length < 2) return node;
  let best = Infinity;
  for (const value of data) {
    const sum = data.reduce((all, other) => all + Math.abs(other - value), Math.random());
    if (sum < best) {
      best = sum;
      node.split = value;
    }
    calls++;
  }
  const rest = grow(depth - 1, data.filter((value) => value < node.split));
  return { split: node.split, size: node.size + rest.size };
}
const data = Array.from({ length: 6 }, () => Math.random());
for (let tree = 0; tree < 4; tree++) {
  const { split, size } = grow(3, data.map((value) => value * Math.random()));
  console.log("split", split, "size", size, "calls", calls);
  if (process.env.ACT === "kill" && tree === 2) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    process.kill(process.pid, "SIGKILL");
  }
}
`;

/** Nothing that is there when the first loop begins leads to the class of what it makes, and nothing holds `improved`. */
const CLASS_OF_OLD = `
function Particle() {
  this.p = Math.random();
  this.best = Infinity;
}
Particle.prototype.look = function (f) {
  const y = f(this.p);
  if (y < this.best) {
    this.best = y;
    Particle.improved++;
  }
  this.p += Math.random() - 0.5;
};
Particle.improved = 0;
const swarm = [];
for (let i = 0; i < 4; i++) swarm.push(new Particle());
for (let turn = 0; turn < 4; turn++) {
  for (let i = 0; i < 4; i++) swarm[i].look((p) => p * p);
  console.log("best", swarm[0].best, "improved", Particle.improved);
  if (process.env.ACT === "kill" && turn === 2) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    process.kill(process.pid, "SIGKILL");
  }
}
`;

test.each([
  ["a function that calls itself", "train.ts", RECURSIVE],
  ["a class that is a function", "train.cjs", CLASS_OF_OLD],
])("a run of %s goes on", async (_, file, text) => {
  using whole = new TestProject({ [file]: text });
  using project = new TestProject({ [file]: text });
  const words = [...WORDS, "--overhead", "inf", file];
  expect((await whole.afterlog(...words)).code).toBe(0);
  expect((await project.afterlogWith({ ACT: "kill" }, ...words)).code).toBe(137);
  const resumed = await project.afterlog("run", "--resume", file);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(seen(project.records)).toEqual(seen(whole.records));
});

/** What a recording must get right whatever the program does: each row was once wrong. */
import { describe, expect, test } from "vitest";
import type { ProfileRecord } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestProject } from "../support/project.ts";

const SPIN =
  "const spin = (ms) => { const t = performance.now(); while (performance.now() - t < ms); };";
const program = (text: string): { [name: string]: string } => ({
  "t.mjs": `import * as al from "afterlog";\n${SPIN}\n${text}`,
});

describe("arguments", () => {
  const ask = program('const f = () => al.arg("lr", 0.1);\nconsole.log(f(), f());');

  test.each<[string, NodeJS.ProcessEnv, boolean]>([
    ["recorded", {}, false],
    ["with recording off", { AFTERLOG_MODE: "off" }, false],
    ["where nothing can be recorded", {}, true],
  ])("asked for twice, %s", async (_, env, blocked) => {
    using project = new TestProject(ask);
    if (blocked) writeFileSync(join(project.folder, ".afterlog"), "in the way");
    const { code, stdout } = await project.start(["t.mjs", "lr=0.5"], env).finished;
    expect([code, stdout]).toEqual([0, "0.5 0.5\n"]);
  });
});

/** Iteration ends by path, of a program that declares and loops. */
async function iterationEnds(text: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  using project = new TestProject(program(text));
  const { code, stderr } = await project.start(["t.mjs"], env).finished;
  expect(stderr).not.toContain("warning");
  expect(code).toBe(0);
  return listCheckpoints(project.run).filter(({ kind }) => kind === "iteration").length;
}

describe("the policy takes checkpoints", () => {
  test.each<[string, string]>([
    [
      "though every epoch logs",
      `const state = al.checkpointing({ w: new Float32Array(1e5) });
       for (const e of al.loop("epoch", al.range(40))) { spin(15); state.w[e]++; al.log("x", e); }`,
    ],
    [
      "after a short loop",
      `const state = al.checkpointing({ w: new Float32Array(2e6) });
       for (const e of al.loop("warm-up", al.range(5))) { spin(20); state.w[e]++; }
       for (const e of al.loop("epoch", al.range(40))) { spin(40); state.w[e]++; }`,
    ],
    [
      "of a state that grows",
      `const state = al.checkpointing({ w: new Float32Array(2e6), more: [] });
       for (const e of al.loop("epoch", al.range(40))) { spin(40); state.more.push(new Float32Array(2000)); }`,
    ],
  ])("%s", async (_, text) => {
    expect(await iterationEnds(text, { AFTERLOG_OVERHEAD: "0.5" })).toBeGreaterThanOrEqual(2);
  });
});

describe("iterators", () => {
  test("used up ones are forgotten, so checkpoints do not grow", async () => {
    using project = new TestProject(
      program(`const state = al.checkpointing({ n: 0 });
        const make = function* () { yield 1; yield 2; };
        for (const e of al.loop("epoch", al.range(30))) for (const s of al.loop("step", make())) state.n++;`),
    );
    await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf" }).finished;
    const counts = listCheckpoints(project.run).map(({ iterators }) => iterators.length);
    expect(Math.max(...counts)).toBe(2);
  });

  test("a position of the program's own is kept exactly, or said to be absent", async () => {
    using project = new TestProject(
      program(`class Loader {
        at = 0;
        constructor(fails) { this.fails = fails; }
        *[Symbol.iterator]() { for (; this.at < 2; this.at++) yield this.at; this.at = 0; }
        state() { if (this.fails) throw new Error("no state"); return { at: this.at, order: new Uint32Array([3, 1]), best: Infinity, big: 2n ** 70n }; }
        restore() {}
      }
      const state = al.checkpointing({ n: 0 });
      const good = new Loader(false), bad = new Loader(true);
      for (const e of al.loop("epoch", al.range(3))) {
        for (const s of al.loop("step", good)) state.n++;
        for (const s of al.loop("eval", bad)) state.n++;
        al.log("n", state.n);
      }`),
    );
    await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf" }).finished;
    expect(project.logged("n")).toEqual([4, 8, 12]);
    const last = listCheckpoints(project.run).findLast(({ kind }) => kind === "iteration");
    const [, good, bad] = last?.iterators ?? [];
    expect(good).toMatchObject({
      delivered: 6,
      state: {
        at: 0,
        order: { $: "typed", type: "Uint32Array", v: "AwAAAAEAAAA=" },
        best: { $: "float", v: "Infinity" },
        big: { $: "bigint", v: String(2n ** 70n) },
      },
    });
    expect(bad).toMatchObject({ delivered: 6, absent: "no state" });
  });
});

describe("declarations", () => {
  test("a training function that is called again declares anew", async () => {
    using project = new TestProject(
      program(`function train(k) {
          const model = track({ w: new Float32Array(3000).fill(k) }), opt = track({ m: new Float32Array(2000).fill(k) });
          for (const e of al.loop("epoch", al.range(2))) model.w[e] += opt.m[e];
        }
        const track = (record) => al.checkpointing(record);
        for (let k = 0; k < 5; k++) train(k);`),
    );
    await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf" }).finished;
    const places = listCheckpoints(project.run).map((record) =>
      record.places.map(({ key }) => key),
    );
    expect(places.at(0)).toEqual(["d0.w", "d1.m"]);
    expect(places.at(-1)).toEqual(["d8.w", "d9.m"]);
  });
});

describe("declarations at different places", () => {
  test("are all kept, also after a loop has ended", async () => {
    using project = new TestProject(
      program(`const model = al.checkpointing({ w: new Float32Array(3000) });
        for (const i of al.loop("warm-up", al.range(2))) model.w[i]++;
        const opt = al.checkpointing({ m: new Float32Array(2000) });
        for (const e of al.loop("epoch", al.range(2))) model.w[e] += opt.m[e];`),
    );
    await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf" }).finished;
    const last = listCheckpoints(project.run).at(-1);
    expect(last?.places.map(({ key }) => key)).toEqual(["d0.w", "d1.m"]);
  });
});

describe("the profile", () => {
  test("has as many times of every kind, and no time of ours", async () => {
    using project = new TestProject(
      program(`const state = al.checkpointing({ n: 0 });
        for (const e of al.loop("epoch", al.range(6))) {
          spin(2);
          if (e % 3 === 2) for (const i of al.loop("eval", al.range(2))) spin(3);
        }`),
    );
    await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf" }).finished;
    const lines = readFileSync(join(project.run, "profile.jsonl"), "utf8").trimEnd().split("\n");
    const epochs = lines
      .map((line) => JSON.parse(line) as ProfileRecord)
      .flatMap((line) => (line.k === "iterations" && line.loop === "epoch" ? [line] : []));
    expect(epochs).toHaveLength(1);
    const { next, head, inner = [], tail = [] } = epochs[0] ?? { next: [], head: [] };
    expect([next, head, inner, tail].map((list) => list.length)).toEqual([6, 6, 6, 6]);
    expect(inner.map((ms) => ms > 0)).toEqual([false, false, true, false, false, true]);
  });
});

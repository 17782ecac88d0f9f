/**
 * `aside`: the training after it is what it would have been without it. One program, with other
 * things done aside; what it logs, and the positions in its checkpoints, must not change.
 */
import { describe, expect, test } from "vitest";
import { listCheckpoints } from "../../src/store/index.ts";
import { ask, edit, record, SEED } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";
import { changesOf, LOOP } from "../unit/languages/check.ts";

/** A training that draws, goes through data and has a model with flags. */
function program(statement: string): string {
  return `import * as al from "afterlog";
class Layer {
  training = true;
  #mode = "train";
  get mode() { return this.#mode; }
  set mode(mode: string) { this.#mode = mode; }
  call(x: number) { return this.training && this.mode === "train" ? x * Math.random() : x; }
}
const model = { layers: new Map([["a", new Layer()], ["b", new Layer()]]) };
const data = al.dataset(12).shuffle(3).batch(4);
const test = al.dataset(6).shuffle(5).batch(2);
const state = al.checkpointing({ model, w: new Float64Array(1) });
function evaluate(set: Iterable<number[]> = test): number {
  for (const layer of model.layers.values()) [layer.training, layer.mode] = [false, "eval"];
  let sum = Math.random();
  for (const batch of set) for (const x of batch) sum += x * (state.w[0] ?? 0);
  return sum;
}
const nested = () => al.aside(() => { evaluate(); throw new Error("inner"); });
const slowly = (times: number) => al.aside(async () => {
  for (let n = 0; n < times; n++) { evaluate(); await null; }
  if (times === 0) nested();
});
for await (const epoch of al.loop("epoch", al.range(3))) {
  for await (const batch of al.loop("step", data)) {
    const layers = [...model.layers.values()];
    for (const x of batch) state.w[0] = (state.w[0] ?? 0) + layers.reduce((y, l) => l.call(y), x);
    ${statement}
    al.log("loss", state.w[0]);
  }
  for (const b of al.loop("test", test)) al.log("tested", b);
  al.log("draw", Math.random());
}
`;
}

async function recorded(statement: string): Promise<{ values: unknown; positions: unknown }> {
  using project = new TestProject({ "train.ts": program(statement) });
  const argv = ["run", "--seed", SEED, "--overhead", "inf", "train.ts"];
  const { code, stderr } = await project.afterlog(...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const values = ["loss", "tested", "draw"].map((name) => project.logged(name));
  const positions = listCheckpoints(project.run).map(({ path, iterators }) => [path, iterators]);
  return { values, positions };
}

describe("what is done aside is not felt by the training", () => {
  const untouched = recorded("");

  test.each<[string, string]>([
    ["an evaluation of its own data", "al.aside(() => evaluate());"],
    ["logged", 'al.log("x", al.aside(() => evaluate()));'],
    ["awaited", "await al.aside(async () => { evaluate(); await null; Math.random(); });"],
    ["two at once, the first returns first", "await Promise.all([slowly(1), slowly(9)]);"],
    ["three at once, one rejects", "await Promise.allSettled([slowly(5), slowly(1), slowly(0)]);"],
    ["one that throws", "try { nested(); } catch {}"],
    ["one that rejects", "await al.aside(async () => { await null; nested(); }).catch(() => {});"],
    ["one in another", "al.aside(() => { try { nested(); } catch {} evaluate(); });"],
    ["the data of the loop itself", "al.aside(() => evaluate(data));"],
    ["half of it", "al.aside(() => { for (const b of test) { evaluate([b]); break; } });"],
    ["new data", "al.aside(() => evaluate(al.dataset(9).shuffle(1).batch(2)));"],
    [
      "recorded loops, declarations",
      'al.aside(() => { al.checkpointing({ calls: [1] }); for (const b of al.loop("test", test)) evaluate([b]); });',
    ],
  ])("%s", async (_, statement) => {
    expect(await recorded(statement)).toEqual(await untouched);
  });
});

test("asked in hindsight it gives what the program would have logged", async () => {
  const statement = 'al.log("x", al.aside(() => evaluate()));';
  const truth = await record({ "train.ts": program(statement) }, "train.ts", "all");
  using expected = truth;
  using project = await record({ "train.ts": program("") }, "train.ts", "all");
  edit(project, { "train.ts": program(statement) });
  const { code, stderr, cells } = await ask(project, ["x"]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(cells.map(({ value }) => Number(value))).toEqual(expected.logged("x"));
});

test("where nothing is recorded it calls the function", async () => {
  using project = new TestProject({
    "t.mjs": `import * as al from "afterlog";
      console.log(al.aside(() => 3), await al.aside(async () => 4));`,
  });
  const { code, stdout } = await project.start(["t.mjs"], { AFTERLOG_MODE: "off" }).finished;
  expect([code, stdout]).toEqual([0, "3 4\n"]);
});

test("the analysis follows the function and what it returns", () => {
  const body = "let n = 0; const list = []; function get() { n++; return list; }";
  expect(changesOf(`${body} ${LOOP} { al.aside(() => get()).push(1); }`)).toBe("list n");
  expect(changesOf(`${body} ${LOOP} { (await al.aside(async () => get())).push(1); }`)).toBe(
    "list n",
  );
});

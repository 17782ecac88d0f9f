/** Programs that a recording must not disturb, whatever they do with their loops. */
import { describe, expect, test } from "vitest";
import { logged } from "../support/replay.ts";
import { TestProject } from "../support/project.ts";

/** Each part is a program of its own, as far as loops are concerned. */
const PROGRAM = `
const later = () => new Promise((done) => setTimeout(done, 1));

async function fold(k) {
  let sum = 0;
  for (let i = 0; i < 5; i++) {
    sum += i * k;
    await later();
  }
  return sum;
}
console.log("folds", (await Promise.all([1, 2, 3].map(fold))).join(" "));
console.log("again", (await Promise.all([1, 2].map(fold))).join(" "));

function walk(depth, visit) {
  let nodes = 1;
  for (const child of [0, 1]) {
    if (depth > 0) nodes += walk(depth - 1, visit);
    else visit(child);
  }
  return nodes;
}
console.log("nodes", walk(6, globalThis.isNaN));

function total(n) {
  let sum = 0;
  odd: for (let i = 0; i < n; i++) { if (i % 2) continue odd; sum += i; }
  do sum++; while (sum < 9);
  return sum;
}
class Sums { #of = total; all() { while (true) return this.#of(5); } }
for (const one of [total, walk, Sums, Function.prototype.toString]) console.log(String(one));
// Executed where nothing of ours is.
const elsewhere = new Function("return " + total)();
console.log("elsewhere", elsewhere(7), "all", new Sums().all());
for (let c = 0; c < 2; c++) console.count("counted");

let stopped = false;
async function watch() {
  let ticks = 0;
  while (!stopped) {
    ticks++;
    await later();
  }
  return ticks > 0;
}
const watching = watch();
let weight = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  for (let batch = 0; batch < 2; batch++) {
    weight += batch;
    await later();
  }
  console.log("weight", weight);
}
stopped = true;
console.log("watched", await watching);

try {
  for (const x of 7) console.log("never", x);
} catch (error) {
  console.log("refused", error.constructor.name, "text", error.message, /__al/.test(error.stack));
}
try {
  for await (const x of undefined) console.log("never", x);
} catch (error) {
  console.log("refused_too", error.constructor.name);
}

let given = 0;
const promises = { next: async () => ({ done: given++ > 1, value: Promise.resolve(given) }) };
for await (const x of { [Symbol.asyncIterator]: () => promises }) {
  console.log("unresolved", x instanceof Promise);
}
for await (const x of [Promise.resolve(1), 2]) console.log("resolved", x);

const made = { n: 0, next: () => ({ get done() { return made.n > 2; }, get value() { return made.n++; } }) };
for (const x of { [Symbol.iterator]: () => made }) console.log("made_once", x);
let replaced = { n: 0, next() { this.next = undefined; return { done: this.n > 2, value: this.n++ }; } };
for (const x of { [Symbol.iterator]: () => replaced }) console.log("found_once", x);
for (const result of [5, null]) {
  const next = () => result;
  try {
    for (const x of { [Symbol.iterator]: () => ({ next }) }) console.log("never", x);
  } catch (error) {
    console.log(error.message);
  }
  try {
    for await (const x of { [Symbol.asyncIterator]: () => ({ next }) }) console.log("never", x);
  } catch (error) {
    console.log(error.message);
  }
}
async function* two() { yield 1; yield Promise.resolve(2); }
for (const source of [two, () => [1, Promise.resolve(2)], () => two()[Symbol.asyncIterator]()]) {
  const order = [];
  let turn = Promise.resolve();
  for (const name of "abcdefghij") turn = turn.then(() => order.push(name));
  for await (const x of source()) order.push(x);
  order.push("end");
  for await (const x of source()) break;
  order.push("left");
  await turn;
  console.log("order", order.join(""));
}

function* numbers() {
  try {
    for (let n = 0; ; n++) yield n;
  } finally {
    console.log("closed", true);
  }
}
for (const n of numbers()) {
  if (n > 1500) break;
}
const thrown = [];
for (let t = 0; t < 2000; t++) {
  try {
    while (true) throw new Error(String(t));
  } catch (error) {
    thrown.push(error.message);
  }
}
console.log("thrown", thrown.length);
outer: for (let a = 0; a < 3; a++) {
  for (let b = 0; b < 3; b++) {
    if (b === 1) continue outer;
    if (a === 2) break outer;
    console.log("pair", a * 10 + b);
  }
}
const pending = (async () => { for (;;) await new Promise(() => {}); })();
for (let last = 0; last < 3; last++) console.log("final", last);
console.log("end", pending instanceof Promise);
`;

describe("a hands-free program", async () => {
  using project = new TestProject({ "train.mjs": PROGRAM });
  const plain = await project.node("train.mjs");
  const ran = await project.afterlog("run", "train.mjs");
  const { off, rewriter } = project.manifest;
  const { records } = project;
  const values = logged(records);

  test("prints and returns what it would without us", () => {
    expect(ran.stdout).toBe(plain.stdout);
    expect(ran.code).toBe(plain.code);
  });

  test("loops that run at the same time are left alone, and the run says so", () => {
    const left = rewriter.leftAlone?.filter(({ why }) => why.includes("at the same time"));
    expect(left?.map(({ line }) => line)).toEqual(expect.arrayContaining([6, 41]));
    // Which loops cost too much depends on the machine.
    expect(off.filter(({ why }) => !why.includes("budget"))).toEqual([]);
  });

  test("a loop in which its function calls itself is left as it was written", () => {
    expect(records.some((record) => "loop" in record && record.loop === "child")).toBe(false);
  });

  test("what the console counts is no value: nobody can set its count back", () => {
    expect(values.map(({ name }) => name)).not.toContain("counted");
  });

  test("later loops are recorded all the same", () => {
    const pairs = values.filter(({ name }) => name === "pair").map(({ path }) => path);
    expect(pairs).toEqual(["a=0,b=0", "a=1,b=0"]);
    const exits = records.flatMap((record) => (record.k === "exit" ? [record] : []));
    const how = (loop: string): unknown[] =>
      exits.filter((exit) => exit.loop === loop).map((exit) => [exit.how, exit.iterations]);
    expect(how("n")).toEqual([["break", 1502]]);
    expect(how("a")).toEqual([["break", 3]]);
    expect(how("b")).toEqual([
      ["jump", 2],
      ["jump", 2],
      ["jump", 1],
    ]);
    expect(how("t")).toEqual([["exhausted", 2000]]);
    const last = values.filter(({ name }) => name === "final").map(({ path }) => path);
    expect(last.map((path) => path.split(",").at(-1))).toEqual(["last=0", "last=1", "last=2"]);
  });
});

test("no trap of the program, or of Node, is called by us", async () => {
  // Required in a circle, the other module is half loaded, and Node minds who looks at it.
  using project = new TestProject({
    "train.cjs": `require("./one.cjs");`,
    "one.cjs": `exports.sum = require("./other.cjs").sum;
console.log("sum", exports.sum);`,
    "other.cjs": `const one = require("./one.cjs");
let traps = 0;
const trap = (name) => (...all) => { traps++; return Reflect[name](...all); };
const names = Reflect.ownKeys(Reflect);
const traced = (made) => new Proxy(made, Object.fromEntries(names.map((name) => [name, trap(name)])));
const held = { own: traced({}), heir: Object.create(traced({ a: 1 })), call: traced(() => 0) };
const list = [];
for (let i = 0; i < 4; i++) list.push(i);
for (let i = 0; i < 4; i++) {
  held.sum = (held.sum ?? 0) + i;
  console.log("held", held.own, held.heir, held.sum);
}
for (const x of traced([1, 2])) console.log("traced", x);
exports.sum = held.sum;
console.log("trapped", traps);`,
  });
  const plain = await project.node("train.cjs");
  const ran = await project.afterlog("run", "train.cjs");
  expect(ran.stdout).toBe(plain.stdout);
  expect(plain.stderr).toBe("");
  expect(ran.stderr).not.toContain("Warning");
});

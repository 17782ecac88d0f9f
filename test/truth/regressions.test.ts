/**
 * Small programs that have been answered wrongly once, or that a rule of docs/semantics.md was
 * written for. Lines `//@name expression` are the statements that are asked for, one question each.
 */
import { describe, test } from "vitest";
import { some } from "../support/draws.ts";
import { checkQuestions } from "./check-program.ts";
import type { Question } from "./check-program.ts";
import type { Probe, Program } from "./generate.ts";
import { HELPERS } from "./gadgets.ts";

/** A program, and the epochs in which the statements named `some…` are asked for. */
const ROWS: [string, string][] = [
  [
    "an array that is changed, and no longer held by its name, while a loop goes over it",
    `
let queue = [0.1, 0.2, 0.3, 0.4];
let total = 0.5;
for (const job of al.loop("epoch", queue)) {
  queue[3] = mix(job, queue[3]);
  queue = [...queue];
  total = mix(total, job);
  al.log("loss", total);
  //@some [job, total, queue]
}
//@end [total, queue]
`,
  ],
  [
    "closures of which one was made in an earlier loop",
    `
const makeCell = (v) => ({ get: () => v, set: (x) => { v = mix(v, x); } });
const a = makeCell(0.1);
let b = null;
for (const e of al.loop("phase", al.range(2))) {
  if (e === 0) b = makeCell(0.2);
  b.set(0.3);
}
for (const e of al.loop("epoch", al.range(4))) {
  a.set(0.4);
  b.set(a.get());
  al.log("loss", a.get());
  //@some [a.get(), b.get()]
}
//@end [a.get(), b.get()]
`,
  ],
  [
    "keys of a Map that are objects of a list that never changes",
    `
const keys = [{ id: 0 }, { id: 1 }, { id: 2 }];
const byKey = new Map();
for (const e of al.loop("epoch", al.range(4))) {
  const key = keys[e % 3];
  byKey.set(key, mix(byKey.get(key) ?? 0.2, e));
  al.log("loss", byKey.get(key));
  //@some keys.map((k) => byKey.get(k) ?? null)
}
//@end keys.map((k) => byKey.get(k) ?? null)
`,
  ],
  [
    "the best of a list, known by identity",
    `
const models = [0.3, 0.9, 0.2, 0.7].map((w) => ({ w }));
let best = null;
const seen = new Set();
for (const model of al.loop("epoch", models)) {
  if (!best || model.w > best.w) best = model;
  seen.add(model);
  al.log("loss", model.w);
  //@some [models.indexOf(best), seen.has(models[1])]
}
//@end [models.indexOf(best), seen.has(models[1]), models.map((m) => seen.has(m))]
`,
  ],
  [
    "a generator that cleans up when its loop is broken off",
    `
let closed = 0.1;
let total = 0.5;
function* held(n) {
  try {
    for (let i = 0; i < n; i++) yield mix(i, closed);
  } finally {
    closed = mix(closed, 0.9);
  }
}
for (const e of al.loop("epoch", al.range(3))) {
  for (const x of al.loop("step", held(5))) {
    total = mix(total, x);
    al.log("loss", total);
    if (total > 0.4) break;
  }
  //@some [closed, total]
}
//@end [closed, total]
`,
  ],
  [
    "an async generator that cleans up when its loop is broken off",
    `
let closed = 0.1;
let total = 0.5;
async function* held(n) {
  try {
    for (let i = 0; i < n; i++) yield mix(i, closed);
  } finally {
    await null;
    closed = mix(closed, 0.9);
  }
}
for await (const e of al.loop("epoch", held(6))) {
  total = mix(total, e);
  al.log("loss", total);
  if (total > 0.4) break;
}
//@end [closed, total]
`,
  ],
  [
    "an iterator over a list that is advanced by hand",
    `
const hand = [0.1, 0.5, 0.3, 0.8, 0.2][Symbol.iterator]();
let took = 0.1;
for (const e of al.loop("epoch", al.range(4))) {
  took = mix(took, hand.next().value ?? 0.3);
  al.log("loss", took);
  //@some [took]
}
//@end [took, hand.next().value ?? null]
`,
  ],
  [
    "what all instances inherit",
    `
class Proto {}
Proto.prototype.v = 0.1;
const one = new Proto();
for (const e of al.loop("epoch", al.range(4))) {
  Proto.prototype.v = mix(one.v, e);
  al.log("loss", one.v);
  //@some [one.v]
}
//@end [one.v]
`,
  ],
  [
    "closures of earlier folds that go on counting",
    `
const handlers = [];
let total = 0.5;
for (const fold of al.loop("epoch", al.range(4))) {
  let count = 0.1;
  handlers.push({ bump: (x) => { count = mix(count, x); }, read: () => count });
  for (const step of al.loop("step", al.range(3))) {
    for (const { bump, read } of handlers) { bump(step); total = mix(total, read()); }
    al.log("loss", count);
  }
  al.log("acc", total);
  //@some [total, handlers.map(({ read }) => read())]
}
//@end [total, handlers.map(({ read }) => read())]
`,
  ],
  [
    "loops inside of a generator that a loop goes over",
    `
let inner = 0.1;
let outer = 0.2;
function* train() {
  for (const e of al.loop("warm", al.range(3))) {
    inner = mix(inner, e);
    yield inner;
    inner = mix(inner, outer);
  }
}
for (const x of al.loop("epoch", train())) {
  outer = mix(outer, x);
  al.log("loss", outer);
  //@some [inner, outer]
}
//@end [inner, outer]
`,
  ],
  [
    "a generator with a loop that is stepped by hand",
    `
let inner = 0.1;
function* train() {
  for (const e of al.loop("epoch", al.range(4))) {
    inner = mix(inner, e);
    al.log("loss", inner);
    //@some [inner]
    yield inner;
  }
}
let total = 0.5;
const steps = train();
for (let next = steps.next(); !next.done; next = steps.next()) total = mix(total, next.value);
//@end [inner, total]
`,
  ],
  [
    "a block that is left from inside of a loop",
    `
let total = 0.5;
let after = 0.1;
for (const e of al.loop("epoch", al.range(4))) {
  block: {
    for (const step of al.loop("step", al.range(4))) {
      total = mix(total, step);
      al.log("loss", total);
      if (total > 0.6) break block;
    }
    after = mix(after, total);
  }
  //@some [total, after]
}
//@end [total, after]
`,
  ],
  [
    "a function with a loop that calls itself",
    `
let total = 0.5;
function dive(depth) {
  let own = mix(depth, 0.3);
  for (const step of al.loop("level", al.range(2))) {
    own = mix(own, step);
    if (depth > 0) total = mix(total, dive(depth - 1));
    own = mix(own, total);
    al.log("loss", own);
  }
  return own;
}
for (const e of al.loop("epoch", al.range(4))) {
  total = mix(total, dive(2));
  //@some [total]
}
//@end [total]
`,
  ],
  [
    "a promise that is made in one iteration and awaited in the next",
    `
let loads = 0.1;
const load = async (i) => { await null; loads = mix(loads, i); return loads; };
let next = load(0);
let total = 0.5;
for (const e of al.loop("epoch", al.range(4))) {
  const now = await next;
  next = load(e + 1);
  total = mix(total, now);
  al.log("loss", total);
  //@some [total, now]
}
//@end [total, await next]
`,
  ],
  [
    "an instance that only the loop makes, of a class that nobody exports",
    `
class Model {
  constructor(w) { this.w = w; }
  get double() { return this.w * 2; }
}
let model = null;
for (const e of al.loop("epoch", al.range(4))) {
  model = new Model(mix(model?.w ?? 0.2, e));
  al.log("loss", model.w);
  //@some [model.double, model instanceof Model]
}
//@end [model.double, model instanceof Model]
`,
  ],
  [
    "signs of zero, and what is not a number",
    `
let zero = 0;
let odd = 0;
const list = [0];
for (const e of al.loop("epoch", al.range(4))) {
  zero = e % 2 === 1 ? -0 : 0;
  odd = e === 3 ? NaN : e === 1 ? -Infinity : 1;
  list[0] = zero;
  al.log("loss", e);
  //@some [Object.is(zero, -0), String(odd), Object.is(list[0], -0)]
}
//@end [Object.is(zero, -0), String(odd), Object.is(list[0], -0)]
`,
  ],
  [
    "loops whose variables are declared elsewhere",
    `
let item;
const spot = { x: 0 };
let total = 0.5;
for (item of al.loop("epoch", [0.1, 0.4, 0.2, 0.8])) {
  for (spot.x of al.loop("step", [0.3, item])) {
    total = mix(total, spot.x);
    al.log("loss", total);
  }
  //@some [item, spot, total]
}
for (var late of al.loop("late", [0.7, 0.9])) {
  var hoisted = mix(total, late);
}
//@end [item, spot, total, late, hoisted]
`,
  ],
  [
    "state that is declared in part, and shared with what is not",
    `
const inner = { v: 0.1 };
const model = { inner, w: new Float64Array([0.1, 0.2]) };
al.checkpointing({ model });
let alias = { part: inner, view: model.w.subarray(1) };
for (const e of al.loop("epoch", al.range(4))) {
  model.inner.v = mix(inner.v, e);
  alias.view[0] = mix(model.w[1], inner.v);
  if (e === 2) alias = { ...alias, extra: inner.v };
  al.log("loss", inner.v);
  //@some [alias.part === model.inner, alias.view[0] === model.w[1], alias.extra ?? null, inner.v]
}
//@end [alias.part === model.inner, alias.view[0] === model.w[1], alias.extra ?? null, inner.v]
`,
  ],
  [
    "an async generator with loops of its own",
    `
let seen = 0.1;
async function* data() {
  for (const part of al.loop("part", al.range(2))) {
    await null;
    seen = mix(seen, part);
    yield seen;
  }
}
let total = 0.5;
for (const e of al.loop("epoch", al.range(4))) {
  for await (const x of al.loop("step", data())) {
    total = mix(total, x);
    al.log("loss", total);
  }
  //@some [total, seen]
}
//@end [total, seen]
`,
  ],
  [
    "a table of functions, one of which is chosen in the loop",
    `
const table = [(x) => x, (x) => mix(x, 0.3), (x) => mix(x, 0.7)];
let act = table[0];
let total = 0.5;
for (const e of al.loop("epoch", al.range(4))) {
  act = table[e % 3];
  total = mix(act(total), e);
  al.log("loss", total);
  //@some [table.indexOf(act), act(total)]
}
//@end [table.indexOf(act), act(total)]
`,
  ],
  [
    "a Map and a Set that grow and shrink while loops go over them",
    `
const todo = new Map([[0, 0.1], [1, 0.2]]);
const open = new Set([0.1, 0.2, 0.3, 0.4]);
let total = 0.5;
for (const [key, value] of al.loop("epoch", todo)) {
  for (const item of al.loop("step", open)) {
    total = mix(total, item);
    if (todo.size < 5) todo.set(todo.size, total);
    if (open.size > 2) open.delete(item);
    open.add(Math.round(total * 4));
    if (open.size > 8) break;
    al.log("loss", total);
  }
  todo.delete(key);
  al.log("acc", total);
  //@outer [key, value, total, [...todo], [...open]]
  //@some [key, value, total, [...todo], [...open]]
}
//@end [total, [...todo], [...open]]
`,
  ],
  [
    "a list that only a property of the global object holds",
    `
globalThis.kept = [0.1];
let w = 0.5;
for (const e of al.loop("epoch", al.range(4))) {
  w = mix(w, e);
  kept.push(w);
  al.log("loss", w);
  //@some [w, kept.length]
}
//@end [w, kept]
`,
  ],
];

function programOf(text: string): Program {
  const probes: Probe[] = [];
  const source = text.replaceAll(
    /^(\s*)\/\/@(\w+) (.*)$/gm,
    (_, indent: string, name: string, what: string) => {
      const loops = name === "end" ? [] : ["epoch"];
      const kind = name === "end" ? "suffix" : "inner";
      probes.push({ name, kind, loops, statement: `al.log("${name}", show(${what}));` });
      return `${indent}//@${name}`;
    },
  );
  const files = { "train.mjs": `import * as al from "afterlog";\n${HELPERS}${source}` };
  return { entry: "train.mjs", files, probes, rare: true, features: [] };
}

function questionsOf({ probes }: Program): Question[] {
  const limited = { sql: "epoch# in (1, 3)", loop: "epoch", in: [1, 3] };
  return probes.map((probe) => {
    const where = probe.name === "some" ? limited : undefined;
    return { kind: probe.kind, probes: [probe], where, workers: 1 };
  });
}

describe("a program with", () => {
  test.each(some(ROWS, { every: 2 }))(
    "%s",
    async (_, text) => {
      const program = programOf(text);
      await checkQuestions(program, { how: "all", all: true }, questionsOf(program));
    },
    120_000,
  );
});

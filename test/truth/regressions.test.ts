/**
 * Small programs that have been answered wrongly once, or that a rule of design §3 was written for.
 * Lines `//@name expression` are the statements that are asked for, one question each.
 */
import { describe, test } from "vitest";
import { checkQuestions } from "./check-program.ts";
import type { Question } from "./check-program.ts";
import type { Probe, Program } from "./generate.ts";
import { HELPERS } from "./generate.ts";

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
  const some = { sql: "epoch in (1, 3)", loop: "epoch", in: [1, 3] };
  return probes.map((probe) => {
    const where = probe.name === "some" ? some : undefined;
    return { kind: probe.kind, probes: [probe], where, workers: 1 };
  });
}

describe("a program with", () => {
  test.each(ROWS)(
    "%s",
    async (_, text) => {
      const program = programOf(text);
      await checkQuestions(program, { how: "all", all: true }, questionsOf(program));
    },
    120_000,
  );
});

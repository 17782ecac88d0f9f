/**
 * Results of clocks, of entropy and the like are given again in replays: what is asked is what the
 * program had, which it writes down itself; where a result is not known for certain, the value is
 * `unchecked`, and `why` says why.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";

interface Case {
  readonly entry: string;
  /** Lines that end in `added` are not in what is recorded. */
  readonly files: { readonly [name: string]: string };
  readonly where?: string;
  /** The mark of each name; else why it is `unchecked`. */
  readonly names: { readonly [name: string]: "verified" | RegExp };
}

const ADDED = /^.*(?:\/\/|#) added\n/gm;

const CASES: { readonly [name: string]: Case } = {
  "by place, loop and number, JavaScript": {
    entry: "train.js",
    where: "epoch in (2, 4)",
    files: {
      "train.js": `const crypto = require("node:crypto");
const { writeFileSync } = require("node:fs");
const truth = { r: [], t: [], both: [], after: [], waited: [], bytes: [], day: [] };
const stamp = () => performance.now() + crypto.randomInt(1000);
let w = 1;
const began = Date.now();
for (let epoch = 0; epoch < 5; epoch++) {
  const before = stamp();
  for (let step = 0; step < 20; step++) {
    const r = crypto.randomInt(1000000);
    const t = Date.now() - began;
    let z = 0;
    for (let q = 0; q < 20000; q++) z += Math.sqrt(q);
    w = w * 0.99 + z * 1e-12 + r * 1e-12;
    truth.r.push([epoch, r]);
    truth.t.push([epoch, t]);
    console.log("r", r); // added
    console.log("t", t); // added
  }
  const between = stamp();
  const both = [1, 2].map(stamp);
  truth.both.push([epoch, both[0] * both[1] + before - between]);
  console.log("both", both[0] * both[1] + before - between); // added
  let waited = 0;
  for (const from = Date.now(); Date.now() - from < 3;) waited += 1;
  truth.waited.push([epoch, waited]);
  console.log("waited", waited); // added
  const buffer = crypto.getRandomValues(new Uint8Array(8));
  truth.bytes.push([epoch, buffer[0] * 256 + crypto.randomBytes(2)[1]]);
  console.log("bytes", truth.bytes.at(-1)[1]); // added
  truth.day.push([epoch, new Date().getMilliseconds()]);
  console.log("day", truth.day.at(-1)[1]); // added
  const after = stamp();
  truth.after.push([epoch, after]);
  console.log("after", after); // added
  console.log("w", w);
}
writeFileSync("truth.json", JSON.stringify(truth));
`,
    },
    names: {
      r: "verified",
      t: "verified",
      both: "verified",
      waited: "verified",
      bytes: "verified",
      day: "verified",
      after: "verified",
    },
  },
  "not what is asked itself, nor what is not recorded, TypeScript": {
    entry: "train.ts",
    files: {
      "clock.ts": `export const elapsed = (since: number): number => performance.now() - since;
export async function slow(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now();
}
export function* ticks(): Generator<number> {
  for (let n = 0; n < 3; n++) yield n + process.uptime();
}
`,
      "train.ts": `import * as al from "afterlog";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { elapsed, slow, ticks } from "./clock.ts";
const truth: { [name: string]: number[][] } = { took: [], tick: [] };
let w = 1;
for (const epoch of al.loop("epoch", al.range(3))) {
  const began = performance.now();
  for (const step of al.loop("step", al.range(4))) {
    w = w * 0.9 + 0.01 * step;
    al.log("loss", w);
  }
  const took = elapsed(began);
  truth.took.push([epoch, took]);
  al.log("took", took); // added
  al.log("asked", elapsed(began)); // added
  const [a] = await Promise.all([slow(), slow()]);
  al.log("beside", a); // added
  const large = cpus().concat(cpus(), cpus(), cpus(), cpus()).length > 0 ? cpus() : [];
  al.log("large", large.length); // added
  for (const tick of ticks()) truth.tick.push([epoch, tick]);
  al.log("tick", truth.tick.at(-1)![1]!); // added
  al.log("loss", w);
}
truth.tick = truth.tick.filter((_, at) => at % 3 === 2);
writeFileSync("truth.json", JSON.stringify(truth));
`,
    },
    names: {
      took: /it depends on performance\.now\(\) at clock\.ts:1: what is asked makes the call/,
      asked: /it depends on performance\.now\(\) at clock\.ts:1: what is asked makes the call/,
      beside: /it depends on performance\.now\(\) at clock\.ts:4/,
      tick: "verified",
    },
  },
  "not of a clock that is asked too often, JavaScript": {
    entry: "train.js",
    files: {
      "train.js": `const { randomInt } = require("node:crypto");
const { writeFileSync } = require("node:fs");
const truth = { drawn: [] };
let odd = 0, w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  const began = Date.now();
  const drawn = randomInt(1000);
  for (let n = 0; n < 50000; n++) odd += performance.now() % 2 < 1 ? 1 : 0;
  w = w * 0.9 + 0.1;
  truth.drawn.push([epoch, drawn]);
  console.log("odd", odd); // added
  console.log("began", began); // added
  console.log("drawn", drawn); // added
  console.log("w", w);
}
writeFileSync("truth.json", JSON.stringify(truth));
`,
    },
    names: {
      odd: /performance\.now\(\) at train\.js:8: the run has not recorded all of its results/,
      began: /Date\.now\(\) at train\.js:6: the run has not recorded all results of its clocks/,
      drawn: "verified",
    },
  },
};

type Truth = { readonly [name: string]: readonly (readonly [epoch: number, value: number])[] };

describe("results of calls", () => {
  test.each(Object.entries(CASES))("%s", { timeout: 120_000 }, async (_, given) => {
    const { entry, files, where, names } = given;
    const text = files[entry] ?? "";
    const recorded = {
      ...files,
      [entry]: text.replaceAll(ADDED, ""),
      ".gitignore": "truth.json\n",
    };
    using project = await record(recorded, entry, "all");
    const truth = JSON.parse(readFileSync(join(project.folder, "truth.json"), "utf8")) as Truth;
    edit(project, { [entry]: text });
    const answer = await ask(project, Object.keys(names), { where, workers: 2 });
    const isAsked = (epoch: number): boolean => where === undefined || [2, 4].includes(epoch);
    for (const [name, mark] of Object.entries(names)) {
      const cells = answer.cells.filter((cell) => cell.name === name);
      const marks = new Set(cells.map(({ check }) => check));
      const wanted = new Set([mark === "verified" ? mark : "unchecked"]);
      expect(marks, `${name}\n${answer.stderr}`).toEqual(wanted);
      if (mark === "verified") {
        const values = (truth[name] ?? []).filter(([epoch]) => isAsked(epoch));
        expect(cells.map(({ value }) => Number(value))).toEqual(values.map(([, value]) => value));
      } else {
        const { stdout } = await project.afterlog("why", "@", name);
        expect(stdout.replaceAll(/\s+/g, " ")).toMatch(mark);
      }
    }
  });
});

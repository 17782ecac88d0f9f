/**
 * The audit of changesets: a program changes variables in ways that the analysis is known not to
 * see, and the run notices; the loop is then executed again whenever something is asked.
 */
import { expect, test } from "vitest";
import { ask, costOf, edit } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";

/** Each line of the epoch changes something unseen; `same` is looked at as well and stays. */
const TRAIN = `import * as al from "afterlog";
const ema = { value: 0 };
const table = new Float64Array(64);
const history = [0];
const same = { lr: 0.1, sizes: [1, 2, 3] };
let w = 0;
const thenable: { then?: unknown } = {}, lazy: { then?: unknown } = {};
thenable.then = (done: (x: number) => void) => { ema.value += 0.5; table[3]! += 1; done(1); };
lazy.then = (done: (x: number) => void) => { history.push(history.length); done(1); };
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) {
    w += same.lr * step;
    al.log("loss", w);
  }
  await (thenable as unknown as Promise<number>);
  await (lazy as unknown as Promise<number>);
  al.log("sum", ema.value + table[3]! + history.length);
}
al.log("end", w + ema.value);
`;

const FIXED = TRAIN.replace(
  "await (thenable",
  "ema.value += 0; table[3]! += 0; await (thenable",
).replace("await (lazy", "history.push(); await (lazy");

const line = (name: string): string => `train.ts:10 \`${name}\` changes inside the loop`;

test("changes that the analysis misses are found, reported and planned around", async () => {
  using project = new TestProject({ "train.ts": TRAIN, ".gitignore": "node_modules\n" });
  const recorded = await project.afterlog("run", "--overhead", "inf", "train.ts");
  expect(recorded.code, recorded.stderr).toBe(0);
  const { manifest } = project;
  expect(manifest.audit?.map(({ name, loop, line: at }) => [name, loop, at]).toSorted()).toEqual([
    ["ema", "epoch", 10],
    ["history", "epoch", 10],
    ["table", "epoch", 10],
  ]);
  for (const name of ["ema", "history", "table"]) expect(recorded.stderr).toContain(line(name));
  expect((await project.afterlog("show")).stdout).toContain(line("ema"));

  edit(project, { "train.ts": `${TRAIN}al.log("both", w * 10 + ema.value + history.length);\n` });
  const answer = await ask(project, ["both"]);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBe(1);
  expect(notes.join("\n")).toContain('(train.ts:10) changes in loop "epoch" and was not captured');
  expect(answer.cells.map(({ value, check }) => [value, check])).toEqual([
    [JSON.stringify(1.8000000000000003 * 10 + 1.5 + 4), "verified"],
  ]);

  // A later run of the program knows it from the start, until the checkpoints hold the names.
  const again = await project.afterlog("run", "train.ts");
  expect(again.stderr).toContain(`\`ema\` changed inside the loop in ${manifest.run}`);
  expect(project.manifest.audit?.map(({ run }) => run)).toEqual(Array(3).fill(manifest.run));
  edit(project, { "train.ts": FIXED });
  const fixed = await project.afterlog("run", "--overhead", "inf", "train.ts");
  expect(fixed.stderr).not.toContain("was not captured");
  expect(project.manifest.audit).toEqual([]);
});

/** Ways to change an object that the analysis is known not to see, each with an object of its own. */
const HOLES = `import { keep, holder } from "odd";
const a = { n: 0 }, b = { n: 0 }, c = { n: 0 }, d = { n: 0 }, same = { n: 0 };
keep(c);
const thenable = { then(done: (x: number) => void) { a.n++; done(1); } };
const build = (() => 0).constructor as (body: string) => (o: object) => void;
const box = { run: build("arguments[0].n++") };
class Odd { static [Symbol.hasInstance]() { d.n++; return true; } }
let w = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  await (thenable as unknown as Promise<number>);
  box.run(b);
  w += holder.touch;
  w += ({} as object) instanceof (Odd as never) ? 1 : same.n;
  console.log("w", w);
}
process.kill(process.pid, "SIGKILL");
`;

const ODD = `const kept = [];
export const keep = (o) => { kept.push(o); };
export const holder = { get touch() { for (const o of kept) o.n++; return 1; } };
`;

test("a custom thenable, a built function, a getter of a package, an instance test", async () => {
  using project = new TestProject({
    "train.ts": HOLES,
    ".gitignore": "node_modules\n",
    "node_modules/odd/package.json": '{"type":"module","exports":"./index.js"}',
    "node_modules/odd/index.js": ODD,
  });
  const recorded = await project.afterlog("run", "--overhead", "inf", "train.ts");
  // What was found until then is kept though the program is killed.
  expect(recorded.code, recorded.stderr).toBe(137);
  const found = project.manifest.audit?.map(({ name, loop }) => `${loop} ${name}`);
  const expected = ["a", "b", "c", "d"].map((name) => `epoch ${name}`);
  expect(found?.toSorted()).toEqual(expected);
});

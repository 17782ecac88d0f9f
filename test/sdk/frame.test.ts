/** `frame` and `restore`: a program reads what others have logged, and the states behind it. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";

const TRAIN = `
import * as al from "afterlog";
const lr = al.arg("lr", 0.5);
for (const epoch of al.loop("epoch", al.range(3))) al.log("loss", epoch === 2 ? NaN : lr * epoch);
`;

const READ = `
import * as al from "afterlog";
const rows = await al.frame(["lr", "loss"], { where: "epoch > 0" });
const codeOf = (asked) => asked.then(() => "none", ({ code }) => code);
const codes = [al.frame(["los"]), al.frame("lr", "loss"), al.frame([])].map(codeOf);
const cells = rows.map((row) => [row.epoch, row.lr, String(row.loss)]);
console.log(JSON.stringify([cells, await Promise.all(codes)]));
`;

test("rows, numbers that JSON does not have, a name that nobody logged, and no list of names", async () => {
  using project = new TestProject({ "train.mjs": TRAIN, "read.mjs": READ });
  expect((await project.start(["train.mjs"]).finished).code).toBe(0);
  const { code, stdout, stderr } = await project.start(["read.mjs"]).finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual([
    [
      [1, 0.5, "0.5"],
      [2, 0.5, "NaN"],
    ],
    ["AL021", "AL061", "AL061"],
  ]);
});

const MODEL = `
import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(3), best: { epoch: -1 } });
for (const epoch of al.loop("epoch", al.range(1, 5))) {
  for (const step of al.loop("step", al.range(3))) {
    state.w[step] += epoch / 7;
    al.log("loss", state.w[step]);
  }
  state.best = { epoch };
  al.log("w", state.w[2]);
}
`;

const RESTORE = `
import * as al from "afterlog";
const rows = await al.frame(["w", "checkpoint", "checkpoint_exact"]);
const { checkpoint, ...row } = rows[1];
const [bare, named] = await Promise.all([al.restore(row), al.restore(checkpoint)]);
const { values } = await al.restore({ run: row.run, epoch: 3, step: 0 });
const codeOf = (asked) => asked.then(() => "none", ({ code }) => code);
const wrong = [{}, undefined, { run: row.run, epoch: 9 }];
const codes = await Promise.all(wrong.map((row) => codeOf(al.restore(row))));
const found = [bare, named].map(({ values, exact }) => [values.w[2], values.best.epoch, exact]);
console.log(JSON.stringify([row.w, row.checkpoint_exact, found, values.w[2], codes]));
`;

test("a row leads to the state that its values were logged from", async () => {
  using project = new TestProject({ "train.mjs": MODEL, "read.mjs": RESTORE });
  const env = { AFTERLOG_OVERHEAD: "inf", AFTERLOG_KEEP: "all" };
  expect((await project.start(["train.mjs"], env).finished).code).toBe(0);
  const { code, stdout, stderr } = await project.start(["read.mjs"]).finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const w = 1 / 7 + 2 / 7;
  const codes = ["AL061", "AL061", "AL035"];
  const found = [w, 2, true];
  expect(JSON.parse(stdout)).toEqual([w, true, [found, found], w, codes]);
});

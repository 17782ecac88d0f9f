/** `frame`: a program reads what others have logged. */
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

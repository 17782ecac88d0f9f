/**
 * Loops asked by their own values, in both languages: `epoch` counts from 1 in the program and in the
 * question, `epoch#` from 0. The truth is the edited program, executed from the start.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import type { TestProject } from "../support/project.ts";

const PROGRAMS = [
  {
    file: "train.py",
    text: `w = 0.0
for epoch in range(1, 5):
    for lr in [0.5, 0.25, 0.25]:
        w += lr * epoch
        print("step", w)
        print("inner", w * 10) #+
    print("outer", w * 2) #+
    print("w", w)
for name in ["a", "b"]:
    w += len(name)
    print("named", w) #+
    print("done", w)
`,
  },
  {
    file: "train.js",
    text: `const { join } = require("node:path");
let w = 0;
for (let epoch = 1; epoch < 5; epoch++) {
  for (const lr of [0.5, 0.25, 0.25]) {
    w += lr * epoch * join("a", "b").length / 3;
    console.log("step", w);
    console.log("inner", w * 10); //+
  }
  console.log("outer", w * 2); //+
  console.log("w", w);
}
for (const name of ["a", "b"]) {
  w += name.length;
  console.log("named", w); //+
  console.log("done", w);
}
`,
  },
];

const COMMENT = /\s*(?:#|\/\/)\+$/;

describe.each(PROGRAMS)("$file", needs("python"), ({ file, text }) => {
  const lines = text.split("\n");
  const before = lines.filter((line) => !COMMENT.test(line)).join("\n");
  const after = lines.map((line) => line.replace(COMMENT, "")).join("\n");
  let run: TestProject;

  beforeAll(async () => {
    run = await record({ [file]: before }, file, "all");
    edit(run, { [file]: after });
  });

  afterAll(() => run[Symbol.dispose]());

  test.each([
    ["outer", "epoch = 3", ["epoch=2: 12"]],
    ["outer", "epoch# = 0", ["epoch=0: 2", "epoch=2: 12"]],
    ["inner", "epoch = 4 and lr = 0.25", ["epoch=3,lr=1: 90", "epoch=3,lr=2: 100"]],
    ["named", "name = 'b'", ["name=1: 12"]],
    ["outer", "epoch = 0", ["epoch=0: 2", "epoch=2: 12"]],
  ])("%s where %s", async (name, where, expected) => {
    const { cells, code, stderr } = await ask(run, [name], { where });
    expect(code, stderr).toBe(0);
    const found = cells.map(({ path, value }) => `${path}: ${Number(value)}`);
    expect(found.toSorted()).toEqual(expected);
  });

  test("a frame shows the values, and the indices where they differ", async () => {
    const { stdout } = await run.afterlog("frame", "w", "--json");
    const rows = JSON.parse(stdout) as { epoch: number; "epoch#": number }[];
    expect(rows.map((row) => [row.epoch, row["epoch#"]])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });

  test.each([
    ["epoch=1", "epoch# 0"],
    ["epoch#=1", "epoch# 1"],
    ["epoch=2,lr=0.5", "epoch# 1, lr# 0"],
    ["epoch=2,lr=0.25", "epoch#=1,lr#=1"],
    ["epoch=0", "no iteration of epoch had the value 0"],
    ["name=a", "name# 0"],
  ])("the point @%s", async (point, said) => {
    const to = ["--out", "state.safetensors", "--force"];
    const { stdout, stderr } = await run.afterlog("restore", `@@${point}`, ...to);
    expect(stdout + stderr).toContain(said);
  });
});

/**
 * @file Programs with loops that were given up while recording: what is asked inside and outside of
 * them must be what the program prints when the statement is in it from the start.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, edit, SEED } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";

/** A loop over children in a function that calls itself, and one that is entered in every step. */
const JAVASCRIPT = `const { format } = require("node:util");
const seen = new Map();
const make = (d) => ({ v: d, kids: d === 0 ? [] : [make(d - 1), make(d - 1)] });
function sum(n) {
  let s = n.v;
  for (const k of n.kids) {
    s += Number(format("%d", k.v)) + sum(k);
    //in-tree
  }
  return s;
}
function step(root, epoch, i) {
  let found = 0;
  for (const key of ["a", "b", "c"]) {
    seen.set(key, (seen.get(key) ?? 0) + i);
    found += Number(format("%d", seen.get(key)));
    //in-keys
    for (let j = 0; j < 2; j++) found += Number(format("%d", j * epoch));
  }
  return found + sum(root);
}
const root = make(3);
let total = 0;
for (let epoch = 0; epoch < 6; epoch++) {
  for (let i = 0; i < 4; i++) {
    total = (total * 31 + step(root, epoch, i)) % 1000003;
    //in-steps
  }
  //in-epochs
  console.log("total", total);
}
//after
`;

const QUESTIONS: { readonly [name: string]: string } = {
  "in-tree": 'console.log("tree", s * 1000 + k.v);',
  "in-keys": 'console.log("keys", found, key);',
  "in-steps": 'console.log("steps", total - i);',
  "in-epochs": 'console.log("epochs", total - seen.get("b"));',
  after: 'console.log("after", seen.get("c"));',
};

/** Loops that are recorded twice, and then no more. */
const ENTRIES_MAX = 2;

function printed(project: TestProject, name: string): number[] {
  const { stdout } = spawnSync(process.execPath, [join(project.folder, "train.cjs")], {
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith(`${name} `));
  return lines.map((line) => Number(line.split(" ")[1]));
}

describe("a program with loops that were given up", () => {
  let project: TestProject;
  beforeAll(async () => {
    project = new TestProject({ "train.cjs": JAVASCRIPT });
    const env = { AFTERLOG_ENTRIES_MAX: String(ENTRIES_MAX) };
    const argv = ["run", "--seed", SEED, "--overhead", "inf", "train.cjs"];
    const { code, stderr } = await project.afterlogWith(env, ...argv);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  });
  afterAll(() => project[Symbol.dispose]());

  test("says which, and has as many entries of each as there were before", () => {
    const why = `it is entered more than ${ENTRIES_MAX} times`;
    expect(project.manifest.off).toEqual(
      ["j", "k", "key", "i"].map((name) => ({
        feature: expect.stringMatching(new RegExp(`^loop ${name} \\(train.cjs:\\d+\\)$`)),
        why,
      })),
    );
    const lines = readFileSync(join(project.run, "log.jsonl"), "utf8").split("\n");
    const entered = (name: string): number =>
      lines.filter((line) => line.startsWith('{"k":"enter"') && line.includes(`"loop":"${name}"`))
        .length;
    expect(["epoch", "i", "key", "k"].map(entered)).toEqual([1, 2, 2, 2]);
  });

  test.each(Object.entries(QUESTIONS))("%s", async (place, statement) => {
    edit(project, { "train.cjs": JAVASCRIPT.replace(`//${place}`, statement) });
    const [, name = ""] = /"(\w+)"/.exec(statement) ?? [];
    const answer = await ask(project, [name], { workers: 2 });
    expect(answer.code, answer.stderr).toBe(0);
    const truth = printed(project, name);
    expect(truth.length).toBeGreaterThan(0);
    expect(answer.cells.map(({ value }) => Number(value))).toEqual(truth);
    // After the loops nothing is executed that could be compared.
    const mark = place === "after" ? "unchecked" : "verified";
    expect(new Set(answer.cells.map(({ check }) => check))).toEqual(new Set([mark]));
  });
});

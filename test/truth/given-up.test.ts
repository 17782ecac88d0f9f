/**
 * @file Programs with loops that were given up while recording: what is asked inside and outside of
 * them must be what the program prints when the statement is in it from the start.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import type { TestProject } from "../support/project.ts";

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

const PYTHON = `import json

seen = {}


def make(d):
    return {"v": d, "kids": [] if d == 0 else [make(d - 1), make(d - 1)]}


def total_of(n):
    s = n["v"]
    for k in n["kids"]:
        s += json.loads(str(k["v"])) + total_of(k)
        #in-tree
    return s


def step(root, epoch, i):
    found = 0
    for key in ["a", "b", "c"]:
        seen[key] = seen.get(key, 0) + i
        found += json.loads(str(seen[key]))
        #in-keys
        for j in range(2):
            found += json.loads(str(j * epoch))
    return found + total_of(root)


root = make(3)
total = 0
for epoch in range(6):
    for i in range(4):
        total = (total * 31 + step(root, epoch, i)) % 1000003
        #in-steps
    #in-epochs
    print("total", total)
#after
`;

interface Case {
  readonly program: string;
  readonly text: string;
  readonly command: string;
  /** Loops that are given up, in this order, and how often some are entered as loops of their own. */
  readonly givenUp: readonly string[];
  readonly entered: { readonly [loop: string]: number };
  /** Statements, by where they are put. */
  readonly questions: { readonly [place: string]: string };
}

const CASES: readonly Case[] = [
  {
    program: "train.cjs",
    text: JAVASCRIPT,
    command: process.execPath,
    // `k` is never one: its function calls itself in it.
    givenUp: ["j", "key", "i"],
    entered: { epoch: 1, i: 2, key: 2, k: 0 },
    questions: {
      "//in-tree": 'console.log("tree", s * 1000 + k.v);',
      "//in-keys": 'console.log("keys", found, key);',
      "//in-steps": 'console.log("steps", total - i);',
      "//in-epochs": 'console.log("epochs", total - seen.get("b"));',
      "//after": 'console.log("after", seen.get("c"));',
    },
  },
  {
    program: "train.py",
    text: PYTHON,
    command: "python3",
    givenUp: ["j", "k", "key", "i"],
    entered: { epoch: 1, i: 2, key: 2, k: 2 },
    questions: {
      "#in-tree": 'print("tree", s * 1000 + k["v"])',
      "#in-keys": 'print("keys", found, key)',
      "#in-steps": 'print("steps", total - i)',
      "#in-epochs": 'print("epochs", total - seen["b"])',
      "#after": 'print("after", seen["c"])',
    },
  },
];

/** Loops are recorded twice, and then no more. */
const ENTRIES_MAX = 2;

function printed(project: TestProject, { command, program }: Case, name: string): number[] {
  const { stdout } = spawnSync(command, [join(project.folder, program)], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.startsWith(`${name} `));
  return lines.map((line) => Number(line.split(" ")[1]));
}

describe.each(CASES)("loops of $program that were given up", needs("python"), (made) => {
  const { program, text, questions, givenUp } = made;
  let project: TestProject;
  beforeAll(async () => {
    const env = { AFTERLOG_ENTRIES_MAX: String(ENTRIES_MAX) };
    project = await record({ [program]: text }, program, "all", env);
  });
  afterAll(() => project[Symbol.dispose]());

  test("are named, and as many entries of each are recorded as there were before", () => {
    const why = `it is entered more than ${ENTRIES_MAX} times`;
    expect(project.manifest.off).toEqual(
      givenUp.map((name) => ({
        feature: expect.stringMatching(new RegExp(`^loop ${name} \\(${program}:\\d+\\)$`)),
        why,
      })),
    );
    const entered = (name: string): number =>
      project.records.filter((line) => line.k === "enter" && line.loop === name).length;
    const names = Object.keys(made.entered);
    expect(Object.fromEntries(names.map((name) => [name, entered(name)]))).toEqual(made.entered);
  });

  test.each(Object.entries(questions))("can be asked: %s", async (place, statement) => {
    edit(project, { [program]: text.replace(place, statement) });
    const [, name = ""] = /"(\w+)"/.exec(statement) ?? [];
    const answer = await ask(project, [name], { workers: 2 });
    expect(answer.code, answer.stderr).toBe(0);
    const truth = printed(project, made, name);
    expect(truth.length).toBeGreaterThan(0);
    expect(answer.cells.map(({ value }) => Number(value))).toEqual(truth);
    // After the loops nothing is executed that could be compared.
    const marks = place.endsWith("after") ? ["unchecked", "restored"] : ["verified"];
    for (const { check } of answer.cells) expect(marks).toContain(check);
  });
});

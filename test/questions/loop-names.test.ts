/**
 * Loops that share a name, in both languages: by their functions in runs that are recorded now, by numbers
 * in older ones, and by the name that they share wherever it is asked. The truth is the edited program.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Directive } from "../../src/format/index.ts";
import { DIRECTIVE_VARIABLE } from "../../src/format/index.ts";
import { languageOf } from "../../src/languages/index.ts";
import { ask, edit, record, SEED } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { preload } from "../support/replay.ts";
import type { TestProject } from "../support/project.ts";

const PROGRAMS = [
  {
    file: "train.py",
    text: `w = [0.0]
def train(epoch):
    for i, x in enumerate([0.5, 0.25, 0.125], 1):
        w[0] += x * epoch
        print("loss", w[0])
        print("asked", w[0] * 2) #+
def test(epoch): #2
    for i in range(3): #2
        print("score", w[0] - epoch * i) #2
        print("seen", w[0] + i) #+2
for epoch in range(1, 4):
    train(epoch)
    test(epoch) #2
for i in range(2): #2
    print("rest", w[0] * i) #2
`,
  },
  {
    file: "train.js",
    text: `const { join } = require("node:path");
const w = [0];
function train(epoch) {
  for (let i = 1; i <= 3; i++) {
    w[0] += (epoch / 2 ** i) * join("a").length;
    console.log("loss", w[0]);
    console.log("asked", w[0] * 2); //+
  }
}
function test(epoch) { //2
  for (let i = 0; i < 3; i++) { //2
    console.log("score", w[0] - epoch * i * join("a").length); //2
    console.log("seen", w[0] + i); //+2
  } //2
} //2
for (let epoch = 1; epoch < 4; epoch++) {
  train(epoch);
  test(epoch); //2
}
for (let i = 0; i < 2; i++) { //2
  console.log("rest", w[0] * i); //2
} //2
`,
  },
];

/** The lines of a version: the first has no second function; `+` marks what is asked. */
function lines(text: string, marks: readonly string[]): string {
  const kept = text.split("\n").flatMap((line) => {
    const [, code = line, mark = ""] = /^(.*?)\s*(?:#|\/\/)(\+?2?)$/.exec(line) ?? [];
    return mark === "" || marks.includes(mark) ? [code] : [];
  });
  return kept.join("\n");
}

/** Records as runs of other rules were: by the directive that the command line gave then. */
function recordByRules(project: TestProject, file: string, loopRules: number): void {
  const program = join(project.folder, file);
  const python = languageOf(file).start(program, { env: process.env });
  const node = {
    command: process.execPath,
    args: ["--import", preload(), program],
    env: process.env,
  };
  const { command, args, env } = file.endsWith(".py") ? python : node;
  const directive: Directive = {
    v: 1,
    mode: "record",
    root: project.folder,
    store: join(project.folder, ".afterlog"),
    program,
    name: null,
    seed: SEED,
    overhead: "inf",
    persist: null,
    handsFree: true,
    loopRules,
    live: false,
    terminal: { stdout: null, stderr: null },
  };
  const told = { ...env, [DIRECTIVE_VARIABLE]: JSON.stringify(directive) };
  const { status, stderr } = spawnSync(command, args, { cwd: project.folder, env: told });
  expect(status, String(stderr)).toBe(0);
}

describe.each(PROGRAMS)("$file", needs("python"), ({ file, text }) => {
  let runs: TestProject;

  /** Of each run, oldest first, what a statement of SQL finds. */
  async function rows(sql: string): Promise<unknown[]> {
    const { stdout, stderr } = await runs.afterlog("query", sql, "--json");
    expect(stderr).toBe("");
    return JSON.parse(stdout) as unknown[];
  }

  beforeAll(async () => {
    runs = await record({ [file]: lines(text, []) }, file, "all");
    edit(runs, { [file]: lines(text, ["2"]) });
    recordByRules(runs, file, 1);
    await runs.afterlog("run", "--seed", SEED, "--overhead", "inf", file);
    edit(runs, { [file]: lines(text, ["2", "+", "+2"]) });
  });

  afterAll(() => runs[Symbol.dispose]());

  test("the names of loops", async () => {
    const sql = `SELECT list(DISTINCT loop ORDER BY loop) AS loops FROM loops JOIN runs USING (run)
      GROUP BY run ORDER BY any_value(ordinal)`;
    expect(await rows(sql)).toEqual([
      { loops: ["epoch", "i"] },
      { loops: ["epoch", "i", "i_2", "i_3"] },
      { loops: ["epoch", "i", "test.i", "train.i"] },
    ]);
  });

  test.each([
    // Older rules know the second loop by its number only; it is `i` in the first function.
    ["asked", "epoch = 2 and i = 3", ["epoch=1,i=2", "epoch=1,i=2", "epoch=1,train.i=2"]],
    ["asked", "epoch = 3 and train.i = 1", ["epoch=2,i=0", "epoch=2,train.i=0"]],
    ["seen", "epoch = 2 and i = 2", ["epoch=1,test.i=2"]],
    ["seen", "epoch = 3 and (i_2 = 0 or test.i = 1)", ["epoch=2,i_2=0", "epoch=2,test.i=1"]],
  ])("%s where %s", async (name, where, paths) => {
    const { plan, code, stderr } = await ask(runs, [name], { where });
    expect(code, stderr).toBe(0);
    const asked = (plan?.runs ?? []).flatMap(({ ranges }) => ranges.map((box) => pathOf(box)));
    expect(asked.toSorted()).toEqual(paths.toSorted());
  });

  test("what was asked is what the program says", async () => {
    const wrong = await rows(`SELECT * FROM logs a JOIN logs b USING (run, path)
      WHERE a.name = 'asked' AND b.name = 'loss' AND a.number <> b.number * 2`);
    expect(wrong).toEqual([]);
    const marks = `SELECT DISTINCT "check" FROM logs WHERE origin = 'hindsight'`;
    expect(await rows(marks)).toEqual([{ check: "verified" }]);
  });

  test.each([
    // One column for what each run calls `i` in the function that logs it.
    ["loss", "true", "epoch i", 27],
    ["loss", "epoch = 2 and i = 2", "epoch i", 3],
    ["loss", "epoch = 2 and train.i = 2", "epoch i", 2],
    ["score", "epoch = 2 and i = 2", "epoch i_2 i", 1],
  ])("a frame of %s where %s", async (name, where, columns, count) => {
    const { stdout, stderr } = await runs.afterlog("frame", name, "--where", where, "--json");
    expect(stderr).toBe("");
    const found = JSON.parse(stdout) as object[];
    const keys = Object.keys(found[0] ?? {}).filter((key) => !key.endsWith("#"));
    expect([keys.join(" "), found.length]).toEqual([`run ${columns} ${name} origin`, count]);
  });

  test("loops of one frame that share a name stand with their functions", async () => {
    const sql = `SELECT "train.i" AS train, "test.i" AS test, i FROM frame
      WHERE epoch = 3 AND run = (SELECT arg_max(run, ordinal) FROM runs WHERE kind = 'record') AND (loss > 0 OR score < 10) AND i = 2`;
    expect(await rows(sql)).toEqual([
      { train: 2, test: null, i: 2 },
      { train: null, test: 2, i: 2 },
    ]);
  });

  test("a dotted name that nothing has is named, with those that there are", async () => {
    const { code, stderr } = await runs.afterlog("frame", "loss", "--where", "trian.i = 2");
    expect(code).not.toBe(0);
    expect(stderr).toContain("trian.i is no loop and no column");
    expect(stderr).toContain("help: known: epoch, i,");
  });

  test.each([
    ["epoch=2,i=2", "i may be test.i or train.i there"],
    ["epoch=2,train.i=2", "epoch# 1, train.i# 1"],
  ])("the point @%s", async (point, said) => {
    const to = ["--out", "state.safetensors", "--force"];
    const { stdout, stderr } = await runs.afterlog("restore", `@@${point}`, ...to);
    expect(stdout + stderr).toContain(said);
  });
});

function pathOf(box: { readonly [loop: string]: readonly [number, number] }): string {
  return Object.entries(box)
    .map(([loop, [first]]) => `${loop}=${first}`)
    .join(",");
}

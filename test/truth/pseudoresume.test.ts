/**
 * Loops inside of a loop whose own state nobody can hold (Flor §2.2.1, pseudoresume): what is around them is executed,
 * they are skipped by their ends. The schedule comes from a package that nobody knows and that keeps its
 * state to itself. What is asked is what the program prints that has the question in it from the start. Most of it stands in
 * one program, loop after loop: whoever comes to a later one has gone through those before.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makePlan } from "../../src/app/read.ts";
import type { PlannedRun } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { listReplays } from "../../src/replayer/index.ts";
import { ask, byPlace } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS } from "../support/python.ts";
import type { Cell } from "./reference-sdk.ts";

const EPOCHS = 8;
const STEPS = 5;

/** Counts, keeps what it is given, and tells something that is another in each process. */
const PACKAGES = {
  js: `let n = 0;
let kept = { n: 0 };
export const schedule = () => 0.1 / (1 + ++n);
export const keep = (one) => { kept = one; };
export const total = () => kept.n;
export const current = { n: 1 };
export const advance = () => { current.n += 0.5; };
export const noise = () => process.pid / 7;
`,
  py: `import os
_n = 0
_kept = {"n": 0}
def schedule():
    global _n
    _n += 1
    return 0.1 / (1 + _n)
def keep(one):
    global _kept
    _kept = one
def total():
    return _kept["n"]
current = {"n": 1}
def advance():
    current["n"] += 0.5
def noise():
    return os.getpid() / 7
`,
};

type Language = keyof typeof PACKAGES;

/** Statements of one training in the program, one a line; `epoch` is its loop. */
interface Parts {
  /** Before the loops, at the head of an epoch, in a step, behind the steps. */
  readonly before?: string;
  readonly head?: string;
  readonly step?: string;
  readonly tail?: string;
  /** Another loop behind the steps. */
  readonly validates?: boolean;
  /** The steps are in a function. */
  readonly calls?: boolean;
}

const LR = { js: "lr = schedule();", py: "lr = some_lib.schedule()" };

/** Steps that are executed for what is asked around them, and in epoch 5; absent: none, and its own. */
interface Executed {
  readonly around?: number;
  readonly inFive?: number;
}

interface Row extends Executed, Readonly<Record<Language, Parts>> {
  /** The same of Python, if that is another. */
  readonly seen?: Executed;
  /** Epochs of which the ends of inner loops, and their steps, are not there. */
  readonly lacking?: readonly number[];
}

const ALL = EPOCHS * STEPS;

/** One after the other; those that are executed come last. */
const ROWS: { readonly [what: string]: Row } = {
  "a schedule behind the steps": { js: { tail: LR.js }, py: { tail: LR.py } },
  "a schedule before the steps, in a function": {
    js: { head: LR.js, calls: true },
    py: { head: LR.py, calls: true },
  },
  "steps and a validation": {
    js: { tail: LR.js, validates: true },
    py: { tail: LR.py, validates: true },
  },
  "an object of the epoch that the package keeps": {
    js: { head: "box = { n: 0 };\nkeep(box);", step: "box.n += w[0];", tail: "lr = total() / 9;" },
    py: {
      head: 'box = {"n": 0}\nsome_lib.keep(box)',
      step: 'box["n"] += w[0]',
      tail: "lr = some_lib.total() / 9",
    },
  },
  "a part of what the epoch has made": {
    js: {
      head: "const pool = [{ n: schedule() }, { n: 1 }];\nkeep(pool[0]);",
      step: "box = pool[step % 2];\nw[1] += box.n;",
      tail: "box.n = schedule();\nlr = total() + pool[0].n;",
    },
    py: {
      head: 'pool = [{"n": some_lib.schedule()}, {"n": 1}]\nsome_lib.keep(pool[0])',
      step: 'box = pool[step % 2]\nw[1] += box["n"]',
      tail: 'box["n"] = some_lib.schedule()\nlr = some_lib.total() + pool[0]["n"]',
    },
  },
  "an object of the epoch that a step takes": {
    js: {
      head: "const things = [{ n: 0 }, { n: 1 }];",
      step: "box = things[step % 2];\nw[1] += box.n;",
      tail: "box.n += schedule();\nlr = schedule() + things[0].n / 9;",
    },
    py: {
      head: 'things = [{"n": 0}, {"n": 1}]',
      step: 'box = things[step % 2]\nw[1] += box["n"]',
      tail: 'box["n"] += some_lib.schedule()\nlr = some_lib.schedule() + things[0]["n"] / 9',
    },
  },
  "ends that are not there": {
    js: { tail: LR.js },
    py: { tail: LR.py },
    lacking: [2, 6],
    around: 2 * STEPS,
    inFive: 2 * STEPS,
  },
  "the package in a step": {
    js: { step: "if (epoch === 3) w[1] += schedule();", tail: LR.js },
    py: { step: "if epoch == 3: w[1] += some_lib.schedule()", tail: LR.py },
    around: ALL,
    inFive: ALL - 2 * STEPS,
    // There the run looks at each entry of the loop: in other epochs it was left alone.
    seen: { around: STEPS, inFive: 2 * STEPS },
  },
  "something in a step that nobody can capture": {
    js: {
      before: "let last = () => 0;",
      step: "const at = step;\nlast = () => at * w[0];",
      tail: "lr = schedule() + last() / 1e6;",
    },
    py: {
      before:
        "def count():\n    n = 0\n    while True:\n        n += 1\n        yield n\nsteps = count()",
      step: "w[1] += next(steps)",
      tail: "lr = some_lib.schedule() + next(steps) / 1e6",
    },
    around: ALL,
    inFive: ALL - 2 * STEPS,
  },
};

/** What a step takes from the package is its own, and another where it is restored. */
const TAKEN: Row = {
  js: { step: "box = current;", tail: "advance();\nlr = box.n / 9;" },
  py: { step: "box = some_lib.current", tail: 'some_lib.advance()\nlr = box["n"] / 9' },
};

/** The package says something else in each process. */
const DIFFERING: Row = {
  js: { head: "lr = noise() + schedule();" },
  py: { head: "lr = some_lib.noise() + some_lib.schedule()" },
};

/** Rows of a program, each with the name of its loop. */
function trainingsOf(rows: readonly Row[]): { readonly loop: string; readonly row: Row }[] {
  return rows.map((row, at) => ({ loop: `e${at}`, row }));
}

type Trainings = ReturnType<typeof trainingsOf>;

function programOf(language: Language, trainings: Trainings, asked: boolean): string {
  const write = { js: javascript, py: python }[language];
  const text = trainings.map(({ loop, row }) => write(loop, row[language], asked)).join("");
  return `${START[language]}${text}`;
}

const START = {
  js: `import { schedule, keep, total, noise, current, advance } from "some-lib";
const w = new Float64Array(50).fill(1);
let lr = 0.1;
let box = { n: 0 };
let seen = 0;
`,
  py: `import math
import random
import sys
sys.path.append("site-packages")
import some_lib
random.seed(3)
w = [1.0] * 50
lr = 0.1
box = {"n": 0}
seen = 0
`,
};

/** All of it at once: no part first. */
const env = { AFTERLOG_CANARY: "false" };

/** The loop of the steps of a training. */
const stepsOf = (loop: string): string => loop.replace("e", "s");

/** The same text with names of its own for its loops. */
function named(text: string, loop: string): string {
  const own = text.replaceAll(/\b(train_)?epoch\b/g, (_, prefix = "") => `${prefix}${loop}`);
  return own.replaceAll(/\bstep\b/g, stepsOf(loop));
}

/** A name that is asked. */
const nameOf = (place: string, loop: string): string => `${place}_${loop}`;

function javascript(loop: string, parts: Parts, asked: boolean): string {
  const { before = "", head = "", step = "", tail = "", validates, calls } = parts;
  const probe = (place: string): string =>
    asked ? `console.log("${nameOf(place, loop)}", w[0] + w[1] + lr + box.n);` : "";
  const steps = `for (let step = 0; step < ${STEPS}; step++) {
  for (let k = 0; k < 20000; k++) w[0] += lr * Math.sin(w[0] + k);
  w[1] += Math.random();
  ${step}
  ${probe("at_step")}
}`;
  const text = `${before}
function train_epoch(epoch) {
${calls ? steps : ""}
}
for (let epoch = 0; epoch < ${EPOCHS}; epoch++) {
  ${head}
  ${probe("at_head")}
  ${calls ? "train_epoch(epoch);" : steps}
  ${validates ? "for (let i = 0; i < 4; i++) for (let k = 0; k < 20000; k++) seen += w[i] / (1 + k);" : ""}
  ${tail}
  console.log("loss", w[0] + seen);
  ${probe("at_end")}
}
`;
  return named(text, loop);
}

function python(loop: string, parts: Parts, asked: boolean): string {
  const { before = "", head = "pass", step = "pass", tail = "pass", validates, calls } = parts;
  const probe = (place: string): string =>
    asked ? `print("${nameOf(place, loop)}", w[0] + w[1] + lr + box["n"])` : "pass";
  const indented = (text: string, by: number): string =>
    text
      .split("\n")
      .map((line) => " ".repeat(by) + line)
      .join("\n");
  const steps = `for step in range(${STEPS}):
    for k in range(1000): w[0] += lr * math.sin(w[0] + k)
    w[1] += random.random()
${indented(step, 4)}
    ${probe("at_step")}`;
  const validation = "for i in range(4):\n    for k in range(1000): seen += w[i] / (1 + k)";
  const text = `${before}
def train_epoch(epoch):
    global box
${indented(calls ? steps : "pass", 4)}
for epoch in range(${EPOCHS}):
${indented(head, 4)}
    ${probe("at_head")}
${indented(calls ? "train_epoch(epoch)" : steps, 4)}
${indented(validates ? validation : "pass", 4)}
${indented(tail, 4)}
    print("loss", w[0] + seen)
    ${probe("at_end")}
`;
  return named(text, loop);
}

const FILES = {
  js: {
    "package.json": '{ "type": "module" }',
    ".gitignore": "node_modules\n",
    "node_modules/some-lib/index.js": PACKAGES.js,
    "node_modules/some-lib/package.json": JSON.stringify({
      name: "some-lib",
      version: "1.0.0",
      type: "module",
      main: "index.js",
    }),
  },
  py: { ".gitignore": "site-packages\n", "site-packages/some_lib.py": PACKAGES.py },
};

const RUN = ["run", "--overhead", "inf", "--seed", "5"];
const COMMANDS = {
  js: [...RUN, "train.js"],
  py: [...RUN, "--python", INTERPRETERS[0] ?? "python3", "train.py"],
};

async function recorded(language: Language, rows: Trainings, asked: boolean): Promise<TestProject> {
  const program = programOf(language, rows, asked);
  const project = new TestProject({ [`train.${language}`]: program, ...FILES[language] });
  const { code, stderr } = await project.afterlog(...COMMANDS[language]);
  expect(code, stderr).toBe(0);
  return project;
}

/** As if nothing had been taken in some epochs. */
function forget({ run }: TestProject, trainings: Trainings): void {
  const index = join(run, "checkpoints/index.jsonl");
  const lines = readFileSync(index, "utf8").trim().split("\n");
  const gone = trainings.flatMap(({ loop, row: { lacking = [] } }) =>
    lacking.map((epoch) => `"path":[["${loop}",${epoch}],["${stepsOf(loop)}",`),
  );
  const left = lines.filter((line) => !gone.some((path) => line.includes(path)));
  writeFileSync(index, `${left.join("\n")}\n`);
}

/** As if a step took long, so that a plan finds it worth to cut the work, and what is around them did not. */
function slowSteps({ run }: TestProject): void {
  const profile = join(run, "profile.jsonl");
  const lines = readFileSync(profile, "utf8").trim().split("\n");
  const slow = lines.map((line) => {
    const record = JSON.parse(line) as { k: string; path: unknown[]; head: number[] };
    const isInner = record.k === "iterations" && record.path.length > 0;
    return isInner ? JSON.stringify({ ...record, head: record.head.map(() => 20_000) }) : line;
  });
  writeFileSync(profile, `${slow.join("\n")}\n`);
}

/** Steps of a training that some processes execute, by what they are ordered. */
function stepsIn({ units }: Pick<PlannedRun, "units">, loop: string): number[] {
  return units.map(({ courses }) => {
    const byEntry = new Map(courses.map((course) => [course.entry, course]));
    const around = byEntry.get(`${loop}=end`);
    const [leg] = around?.legs ?? [];
    if (around && !leg) return 0;
    let steps = 0;
    for (let epoch = 0; epoch <= (leg?.to ?? EPOCHS - 1); epoch++) {
      const course = byEntry.get(`${loop}=${epoch},${stepsOf(loop)}=end`);
      if (course?.do === "skip") continue;
      steps += (course?.legs?.[0]?.to ?? STEPS - 1) + 1;
    }
    return steps;
  });
}

describe.each(["js", "py"] as const)("%s", (language) => {
  const trainings = trainingsOf(Object.values(ROWS));
  const names = (place: string): string[] => trainings.map(({ loop }) => nameOf(place, loop));
  const expectedOf = (row: Row): Executed => (language === "py" ? row.seen : undefined) ?? row;

  test("trainings one after the other", { timeout: 300_000 }, async () => {
    using project = await recorded(language, trainings, false);
    using truth = await recorded(language, trainings, true);
    forget(project, trainings);
    slowSteps(project);
    project.write(`train.${language}`, programOf(language, trainings, true));
    await checkEpochFive(project);
    const around = await ask(project, [...names("at_head"), ...names("at_end")]);
    const inAll = await ask(project, names("at_step"), { workers: 2, env });
    const units = listReplays(project.store).flatMap((replay) => replay.units);
    // None had to be executed from the start instead.
    expect(units.flatMap(({ wholeBecause }) => wholeBecause ?? [])).toEqual([]);
    expect(units).toHaveLength(3);
    const found = [...around.cells, ...inAll.cells].map(asNumber);
    const told = `${around.stderr}\n${inAll.stderr}`;
    expect(byPlace(found), told).toEqual(byPlace(cellsOf(truth)));
    // Before anything is restored there is nothing to compare with.
    const later = found.filter(({ path }) => !path.startsWith("e0=0"));
    expect(new Set(later.map(({ check }) => check))).toEqual(new Set(["verified"]));
    const [run] = around.plan?.runs ?? [];
    const executed = trainings.map(({ loop }) => (run ? stepsIn(run, loop) : []));
    expect(executed).toEqual(trainings.map(({ row }) => [expectedOf(row).around ?? 0]));
  });

  /** One epoch of each, and all of it by two processes: only what is planned. */
  async function checkEpochFive(project: TestProject): Promise<void> {
    const ports = { cwd: project.folder, env: process.env, now: () => new Date() };
    for (const { loop, row } of trainings.filter((_, at) => at === 0 || at > 6)) {
      const question = { names: [nameOf("at_step", loop)], canary: false, control: false };
      const expected = expectedOf(row);
      const inFive = await makePlan(ports, { ...question, where: `${loop} = 5`, jobs: 1 });
      const executed = inFive.runs.flatMap((run) => stepsIn(run, loop));
      expect([loop, executed]).toEqual([loop, [expected.inFive ?? STEPS]]);
      const byTwo = await makePlan(ports, { ...question, jobs: 2 });
      const isCut = (byTwo.runs[0]?.units.length ?? 0) > 1;
      expect([loop, isCut]).toEqual([loop, expected.around !== ALL]);
    }
  }

  test("an object of the package that a step takes", { timeout: 300_000 }, async () => {
    const taken = trainingsOf([TAKEN]);
    using project = await recorded(language, taken, false);
    using truth = await recorded(language, taken, true);
    project.write(`train.${language}`, programOf(language, taken, true));
    const { cells, stderr } = await ask(project, ["at_head_e0", "at_step_e0", "at_end_e0"]);
    expect(byPlace(cells.map(asNumber)), stderr).toEqual(byPlace(cellsOf(truth)));
  });

  test("a package that is another in each process", { timeout: 300_000 }, async () => {
    const differing = trainingsOf([DIFFERING]);
    using project = await recorded(language, differing, false);
    project.write(`train.${language}`, programOf(language, differing, true));
    const { cells } = await ask(project, ["at_head_e0", "at_end_e0"]);
    const marks = cells.filter(({ name }) => name === "at_head_e0").map(({ check }) => check);
    expect(marks).not.toContain("verified");
    expect(marks).not.toContain("restored");
  });
});

/** However many digits it is written with. */
function asNumber<C extends Cell>(cell: C): C {
  return { ...cell, value: String(Number(cell.value)) };
}

/** What the program with the question logged for it. */
function cellsOf({ records }: TestProject): Cell[] {
  return records.flatMap((record) => {
    if (record.k !== "log" || !record.name.startsWith("at_")) return [];
    return [{ name: record.name, path: formatPath(record.path), value: String(record.value) }];
  });
}

/**
 * Loops inside of a loop whose own state nobody can hold (Flor §2.2.1, pseudoresume): what is around them is executed,
 * they are skipped by their ends. The schedule comes from a package that nobody knows and that keeps its
 * state to itself. What is asked is what the program prints that has the question in it from the start.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
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

/** Statements of the program, one a line. */
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

interface Row extends Executed, Partial<{ readonly [language in Language]: Parts }> {
  /** The same of Python, if that is another. */
  readonly seen?: Executed;
  /** Epochs of which the ends of inner loops, and their steps, are not there. */
  readonly lacking?: readonly number[];
  /** No value that is asked at the head may be marked as right. */
  readonly differs?: boolean;
}

const ALL = EPOCHS * STEPS;

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
  "an object of the package that a step takes": {
    js: { step: "box = current;", tail: "advance();\nlr = box.n / 9;" },
    py: { step: "box = some_lib.current", tail: 'some_lib.advance()\nlr = box["n"] / 9' },
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
  "ends that are not there": {
    js: { tail: LR.js },
    py: { tail: LR.py },
    lacking: [2, 6],
    around: 2 * STEPS,
    inFive: 2 * STEPS,
  },
  "a package that is another in each process": {
    js: { head: "lr = noise() + schedule();" },
    py: { head: "lr = some_lib.noise() + some_lib.schedule()" },
    differs: true,
  },
};

function programOf(language: Language, parts: Parts, asked: boolean): string {
  return language === "js" ? javascript(parts, asked) : python(parts, asked);
}

function javascript(parts: Parts, asked: boolean): string {
  const { before = "", head = "", step = "", tail = "", validates, calls } = parts;
  const probe = (name: string): string =>
    asked ? `console.log("${name}", w[0] + w[1] + lr + box.n);` : "";
  const steps = `for (let step = 0; step < ${STEPS}; step++) {
  for (let k = 0; k < 60000; k++) w[0] += lr * Math.sin(w[0] + k);
  w[1] += Math.random();
  ${step}
  ${probe("at_step")}
}`;
  return `import { schedule, keep, total, noise, current, advance } from "some-lib";
const w = new Float64Array(50).fill(1);
let lr = 0.1;
let box = { n: 0 };
let seen = 0;
${before}
function train(epoch) {
${calls ? steps : ""}
}
for (let epoch = 0; epoch < ${EPOCHS}; epoch++) {
  ${head}
  ${probe("at_head")}
  ${calls ? "train(epoch);" : steps}
  ${validates ? "for (let i = 0; i < 4; i++) for (let k = 0; k < 60000; k++) seen += w[i] / (1 + k);" : ""}
  ${tail}
  console.log("loss", w[0] + seen);
  ${probe("at_end")}
}
`;
}

function python(parts: Parts, asked: boolean): string {
  const { before = "", head = "pass", step = "pass", tail = "pass", validates, calls } = parts;
  const probe = (name: string): string =>
    asked ? `print("${name}", w[0] + w[1] + lr + box["n"])` : "pass";
  const indented = (text: string, by: number): string =>
    text
      .split("\n")
      .map((line) => " ".repeat(by) + line)
      .join("\n");
  const steps = `for step in range(${STEPS}):
    for k in range(3000): w[0] += lr * math.sin(w[0] + k)
    w[1] += random.random()
${indented(step, 4)}
    ${probe("at_step")}`;
  const validation = "for i in range(4):\n    for k in range(3000): seen += w[i] / (1 + k)";
  return `import math
import random
import sys
sys.path.append("site-packages")
import some_lib
random.seed(3)
w = [1.0] * 50
lr = 0.1
box = {"n": 0}
seen = 0
${before}
def train(epoch):
    global box
${indented(calls ? steps : "pass", 4)}
for epoch in range(${EPOCHS}):
${indented(head, 4)}
    ${probe("at_head")}
${indented(calls ? "train(epoch)" : steps, 4)}
${indented(validates ? validation : "pass", 4)}
${indented(tail, 4)}
    print("loss", w[0] + seen)
    ${probe("at_end")}
`;
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

async function recorded(language: Language, parts: Parts, asked: boolean): Promise<TestProject> {
  const program = programOf(language, parts, asked);
  const project = new TestProject({ [`train.${language}`]: program, ...FILES[language] });
  const { code, stderr } = await project.afterlog(...COMMANDS[language]);
  expect(code, stderr).toBe(0);
  return project;
}

/** As if nothing had been taken in these epochs. */
function forget({ run }: TestProject, epochs: readonly number[]): void {
  const index = join(run, "checkpoints/index.jsonl");
  const lines = readFileSync(index, "utf8").trim().split("\n");
  const isGone = (line: string): boolean =>
    epochs.some((epoch) => line.includes(`"path":[["epoch",${epoch}],["step",`));
  writeFileSync(index, lines.filter((line) => !isGone(line)).join("\n") + "\n");
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

const CASES = Object.entries(ROWS).flatMap(([what, row]) =>
  (["js", "py"] as const).flatMap((language) => {
    const parts = row[language];
    return parts ? [{ what, language, row, parts }] : [];
  }),
);

test.each(CASES)("$what, $language", { timeout: 300_000 }, async ({ language, row, parts }) => {
  using project = await recorded(language, parts, false);
  using truth = await recorded(language, parts, true);
  forget(project, row.lacking ?? []);
  slowSteps(project);
  project.write(`train.${language}`, programOf(language, parts, true));
  const { cells, ...around } = await ask(project, ["at_head", "at_end"]);
  if (row.differs) {
    const marks = cells.filter(({ name }) => name === "at_head").map(({ check }) => check);
    expect(marks).not.toContain("verified");
    expect(marks).not.toContain("restored");
    return;
  }
  const inFive = await ask(project, ["at_step"], { where: "epoch = 5" });
  const inAll = await ask(project, ["at_step"], { workers: 2 });
  const found = [...cells, ...inAll.cells];
  for (const name of ["at_head", "at_step", "at_end"]) {
    const own = found.filter((cell) => cell.name === name).map(asNumber);
    expect(byPlace(own), `${around.stderr}\n${inAll.stderr}`).toEqual(
      byPlace(cellsOf(truth, name)),
    );
    // Before anything is restored there is nothing to compare with.
    const later = own.filter(({ path }) => !path.startsWith("epoch=0"));
    expect(new Set(later.map(({ check }) => check)), name).toEqual(new Set(["verified"]));
  }
  const executed = [costOf({ ...around, cells }), costOf(inFive)].map((cost) => cost.iterations);
  const expected = (language === "py" ? row.seen : undefined) ?? row;
  expect(executed).toEqual([expected.around ?? 0, expected.inFive ?? STEPS]);
  const { length: units } = inAll.plan?.runs[0]?.units ?? [];
  expect(units > 1).toBe(expected.around !== ALL);
});

/** However many digits it is written with. */
function asNumber<C extends Cell>(cell: C): C {
  return { ...cell, value: String(Number(cell.value)) };
}

function cellsOf({ records }: TestProject, name: string): Cell[] {
  return records.flatMap((record) => {
    if (record.k !== "log" || record.name !== name) return [];
    return [{ name, path: formatPath(record.path), value: String(record.value) }];
  });
}

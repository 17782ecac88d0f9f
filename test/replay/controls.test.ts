/**
 * @file Loops that change what no checkpoint holds, and that nobody can see: a package whose description is
 * wrong, a module that keeps its state in C. The last asked place is reached in two ways, and where
 * the value is another one, the run is executed from its start (decision 0043).
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReplay } from "../../src/replayer/index.ts";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { slowDownAlike } from "../support/slow-down.ts";
import type { TestProject } from "../support/project.ts";

interface HiddenProgram {
  readonly file: string;
  readonly text: string;
  /** What is added behind each statement of the run, and the name that it logs. */
  readonly questions: readonly (readonly [behind: string, added: string])[];
  readonly files?: { readonly [name: string]: string };
}

const JAVASCRIPT: HiddenProgram = {
  file: "train.js",
  text: `import tiny from "tiny";
let w = 0.5;
for (let epoch = 0; epoch < 6; epoch++) {
  for (let step = 0; step < 5; step++) {
    w = (w * 1.7 + 0.31) % 1;
    tiny.next();
  }
  console.log("loss", w);
}
console.log("done", w);
`,
  questions: [
    ["    tiny.next();\n", '    console.log("inner", tiny.peek());\n'],
    ['  console.log("loss", w);\n', '  console.log("outer", tiny.peek());\n'],
    ['console.log("done", w);\n', 'console.log("behind", tiny.peek());\n'],
  ],
  files: {
    "package.json": JSON.stringify({
      type: "module",
      afterlog: { libraries: [{ package: "tiny", functions: { "*": "computes" } }] },
    }),
    "node_modules/tiny/package.json": '{ "name": "tiny", "version": "1.0.0", "main": "tiny.js" }',
    "node_modules/tiny/tiny.js": "let n = 0; exports.next = () => ++n; exports.peek = () => n;\n",
  },
};

const PYTHON: HiddenProgram = {
  file: "train.py",
  text: `import readline
w = 0.5
for epoch in range(6):
    for step in range(5):
        w = (w * 1.7 + 0.31) % 1
        readline.add_history("x")
    print("loss", w)
print("done", w)
`,
  questions: [
    [
      '        readline.add_history("x")\n',
      '        print("inner", readline.get_current_history_length())\n',
    ],
    ['    print("loss", w)\n', '    print("outer", readline.get_current_history_length())\n'],
    ['print("done", w)\n', 'print("behind", readline.get_current_history_length())\n'],
  ],
};

/** As users have it. */
const env = { AFTERLOG_CONTROL: "true" };

/** Five steps in an epoch: what is asked, of which iterations, and what it is. */
const ASKED: readonly (readonly [name: string, where: string | undefined, values: string])[] = [
  ["inner", "epoch = 4 and step > 2", "24 25"],
  ["outer", "epoch = 4", "25"],
  ["behind", undefined, "30"],
];

describe.each([JAVASCRIPT, PYTHON])("$file", needs("python"), (program) => {
  const { file, text, questions, files = {} } = program;
  let recorded: TestProject;

  beforeAll(async () => {
    recorded = await record({ [file]: text, ...files }, file, "all");
    const edited = questions.reduce((all, [behind, added]) => {
      return all.replace(behind, `${behind}${added}`);
    }, text);
    edit(recorded, { [file]: edited });
  });

  afterAll(() => recorded[Symbol.dispose]());

  test.each(ASKED)("%s, where %s", async (name, where, values) => {
    const { code, stdout, stderr, cells, plan } = await ask(recorded, [name], { where, env });
    expect(code, stderr + stdout).toBe(0);
    // Of thirty steps.
    const iterations = plan?.runs[0]?.units.map((unit) => unit.iterations) ?? [];
    expect(Math.max(...iterations)).toBeLessThan(6);
    expect(cells.map(({ value }) => Number(value)).join(" ")).toBe(values);
    expect([...new Set(cells.map(({ check }) => check))]).toEqual(["verified"]);
    const units = readReplay(recorded.store).units;
    expect(units).toMatchObject([{ whole: true, wholeBecause: expect.stringContaining(name) }]);
    expect(readdirSync(join(recorded.store, "trees"))).toEqual([]);
  });
});

test("a control that says the same is not seen", async () => {
  const { file, text, files = {} } = JAVASCRIPT;
  using project = await record({ [file]: text, ...files }, file, "all");
  edit(project, { [file]: text.replace('"loss", w', '"loss", w);\n  console.log("half", w / 2') });
  const { code, plan, cells, events } = await ask(project, ["half"], { where: "epoch = 4", env });
  expect({ code, cells: cells.length, share: plan?.runs[0]?.share }).toEqual({
    code: 0,
    cells: 1,
    share: 0,
  });
  expect(plan?.runs[0]?.control).toBeDefined();
  expect(events.at(-1)).toMatchObject({ kind: "done", units: { done: 1, failed: 0, waiting: 0 } });
  expect(readReplay(project.store).units).toMatchObject([{ whole: false, cells: 1 }]);
});

test("where a control refutes, no process of its source keeps what it restored", async () => {
  const { file, text, files = {}, questions } = JAVASCRIPT;
  using project = await record({ [file]: text, ...files }, file, "all");
  slowDownAlike(project);
  const [[behind, added] = ["", ""]] = questions;
  edit(project, { [file]: text.replace(behind, `${behind}${added}`) });
  const answer = await ask(project, ["inner"], { workers: 2, env });
  expect(answer.code, answer.stderr + answer.stdout).toBe(0);
  const { units } = readReplay(project.store);
  expect(units.length).toBeGreaterThan(1);
  // The first piece is executed from the start of the run: it restores nothing.
  expect(units.slice(1).map(({ whole }) => whole)).not.toContain(false);
  const values = answer.cells.map(({ value }) => Number(value)).toSorted((a, b) => a - b);
  expect(values).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect([...new Set(answer.cells.map(({ check }) => check))]).toEqual(["verified"]);
});

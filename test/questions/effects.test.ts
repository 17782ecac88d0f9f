/**
 * Questions that change the run, or fail: a review that names the effect, a value that is missing with
 * the reason. The run is never trained on with what a question left behind.
 */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { edit, hindsight, record } from "../support/ask.ts";
import { interpreters } from "../support/interpreters.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import type { Program } from "./caching-programs.ts";
import { CACHING_JAVASCRIPT, CACHING_PYTHON } from "./caching-programs.ts";

const PYTHON: Program = {
  file: "train.py",
  text: `import random
w = [0.1, 0.2]
calls = []
def note(x):
    calls.append(x)
    return len(calls)
for epoch in range(4):
    loss = 0.0
    for step in range(5):
        x = random.random()
        err = w[0] * x + w[1] - 2 * x
        loss += err * err
        w[0] -= 0.1 * err * x
        w[1] -= 0.1 * err
    print("loss", loss)
print("end", w[0], note(0))
`,
  rows: {
    "a weight that is changed": {
      added: '    w[0] += 1.0\n    print("q", w[0])',
      code: 5,
      says: "`w[0] += 1.0` (train.py:16) changes `w`, and nothing sets it back.",
      marks: ["diverged"],
    },
    "a call that changes what no checkpoint holds": {
      added: '    print("q", note(loss))',
      code: 5,
      says: '`print("q", note(loss))` (train.py:16) changes `calls`, and nothing sets it back.',
      marks: [],
    },
    "one beside it that nobody asked for": {
      added: '    print("q", w[0] > 9)\n    print("r", note(loss))\n    print("s", w.append(1))',
      code: 0,
      marks: ["verified"],
    },
    "a call that may": {
      added: '    print("q", note(loss) if loss > 1e9 else loss)',
      code: 0,
      marks: ["unchecked"],
    },
    "statements that do": {
      added: '    calls.append(loss)\n    print("q", len(calls))',
      code: 5,
      says: "`calls.append(loss)` (train.py:16) changes `calls`, and nothing sets it back.",
      marks: [],
    },
    "of several the one that does": {
      added:
        '    a = note(loss) if loss > 1e9 else loss\n    w[0] += 1.0\n    print("q", a + w[0])',
      code: 5,
      says: "`w[0] += 1.0` (train.py:17) changes `w`, and nothing sets it back.",
      marks: ["diverged"],
    },
    "statements that undo it": {
      added: '    calls.append(loss)\n    print("q", len(calls))\n    calls.pop()',
      code: 0,
      marks: ["unchecked"],
    },
    "an exception everywhere": {
      added: '    bad = 1 / 0\n    print("q", bad)',
      code: 3,
      says: "what is asked failed at epoch=0: ZeroDivisionError: division by zero, and 3 more times",
      marks: [],
    },
    "an exception once": {
      added: '    part = 1 / (epoch - 2)\n    print("q", part)',
      code: 0,
      says: "what is asked failed at epoch=2: ZeroDivisionError: division by zero",
      marks: ["verified"],
    },
    "an exception of one log call": {
      added: '    print("q", 1 / (epoch - 2))',
      code: 0,
      says: "what is asked failed at epoch=2: ZeroDivisionError: division by zero: there is no value",
      marks: ["verified"],
      values: [-0.5, -1, 1],
    },
    "an exception of what another part needs": {
      before: "    part = 1 / (epoch - 2)",
      added: '    print("q", part)',
      code: 0,
      says: "at epoch=2: ZeroDivisionError: division by zero, and once more: there is no value",
      marks: ["unchecked"],
      values: [-0.5, -1, 1],
    },
    "a condition that never holds": {
      added: '    if loss < 0:\n        print("q", loss * 3)',
      code: 0,
      says:
        "`q` stands at train.py:17 under `if loss < 0`, which was false:  " +
        "--at train.py:16 'q = loss * 3'",
      marks: [],
    },
    "no value": {
      added: '    none = [].clear()\n    print("q", none)',
      code: 0,
      says: "`q` at train.py:17 was reached, and had no value there: `None`",
      marks: [],
    },
    "a breakpoint": {
      added: '    breakpoint()\n    import pdb; pdb.set_trace()\n    print("q", loss * 2)',
      code: 0,
      marks: ["verified"],
    },
  },
};

const TYPESCRIPT: Program = {
  file: "train.ts",
  text: `const w = [0.1, 0.2];
const calls: number[] = [];
function note(x: number): number {
  calls.push(x);
  return calls.length;
}
for (let epoch = 0; epoch < 4; epoch++) {
  let loss = 0;
  for (let step = 0; step < 5; step++) {
    const x = Math.random();
    const err = w[0]! * x + w[1]! - 2 * x;
    loss += err * err;
    w[0]! -= 0.1 * err * x;
    w[1]! -= 0.1 * err;
  }
  console.log("loss", loss);
}
console.log("end", w[0], note(0), half(1));
function half(x: number): number {
  return [x / 2][0]!;
}
`,
  rows: {
    "a weight that is changed": {
      added: '  w[0]! += 1;\n  console.log("q", w[0]);',
      code: 5,
      says: "`w[0]! += 1` (train.ts:17) changes `w`, and nothing sets it back.",
      marks: ["diverged"],
    },
    "a call that changes what no checkpoint holds": {
      added: '  console.log("q", note(loss));',
      code: 5,
      says: '`console.log("q", note(loss))` (train.ts:17) changes `calls`, and nothing sets it back.',
      marks: [],
    },
    "one beside it that nobody asked for": {
      added:
        '  console.log("q", w[0] > 9);\n  console.log("r", note(loss));\n  console.log("s", w.push(1));',
      code: 0,
      marks: ["verified"],
    },
    "a call that may": {
      added: '  console.log("q", loss > 1e9 ? note(loss) : loss);',
      code: 0,
      marks: ["unchecked"],
    },
    "statements that do": {
      added: '  calls.push(loss);\n  console.log("q", calls.length);',
      code: 5,
      says: "`calls.push(loss)` (train.ts:17) changes `calls`, and nothing sets it back.",
      marks: [],
    },
    "of several the one whose function does": {
      added: '  const a = half(loss);\n  note(a);\n  console.log("q", a);',
      code: 5,
      says: "`note(a)` (train.ts:18) changes `calls`, and nothing sets it back.",
      marks: [],
    },
    "of several the one whose change the state shows": {
      added: '  const a = half(w[0]!);\n  w[0]! += 1;\n  console.log("q", a);',
      code: 5,
      says: "`w[0]! += 1` (train.ts:18) changes `w`, and nothing sets it back.",
      marks: ["diverged"],
    },
    "statements that undo it": {
      added: '  calls.push(loss);\n  console.log("q", calls.length);\n  calls.pop();',
      code: 0,
      marks: ["unchecked"],
    },
    "an exception everywhere": {
      added: '  const bad = (null as never as number[])[0];\n  console.log("q", bad);',
      code: 3,
      says: "what is asked failed at epoch=0: Cannot read properties of null",
      marks: [],
    },
    "an exception of one log call": {
      added: '  console.log("q", [1, 2, null, 4][epoch]!.valueOf());',
      code: 0,
      says: "what is asked failed at epoch=2: Cannot read properties of null",
      marks: ["verified"],
      values: [1, 2, 4],
    },
    "an exception of what another part needs": {
      before: "  const part = [1, 2, null, 4][epoch]!.valueOf();",
      added: '  console.log("q", part.valueOf());',
      code: 0,
      says: "what is asked failed at epoch=2: Cannot read properties of null",
      marks: ["unchecked"],
      values: [1, 2, 4],
    },
    "a condition that never holds": {
      added: '  if (loss < 0) {\n    console.log("q", loss * 3);\n  }',
      code: 0,
      says:
        "`q` stands at train.ts:18 under `if (loss < 0)`, which was false:  " +
        "--at train.ts:17 'q = loss * 3'",
      marks: [],
    },
    "no value": {
      added: '  console.log("q", (w as { gone?: number }).gone);',
      code: 0,
      says: "`q` at train.ts:17 was reached, and had no value there: `undefined`",
      marks: [],
    },
    "a debugger": {
      added: '  debugger;\n  console.log("q", loss * 2);',
      code: 0,
      marks: ["verified"],
    },
  },
};

/**
 * A call of the run's own function changes what no checkpoint holds, though the run's loops change it too:
 * that the rest of the state is equal says nothing.
 */
const UNSEEN_PYTHON: Program = {
  file: "train.py",
  text: `class Net:
    calls = 0
    def __init__(self):
        self.w = 0.1
    def forward(self, x):
        Net.calls += 1
        return self.w * x
def note(x, seen=[]):
    seen.append(x)
    return len(seen)
def counter():
    count = 0
    def more():
        nonlocal count
        count += 1
        return count
    return more
def numbers():
    n = 0
    while True:
        n += 1
        yield n
net, more, ids = Net(), counter(), numbers()
for epoch in range(3):
    for step in range(4):
        net.w -= 0.1 * (net.forward(step) - 2 * step)
        note(step), more(), next(ids)
    print("loss", net.w)
print("end", net.w)
`,
  rows: {
    "an attribute of a class": {
      added: '    print("q", net.forward(3))',
      code: 5,
      says: '`print("q", net.forward(3))` (train.py:29) changes `Net`, and nothing sets it back.',
      marks: [],
    },
    "what a default holds": {
      added: '    print("q", note(3))',
      code: 5,
      says: '`print("q", note(3))` (train.py:29) changes `seen`, and nothing sets it back.',
      marks: [],
    },
    "a variable in a closure": {
      added: '    print("q", more())',
      code: 5,
      says: '`print("q", more())` (train.py:29) changes `count`, and nothing sets it back.',
      marks: [],
    },
    "what cannot be captured": {
      added: '    print("q", next(ids))',
      code: 0,
      marks: ["unchecked"],
    },
    "the question's own": {
      added: '    def own(x, seen=[]):\n        return len(seen) + x\n    print("q", own(3))',
      code: 0,
      marks: ["verified"],
    },
  },
};

const UNSEEN_TYPESCRIPT: Program = {
  file: "train.ts",
  text: `class Net {
  static calls = 0;
  w = 0.1;
  forward(x: number): number {
    Net.calls++;
    return this.w * x;
  }
}
function note(x: number): number {
  note.seen += x;
  return note.seen;
}
note.seen = 0;
const times = new WeakMap<object, number>();
function look(it: object): number {
  times.set(it, (times.get(it) ?? 0) + 1);
  return times.get(it)!;
}
const net = new Net();
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 4; step++) {
    net.w -= 0.1 * (net.forward(step) - 2 * step);
    note(step);
    look(net);
  }
  console.log("loss", net.w);
}
console.log("end", net.w);
`,
  rows: {
    "a static field": {
      added: '  console.log("q", net.forward(3));',
      code: 5,
      says: "changes `calls` of a class or function, and nothing sets it back.",
      marks: [],
    },
    "a property of a function": {
      added: '  console.log("q", note(3));',
      code: 5,
      says: "changes `seen` of a class or function, and nothing sets it back.",
      marks: [],
    },
    "what cannot be captured": {
      added: '  console.log("q", look(net));',
      code: 0,
      marks: ["unchecked"],
    },
    "the question's own": {
      added:
        "  class Own {\n    static tally = 0;\n  }\n  Own.tally++;\n" +
        '  console.log("q", Own.tally);',
      code: 0,
      marks: ["verified"],
    },
  },
};

const PROGRAMS = [
  PYTHON,
  TYPESCRIPT,
  UNSEEN_PYTHON,
  UNSEEN_TYPESCRIPT,
  CACHING_PYTHON,
  CACHING_JAVASCRIPT,
];

describe.each(PROGRAMS)("$file", needs("python"), ({ file, text, rows }) => {
  let run: TestProject;

  beforeAll(async () => {
    run = await record({ [file]: text }, file, "all");
  });

  afterAll(() => run[Symbol.dispose]());

  test.each(Object.entries(rows))("%s", async (_, row) => {
    const { added, before, first, code, says, marks, values, truth } = row;
    using project = new TestProject();
    project.copyFrom(run);
    const behind = text.replace(/^.*"loss".*$/m, (line) => `${line}\n${added}`);
    const loop = (line: string): string => (before === undefined ? line : `${before}\n${line}`);
    const outer = (line: string): string => (first === undefined ? line : `${first}\n${line}`);
    const asked = behind.replace(/^ +for .*step.*$/m, loop).replace(/^for .*epoch.*$/m, outer);
    edit(project, { [file]: asked });
    const answer = await project.afterlog("replay", "q", "--yes");
    expect(answer.code, answer.stderr + answer.stdout).toBe(code);
    if (says !== undefined) expect(answer.stderr).toContain(says);
    const cells = await hindsight(project, ["q"]);
    expect([...new Set(cells.map(({ check }) => check))]).toEqual(marks);
    if (values) expect(cells.map(({ value }) => Number(value))).toEqual(values);
    if (truth) expect(cells.map(({ value }) => Number(value))).toEqual(loggedBy(project, file));
  });
});

/** What a program logs by itself as `q`. */
function loggedBy(project: TestProject, file: string): number[] {
  const command = file.endsWith(".py") ? (interpreters()[0] ?? "python3") : process.execPath;
  const printed = execFileSync(command, [file], { cwd: project.folder, encoding: "utf8" });
  return [...printed.matchAll(/^q (.*)$/gm)].map(([, value]) => Number(value));
}

/** What is put in stands in another file than the log call. */
const FILES: readonly { readonly [file: string]: string }[] = [
  {
    "main.py": `import model
for epoch in range(3):
    for step in range(4):
        model.step()
    print("loss", model.w)
    print("q", len(model.seen)) #+
`,
    "model.py": `# The model.
w = 0.5
seen = [0]
def step():
    global w
    w -= 0.1 * w
    seen[0] = w
    seen.append(w) #+
`,
  },
  {
    "main.mjs": `import { model, step } from "./model.mjs";
for (let epoch = 0; epoch < 3; epoch++) {
  for (let i = 0; i < 4; i++) {
    step();
  }
  console.log("loss", model.w);
  console.log("q", model.seen.length); //+
}
`,
    "model.mjs": `// The model.
const seen = [0];
export const model = { w: 0.5, seen };
export function step() {
  model.w -= 0.1 * model.w;
  seen[0] = model.w;
  seen.push(model.w); //+
}
`,
  },
];

test.each(FILES)(
  "a refusal names the file in which the line is",
  needs("python"),
  async (files) => {
    const texts = Object.entries(files);
    const [[entry] = [""], [other, text] = ["", ""]] = texts;
    const lines = (change: (line: string) => string[]) =>
      Object.fromEntries(
        texts.map(([file, one]) => [file, one.split("\n").flatMap(change).join("\n")]),
      );
    using project = await record(
      lines((line) => (/[#/]\+$/.test(line) ? [] : [line])),
      entry,
      "all",
    );
    edit(
      project,
      lines((line) => [line.replace(/ (?:#|\/\/)\+$/, "")]),
    );
    const { code, stderr } = await project.afterlog("replay", "q", "--yes");
    expect(code, stderr).toBe(5);
    const at = text.split("\n").findIndex((line) => / seen\.\w+\(/.test(line)) + 1;
    expect(stderr).toMatch(new RegExp(`\`seen\\.\\w+\\(.*\\)\` \\(${other}:${at}\\) changes`));
  },
);

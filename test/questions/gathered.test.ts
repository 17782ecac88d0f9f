/**
 * What a question gathers in loops that a replay would skip, by ways that its text hardly shows: other
 * names of a list, closures, functions that keep something, other files. The truth is the program with all
 * of it in from the start. What it changes of the run for good is no question.
 */
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { ask, byPlace, costOf, edit, hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";
import { slowDown } from "../support/slow-down.ts";
import type { Cell } from "../truth/reference-sdk.ts";

type Files = { readonly [file: string]: string };

interface Program {
  readonly main: string;
  readonly files: Files;
  /** Each with a name of its own, in the order of the places. */
  readonly asks: { readonly [name: string]: readonly [place: string, added: string][] };
  /** Text behind which something is added, by place. */
  readonly places: { readonly [place: string]: readonly [file: string, behind: string] };
  /** Names of what changes the run. */
  readonly refused: readonly string[];
  /** Names of what begins anew in each epoch: less than the whole run is executed for some epochs. */
  readonly anew: readonly string[];
  /** Files that only the question has. */
  readonly added: Files;
}

const PYTHON: Program = {
  main: "train.py",
  files: {
    "train.py": `import net
w = [1.0, 2.0]
def run_epoch(n):
    for k in range(n):
        err = net.forward(w, k)
for epoch in range(3):
    run_epoch(4)
    for i in range(3):
        w[1] += 0.5
    print("w", w[0])
`,
    "net.py": `def forward(w, k):
    w[0] += w[1] * 0.1 + k
    return w[0]
`,
  },
  places: {
    start: ["train.py", "w = [1.0, 2.0]\n"],
    step: ["train.py", "err = net.forward(w, k)\n"],
    inEpoch: ["train.py", "        w[1] += 0.5\n"],
    epoch: ["train.py", '    print("w", w[0])\n'],
    function: ["train.py", "def run_epoch(n):\n"],
    epochStart: ["train.py", "for epoch in range(3):\n"],
    net: ["net.py", "w[0] += w[1] * 0.1 + k\n"],
    netStart: ["net.py", ""],
  },
  asks: {
    two_names: [
      ["start", "one = other = [0.0]\n"],
      ["step", "        other.append(err)\n"],
      ["epoch", '    print("two_names", one[-1])\n'],
    ],
    method: [
      ["start", "kept = [0.0]\nkeep = kept.append\n"],
      ["step", "        keep(err)\n"],
      ["epoch", '    print("method", max(kept))\n'],
    ],
    elements: [
      ["start", "rows = [[0.0], [0.0]]\n"],
      ["step", "        for row in rows:\n            row += [err]\n"],
      ["epoch", '    print("elements", sum(rows[1]))\n'],
    ],
    closure: [
      [
        "start",
        `def counter():
    n = 0
    def put(v):
        nonlocal n
        n += v
    return put, lambda: n
put, get = counter()
`,
      ],
      ["step", "        put(err)\n"],
      ["epoch", '    print("closure", get())\n'],
    ],
    default: [
      ["start", "def note(v=None, seen=[]):\n    seen.append(v)\n    return len(seen)\n"],
      ["step", "        note(err)\n"],
      ["epoch", '    print("default", note())\n'],
    ],
    counted: [
      ["start", "count = 0\n"],
      ["function", "    global count\n"],
      ["step", "        count += 1\n"],
      ["epoch", '    print("counted", count)\n'],
    ],
    meter: [
      [
        "start",
        `class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0
    def update(self, v):
        self.sum += v
        self.n += 1
    @property
    def avg(self):
        return self.sum / max(1, self.n)
meter = Meter()
`,
      ],
      ["step", "        meter.update(err)\n"],
      ["epoch", '    print("meter", meter.avg)\n'],
    ],
    listed: [
      ["epochStart", "    errs = []\n    first = w[0]\n"],
      ["inEpoch", "        grown = w[0] - first\n        errs.append(grown)\n"],
      ["epoch", '    print("listed", sum(errs) / len(errs))\n'],
    ],
    running: [
      ["epochStart", "    most = [0.0]\n"],
      [
        "inEpoch",
        '        most.append(max(most[-1], w[0]))\n        print("running", sum(most))\n',
      ],
    ],
    counter: [
      ["epochStart", "    def bump(by=[0]):\n        by[0] += 1\n        return by[0]\n"],
      ["inEpoch", "        bump()\n"],
      ["epoch", '    print("counter", bump())\n'],
    ],
    drawn: [
      ["start", "import random\n"],
      ["epochStart", "    own = random.Random(epoch)\n"],
      ["inEpoch", '        print("drawn", own.random() + i)\n'],
    ],
    within: [
      ["function", "    told = []\n"],
      ["step", "        told.append(err)\n"],
      ["step", '    print("within", sum(told))\n'],
    ],
    once: [
      ["epochStart", "    if epoch == 0:\n        firsts = []\n"],
      ["inEpoch", "        firsts.append(w[0])\n"],
      ["epoch", '    print("once", len(firsts))\n'],
    ],
    before: [
      ["start", "tail = []\n"],
      ["epochStart", '    print("before", len(tail))\n    tail = []\n'],
      ["inEpoch", "        tail.append(i)\n"],
    ],
    elsewhere: [
      ["netStart", "LOG = [0.0]\n"],
      ["net", "    LOG.append(w[0])\n"],
      ["epoch", '    print("elsewhere", len(net.LOG))\n'],
    ],
    filed: [
      [
        "epoch",
        '    with open("filed.txt", "a") as out:\n        out.write("x")\n    print("filed", len(open("filed.txt").read()))\n',
      ],
    ],
  },
  refused: [],
  anew: ["listed", "running", "counter", "drawn"],
  added: {},
};

const TYPESCRIPT: Program = {
  main: "t.mjs",
  files: {
    "t.mjs": `import { Model } from "./model.mjs";
const model = new Model();
const seen = new Set();
for (let epoch = 0; epoch < 3; epoch++) {
  for (let i = 0; i < 4; i++) {
    model.update(i);
    seen.add(i % 3);
  }
  console.log("w", model.w, seen.size);
}
`,
    "model.mjs": `export class Model {
  constructor() {
    this.w = 1;
    this.by = new Map();
  }
  update(i) {
    this.w += i * 0.1;
    this.by.set("w", this.w);
  }
}
`,
  },
  places: {
    start: ["t.mjs", "const seen = new Set();\n"],
    step: ["t.mjs", "    seen.add(i % 3);\n"],
    epoch: ["t.mjs", '  console.log("w", model.w, seen.size);\n'],
    epochStart: ["t.mjs", "epoch++) {\n"],
    import: ["t.mjs", 'import { Model } from "./model.mjs";\n'],
    update: ["model.mjs", '    this.by.set("w", this.w);\n'],
    modelStart: ["model.mjs", ""],
  },
  asks: {
    list: [
      ["modelStart", 'import { note } from "./trace.mjs";\n'],
      ["update", "    note(this.w);\n"],
      ["import", 'import { rows } from "./trace.mjs";\n'],
      ["epoch", '  console.log("list", rows.length);\n'],
    ],
    counter: [
      ["modelStart", 'import { bump } from "./sink.mjs";\n'],
      ["update", "    bump();\n"],
      ["import", 'import { total } from "./sink.mjs";\n'],
      ["epoch", '  console.log("counter", total());\n'],
    ],
    field: [
      ["update", "    this.count = (this.count ?? 0) + 1;\n"],
      ["epoch", '  console.log("field", model.count ?? 0);\n'],
    ],
    own_set: [
      ["step", "    if (i > 0) seen.add(100 + i);\n"],
      ["epoch", '  console.log("own_set", [...seen].filter((v) => v >= 100).length);\n'],
    ],
    own_map: [
      ["step", '    model.by.set("e" + i, i);\n'],
      ["epoch", '  console.log("own_map", model.by.size);\n'],
    ],
    pushed: [
      ["epochStart", "  const ws = [];\n"],
      ["step", "    const half = model.w / 2;\n    ws.push(half);\n"],
      ["epoch", '  console.log("pushed", ws.reduce((a, b) => a + b, 0) / ws.length);\n'],
    ],
    running: [
      ["epochStart", "  let most = 0;\n"],
      ["step", '    most += model.w;\n    console.log("running", most);\n'],
    ],
    counting: [
      ["epochStart", "  const tick = ((n) => () => ++n)(epoch);\n"],
      ["step", "    tick();\n"],
      ["epoch", '  console.log("counting", tick());\n'],
    ],
    moved: [
      ["epochStart", "  const items = [1, 2, 3, 4, 5].values();\n"],
      ["step", '    console.log("moved", items.next().value + model.w);\n'],
    ],
    found: [
      ["epochStart", "  const digit = /[1-9]/g;\n"],
      ["step", "    digit.test('1234567');\n"],
      ["epoch", '  console.log("found", digit.lastIndex);\n'],
    ],
    once: [
      ["start", "let firsts;\n"],
      ["epochStart", "  if (epoch === 0) firsts = [];\n"],
      ["step", "    firsts.push(model.w);\n"],
      ["epoch", '  console.log("once", firsts.length);\n'],
    ],
    before: [
      ["start", "let tail = [];\n"],
      ["epochStart", '  console.log("before", tail.length);\n  tail = [];\n'],
      ["step", "    tail.push(i);\n"],
    ],
    wrapped: [
      [
        "start",
        "let calls = 0;\nconst own = model.update.bind(model);\nmodel.update = (i) => {\n  calls++;\n  own(i);\n};\n",
      ],
      ["epoch", '  console.log("wrapped", calls);\n'],
    ],
    filed: [
      ["import", 'import fs from "node:fs";\n'],
      [
        "epoch",
        '  fs.appendFileSync("filed.txt", "x");\n  console.log("filed", fs.readFileSync("filed.txt", "utf8").length);\n',
      ],
    ],
  },
  refused: ["own_set", "own_map"],
  anew: ["pushed", "running", "counting", "moved", "found"],
  added: {
    "trace.mjs": "export const rows = [];\nexport const note = (v) => {\n  rows.push(v);\n};\n",
    "sink.mjs":
      "let n = 0;\nexport const bump = () => {\n  n++;\n};\nexport const total = () => n;\n",
  },
};

/** The files with the questions of some names in them. */
function withQuestions({ files, asks, places, added }: Program, names: readonly string[]): Files {
  const texts: { [file: string]: string } = { ...files, ...added };
  for (const [place, text] of names.flatMap((name) => asks[name] ?? []).toReversed()) {
    const [file, behind] = places[place] ?? ["", ""];
    const at = (texts[file] ?? "").indexOf(behind) + behind.length;
    texts[file] = (texts[file] ?? "").slice(0, at) + text + (texts[file] ?? "").slice(at);
  }
  return texts;
}

describe.each([
  ["Python", PYTHON],
  ["JavaScript", TYPESCRIPT],
])("%s", (_, program) => {
  describe("what is gathered on the way", needs("python"), () => {
    let run: TestProject;
    let truth: TestProject;
    const answered = Object.keys(program.asks).filter((name) => !program.refused.includes(name));
    const record = async (files: Files): Promise<TestProject> => {
      const project = new TestProject(files);
      const { code, stderr } = await project.afterlog("run", "--overhead", "inf", program.main);
      assert(code === 0, stderr);
      slowDown(project);
      return project;
    };

    beforeAll(async () => {
      run = await record(program.files);
      truth = await record(withQuestions(program, answered));
    });

    afterAll(() => {
      run[Symbol.dispose]();
      truth[Symbol.dispose]();
    });

    // Beside a wrapped method, a question that needs an import is left out, and says so.
    const others = answered.filter((name) => !program.anew.includes(name) && name !== "wrapped");
    test.each([
      { how: "anew, a range", names: program.anew, where: "epoch = 1", workers: 1 },
      { how: "anew, several processes", names: program.anew, where: "epoch > 0", workers: 2 },
      { how: "since the start", names: others, where: "epoch = 2", workers: 2 },
    ])("$how", async ({ names, where, workers }) => {
      using project = new TestProject();
      project.copyFrom(run);
      edit(project, withQuestions(program, names));
      const answer = await ask(project, names, { where, workers });
      const [, compared = "", index] = /^epoch (.) (.)$/.exec(where) ?? [];
      const isAsked = ({ path }: Cell): boolean => {
        const epoch = Number(/epoch=(\d+)/.exec(path)?.[1]);
        return compared === "=" ? epoch === Number(index) : epoch > Number(index);
      };
      const values = logged(truth.records)
        .filter(({ name }) => names.includes(name))
        .map((one) => ({ ...one, value: String(one.value) }));
      const found = answer.cells.map((one) => ({ ...one, value: String(Number(one.value)) }));
      expect(byPlace(found), answer.stderr).toEqual(byPlace(values.filter(isAsked)));
      expect(new Set(found.map(({ check }) => check))).toEqual(new Set(["verified"]));
      const { share, notes } = costOf(answer);
      expect(share < 1, notes.join()).toBe(names === program.anew);
    });

    test.each(Object.keys(program.asks))("%s", async (name) => {
      using project = new TestProject();
      project.copyFrom(run);
      edit(project, withQuestions(program, [name]));
      const answer = await project.afterlog("replay", name, "--yes");
      const cells = await hindsight(project, [name]);
      const promised = cells.filter(({ check }) => check === "verified" || check === "restored");
      if (program.refused.includes(name)) {
        expect(answer.code, answer.stdout).not.toBe(0);
        return expect(promised).toEqual([]);
      }
      expect(answer.code, answer.stderr + answer.stdout).toBe(0);
      expect(cells.map(({ check }) => check)).not.toContain("diverged");
      const values = logged(truth.records).filter((one) => one.name === name);
      expect(cells.map(({ value }) => Number(value))).toEqual(
        values.map(({ value }) => Number(value)),
      );
    });
  });
});

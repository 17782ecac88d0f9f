/**
 * What was added is asked of a run though more was changed since: constants, functions, what they say
 * of themselves, how the file is laid out and what stands where. The truth is the run's program with the question alone in it.
 */
import { expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { logged } from "../support/replay.ts";

interface Row {
  readonly file: string;
  /** Of the run; `@` stands where the question does. */
  readonly run: string;
  readonly question: string;
  /** What else was changed: from what to what. */
  readonly changes: readonly (readonly [string, string])[];
  /** What the question imports in addition. */
  readonly imports: readonly [string, string];
  readonly differing: string;
}

const PYTHON: Row = {
  file: "train.py",
  run: `from math import floor
import random

def half(value):
    return value / 2

class Net:
    def __init__(self):
        self.k, self.training = 0.3, True
    def train(self, on=True):
        self.training = on
    def eval(self):
        self.train(False)
    def forward(self, x):
        return x * self.k - (0.1 * random.random() if self.training else 0.0)

def evaluate(net):
    total = 0.0
    for x in range(5):
        total += net.forward(x)
    return total

def report(value):
    print("reported", floor(value * 100))

rate = 0.01
net = Net()
for epoch in range(3):
    loss = 0.0
    for step in range(4):
        net.k -= rate * net.forward(step)
        loss += net.k ** 2
    report(loss)
@
`,
  question: `    net.eval()
    clean = half(evaluate(net)) + sqrt(4)
    net.train()
    print("clean", clean)`,
  changes: [
    ["rate = 0.01\n", "rate = 0.02\n"],
    ["    total = 0.0\n", '    """Of five."""\n    total = 1.0\n'],
    [
      '    print("reported", floor(value * 100))\n',
      '    print( "reported", floor(value * 200) )  # twice\n',
    ],
    [
      "from math import floor, sqrt\nimport random\n",
      "import random\nfrom math import floor, sqrt\n",
    ],
    ["net = Net()\n", "def half(value):\n    return value / 2\n\nnet = Net()\n"],
    ["def half(value):\n    return value / 2\n\nclass Net", "class Net"],
    ["        loss += net.k ** 2\n", "        loss += (\n            net.k ** 2\n        )\n"],
  ],
  imports: ["import floor", "import floor, sqrt"],
  differing: "`evaluate` differs from yours",
};

const TYPESCRIPT: Row = {
  file: "train.ts",
  run: `import { sep } from "node:path";
import { EOL } from "node:os";
class Net {
  k = 0.3;
  training = true;
  train(on = true): void { this.training = on; }
  eval(): void { this.train(false); }
  forward(x: number): number {
    return x * this.k - (this.training ? 0.1 * Math.random() : 0);
  }
}
function evaluate(net: Net): number {
  let total = 0;
  for (const x of [0, 1, 2, 3]) total += net.forward(x);
  return total;
}
function report(value: number): void {
  console.log("reported", value + EOL.length + sep.length);
}
const rate = 0.01;
const net = new Net();
for (let epoch = 0; epoch < 3; epoch++) {
  let loss = 0;
  for (let step = 0; step < 4; step++) {
    net.k -= rate * net.forward(step);
    loss += net.k ** 2;
  }
  report(loss);
@
}
`,
  question: `  net.eval();
  const clean = evaluate(net) + basename("/ab").length;
  net.train();
  console.log("clean", clean);`,
  changes: [
    ["const rate = 0.01;\n", "const rate = 0.02;\n"],
    ["  let total = 0;\n", "  /** Of four. */\n  let total = 1;\n"],
    [
      '  console.log("reported", value + EOL.length + sep.length);\n',
      '  console.log( "reported", value + EOL.length * sep.length )  // other\n',
    ],
    [
      'import { basename, sep } from "node:path";\nimport { EOL } from "node:os";\n',
      'import { EOL } from "node:os";\nimport { sep, basename } from "node:path";\n',
    ],
    ["    loss += net.k ** 2;\n", "    loss += (\n      net.k ** 2\n    );\n"],
  ],
  imports: ["{ sep }", "{ basename, sep }"],
  differing: "`evaluate` differs from yours",
};

test.each([PYTHON, TYPESCRIPT])("$file", needs("python"), async (row) => {
  const { file, run, question, changes, imports } = row;
  const asked = run.replace("@", question).replace(...imports);
  const working = changes.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, asked);
  using truth = await record({ [file]: asked }, file, "all");
  using project = await record({ [file]: run.replace("@\n", "") }, file, "all");
  edit(project, { [file]: working });
  const { code, stdout, stderr, cells, plan } = await ask(project, ["clean"]);
  expect(code, stderr + stdout).toBe(0);
  const own = logged(truth.records).filter(({ name }) => name === "clean");
  expect(own).toHaveLength(3);
  expect(cells.map(({ path, value, check }) => [path, Number(value), check])).toEqual(
    own.map(({ path, value }) => [path, value, "verified"]),
  );
  expect(plan?.runs.flatMap(({ notes }) => notes).join()).toContain(row.differing);
});

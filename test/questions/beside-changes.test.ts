/**
 * What was added is asked of a run though more was changed since: other functions, what they say of
 * themselves, how the file is laid out. The truth is the run's program with the question alone in it.
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
  readonly differing: string;
}

const PYTHON: Row = {
  file: "train.py",
  run: `import random

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
    print("reported", value)

net = Net()
for epoch in range(3):
    loss = 0.0
    for step in range(4):
        net.k -= 0.01 * net.forward(step)
        loss += net.k ** 2
    report(loss)
@
`,
  question: `    net.eval()
    clean = evaluate(net)
    net.train()
    print("clean", clean)`,
  changes: [
    ["    total = 0.0\n", '    """Of five."""\n    total = 1.0\n'],
    ['    print("reported", value)\n', '    print( "reported", value * 2 )  # twice\n'],
    ["        loss += net.k ** 2\n", "        loss += (\n            net.k ** 2\n        )\n"],
  ],
  differing: "`evaluate` differs from yours",
};

const TYPESCRIPT: Row = {
  file: "train.ts",
  run: `class Net {
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
  console.log("reported", value);
}
const net = new Net();
for (let epoch = 0; epoch < 3; epoch++) {
  let loss = 0;
  for (let step = 0; step < 4; step++) {
    net.k -= 0.01 * net.forward(step);
    loss += net.k ** 2;
  }
  report(loss);
@
}
`,
  question: `  net.eval();
  const clean = evaluate(net);
  net.train();
  console.log("clean", clean);`,
  changes: [
    ["  let total = 0;\n", "  /** Of four. */\n  let total = 1;\n"],
    ['  console.log("reported", value);\n', '  console.log( "reported", value * 2 )  // twice\n'],
    ["    loss += net.k ** 2;\n", "    loss += (\n      net.k ** 2\n    );\n"],
  ],
  differing: "`evaluate` differs from yours",
};

test.each([PYTHON, TYPESCRIPT])("$file", needs("python"), async (row) => {
  const { file, run, question, changes } = row;
  const asked = run.replace("@", question);
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

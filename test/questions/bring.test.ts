/**
 * A question uses the working tree's functions and classes in place of a version's own. The truth is the
 * run's program with those beside its own, under other names, and called by the question alone.
 */
import { expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { logged } from "../support/replay.ts";

type Files = { readonly [file: string]: string };

interface Row {
  readonly entry: string;
  readonly run: Files;
  /** The working tree. */
  readonly now: Files;
  readonly truth: Files;
  readonly bring: readonly string[];
  /** What the command is told besides; the name if it is not given. */
  readonly words?: readonly string[];
  /** What is said if nothing is brought. */
  readonly told: string;
  readonly check?: string;
}

const METRICS = `def half(value):
    return value / 2

def evaluate(net):
    total = 0.0
    for x in range(4):
        total += net.forward(x)
    return half(total)
`;
const YOURS = `def spread(net):
    return floor(net.k * 1000)

def evaluate(net):
    total = 1.0
    for x in range(5):
        total += net.forward(x) * spread(net)
    return half(total)
`;
const TRAIN = `import random
from metrics import evaluate

class Net:
    def __init__(self):
        self.k = 0.3
    def forward(self, x):
        return x * self.k

net = Net()
for epoch in range(3):
    for step in range(4):
        net.k -= 0.01 * net.forward(step) * random.random()
    print("own", evaluate(net))
`;
const HALF = METRICS.slice(0, METRICS.indexOf("def evaluate"));

const PYTHON: Row = {
  entry: "train.py",
  run: { "train.py": TRAIN, "metrics.py": METRICS },
  now: {
    "train.py": `${TRAIN}    acc = evaluate(net)\n    print("acc", acc)\n`,
    "metrics.py": `from math import floor\n${HALF}${YOURS}`,
  },
  truth: {
    "train.py": `${TRAIN.replace("import evaluate", "import evaluate, mine")}    acc = mine(net)\n    print("acc", acc)\n`,
    "metrics.py": `from math import floor\n${METRICS}${YOURS.replace("def evaluate", "def mine")}`,
  },
  bring: ["evaluate"],
  told: "`--bring evaluate` uses yours",
};

/** What differs is called by a function that does not; asked at a line of the command's own. */
const THROUGH: Row = {
  entry: "train.py",
  run: PYTHON.run,
  now: { "metrics.py": METRICS.replace("value / 2", "value / 3") },
  truth: {
    "train.py": TRAIN.replace("import evaluate", "import evaluate, mine").replace(
      '    print("own"',
      '    print("acc", mine(net))\n    print("own"',
    ),
    "metrics.py": `${METRICS}${METRICS.replaceAll("half", "third").replace("/ 2", "/ 3").replace("evaluate", "mine")}`,
  },
  bring: ["evaluate", "half"],
  words: ["--at", "train.py:14", "acc = evaluate(net)"],
  told: "`--bring evaluate --bring half` uses yours",
  check: "unchecked",
};

const SCRIPT = `class Meter {
  total = 0;
  add(x: number): void { this.total += x; }
}
const evaluate = (net: { k: number }): number => net.k * 2;
const model = { k: 0.3 };
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 4; step++) {
    model.k -= 0.01 * model.k * step * Math.random();
  }
  console.log("own", evaluate(model));
@
}
`;
const question = (net: string, own: readonly [string, string]): string =>
  `  const meter = new ${own[0]}();
  for (const x of [1, 2]) meter.add(${own[1]}(${net}) * x);
  console.log("acc", meter.total);`;
const METER = `class Mine {
  total = 1;
  add(x: number): void { this.total += x * x; }
}
const mine = (net: { k: number }): number => net.k * 3;
`;

/** In a version that calls things otherwise, and has the name that what is brought would get. */
const TYPESCRIPT: Row = {
  entry: "train.ts",
  run: {
    "train.ts": `const evaluate_yours = 7;\n${SCRIPT.replace("@\n", "")}console.log(evaluate_yours);\n`,
  },
  now: {
    "train.ts": SCRIPT.replaceAll("model", "net")
      .replace("total = 0", "total = 1")
      .replace("+= x;", "+= x * x;")
      .replace("net.k * 2", "net.k * 3")
      .replace("@", question("net", ["Meter", "evaluate"])),
  },
  truth: { "train.ts": METER + SCRIPT.replace("@", question("model", ["Mine", "mine"])) },
  bring: ["evaluate", "Meter"],
  told: "differ from yours",
};

test.each(Object.entries({ PYTHON, THROUGH, TYPESCRIPT }))(
  "%s",
  needs("python"),
  async (_, row) => {
    const { entry, words = ["acc"], check: mark = "verified" } = row;
    using truth = await record(row.truth, entry, "all");
    using project = await record(row.run, entry, "all");
    edit(project, row.now);
    const plain = await project.afterlog("plan", ...words);
    expect(plain.stdout + plain.stderr).toContain(row.told);
    const bring = row.bring.flatMap((name) => ["--bring", name]);
    const { code, stdout, stderr, cells } = await ask(project, ["acc"], {
      words: [...words, ...bring],
    });
    expect(code, stderr + stdout).toBe(0);
    const own = logged(truth.records).filter(({ name }) => name === "acc");
    expect(own).toHaveLength(3);
    expect(cells.map(({ path, value, check }) => [path, Number(value), check])).toEqual(
      own.map(({ path, value }) => [path, value, mark]),
    );
  },
);

/** A helper of what is brought, which that version calls otherwise, and has with another body. */
const RENAMED = {
  run: `def spread(k):
    return k + 1

def evaluate(k):
    return spread(k)

k = 1
for epoch in range(2):
    k *= 2
    print("own", evaluate(k))
`,
  now: `def wide(k):
    return k + 2

def evaluate(k):
    return wide(k) / 2

k = 1
for epoch in range(2):
    k *= 2
    print("own", evaluate(k))
    print("acc", evaluate(k))
`,
};

test("what is brought calls the version's own, which is said", needs("python"), async () => {
  using project = await record({ "train.py": RENAMED.run }, "train.py", "all");
  edit(project, { "train.py": RENAMED.now });
  const half = await project.afterlog("where", "acc", "--bring", "evaluate");
  expect(half.stdout).toContain("wide → spread");
  expect(half.stdout).toContain("`wide` differs from yours");
  const { cells } = await ask(project, ["acc"], {
    words: ["acc", "--bring", "evaluate", "--bring", "wide"],
  });
  expect(cells.map(({ value, check }) => [Number(value), check])).toEqual([
    [2, "verified"],
    [3, "verified"],
  ]);
});

test("what is asked as it was is another question", needs("python"), async () => {
  using project = await record(PYTHON.run, "train.py", "all");
  edit(project, PYTHON.now);
  const [brought] = (await ask(project, ["acc"], { words: ["acc", "--bring", "evaluate"] })).cells;
  const again = await ask(project, ["acc"], { words: ["acc", "--bring", "evaluate"] });
  expect(again.stderr).toContain("nothing to do");
  expect((await ask(project, ["acc"])).code).toBe(0);
  const frame = await project.afterlog("frame", "acc");
  expect(frame.stdout).toContain("hindsight:verified");
  expect(frame.stdout).not.toContain(brought?.value);
  const refused = await project.afterlog("plan", "own", "--bring", "evaluate");
  expect(refused.stderr).toContain("AL025");
  const same = await project.afterlog("where", "acc", "--bring", "Net");
  expect(same.stderr).toContain("what is asked does not call `Net`");
});

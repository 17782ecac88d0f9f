/**
 * What packages and settings of Python keep between two calls: the run looks at it around its
 * outermost loops, and what is asked is what the edited program logs from the start.
 */
import { expect, test } from "vitest";
import { ask, costOf } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS } from "../support/python.ts";

const PACKAGE = `import functools
import itertools
_ids = itertools.count(1)
table = {}
def next_id():
    return next(_ids)
def remember(key):
    table[key] = table.get(key, 0) + 1
    return table[key]
def counting():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count
tick = counting()
class Box:
    made = 0
    def __init__(self):
        Box.made += 1
        self.number = Box.made
def mean(xs):
    return sum(xs) / len(xs)
@functools.lru_cache(None)
def square(x):
    return x * x
`;

interface Row {
  readonly step: string;
  readonly before?: string;
  /** Whose state is found to change; absent: nothing's, and the loops are skipped. */
  readonly found?: string;
}

const ROWS: { readonly [what: string]: Row } = {
  "functions that keep nothing": { step: "v = keeping.mean([w, keeping.square(step)])" },
  "functions that count": {
    step: "v = keeping.next_id() + keeping.remember('a') + keeping.tick() + keeping.Box().number",
    found: "keeping",
  },
  "the context of decimals": {
    before: "import decimal",
    step: "decimal.getcontext().prec = 3 + epoch + step\n        v = decimal.Decimal(1) / 7",
    found: "decimal",
  },
};

function programOf({ before = "", step }: Row, asked: boolean): string {
  const ask = (text: string): string => (asked ? text : "pass");
  return `import sys
import time
sys.path.append("site-packages")
import keeping
${before}
w = 1.0
v = 0
for epoch in range(4):
    for step in range(6):
        ${step}
        w = w * 0.9 + 0.01 * step
        time.sleep(0.002)
        ${ask('print("inner", float(v))')}
    print("w", w)
    ${ask('print("outer", float(v) + float(1 / w))')}
`;
}

const QUESTIONS = [
  { name: "inner", where: "epoch = 2 and step > 3", logged: [16, 17] },
  { name: "outer", logged: [0, 1, 2, 3] },
];

const files = { ".gitignore": "site-packages\n", "site-packages/keeping.py": PACKAGE };
const command = INTERPRETERS[0] ?? "python3";
const run = ["run", "--python", command, "--overhead", "inf", "train.py"];

test.each(Object.entries(ROWS))("%s", { timeout: 300_000 }, async (_, row) => {
  using project = new TestProject({ "train.py": programOf(row, false), ...files });
  const recorded = await project.afterlog(...run);
  expect(recorded.code, recorded.stderr).toBe(0);
  const found = project.manifest.audit?.map(({ name }) => name) ?? [];
  expect(found).toEqual(row.found === undefined ? [] : [`the state of ${row.found}`]);
  using other = new TestProject({ "train.py": programOf(row, true), ...files });
  const truth = await other.afterlog(...run);
  project.write("train.py", programOf(row, true));
  for (const { name, where, logged } of QUESTIONS) {
    const answer = await ask(project, [name], { where });
    const all = new RegExp(`^${name} (.+)$`, "gm");
    const values = [...truth.stdout.matchAll(all)].map(([, value]) => Number(value));
    const cells = answer.cells.map(({ value }) => Number(value));
    expect(cells, name).toEqual(logged.map((at) => values[at]));
    // Of 24.
    if (row.found === undefined) expect(costOf(answer).iterations).toBeLessThan(12);
  }
});

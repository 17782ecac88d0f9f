/**
 * Values behind the loops, where nothing that the run logged is met on the way. They are `restored`
 * where the source proves that they come from the restored state and from code that can only compute,
 * and then equal what the program with the statements in it logs; else they are `unchecked`.
 */
import { describe, expect, test } from "vitest";
import { ask, costOf, edit, record } from "../support/ask.ts";

interface Case {
  readonly entry: string;
  /** Lines that end in `added` are not in what is recorded. */
  readonly text: string;
  readonly marks: { readonly [name: string]: "restored" | "unchecked" };
}

const ADDED = /^.*(?:\/\/|#) added\n/gm;

const CASES: { readonly [name: string]: Case } = {
  "Python that knows nothing of Afterlog": {
    entry: "train.py",
    text: `import math
import random
import time

began = time.time()
data = [random.random() for _ in range(4)]
scale = 3.0
w = 1.0
last = 0.0
seen = []
for epoch in range(4):
    for x in data:
        w = w * 0.9 + x * random.random()
    last = epoch * 2
    seen.append(w)
    print("loss", w)
best = sorted(seen)  # added
best.reverse()  # added
print("best", best[0] * scale)  # added
print("last", last)  # added
print("drawn", random.random() + math.fsum(data))  # added
print("clock", w + 0 * (time.time() - began))  # added
print("file", len(open(__file__).read()) * 0 + w)  # added
`,
    marks: {
      best: "restored",
      last: "restored",
      drawn: "restored",
      clock: "unchecked",
      file: "unchecked",
    },
  },
  "JavaScript that knows nothing of Afterlog": {
    entry: "train.js",
    text: `const began = performance.now();
const data = Array.from({ length: 4 }, () => Math.random());
class Net {
  constructor(w) { this.w = w; }
  forward(x) { return this.w * x; }
}
const net = new Net(1);
const seen = [];
let last = 0;
for (let epoch = 0; epoch < 4; epoch++) {
  for (const x of data) net.w = net.w * 0.9 + x * Math.random();
  last = epoch * 2;
  seen.push(net.w);
  console.log("loss", net.w);
}
const best = [...seen]; // added
best.sort((a, b) => b - a); // added
console.log("best", best[0] * data[1]); // added
console.log("last", last); // added
console.log("drawn", Math.random() + net.forward(data.length)); // added
console.log("clock", net.w + 0 * (performance.now() - began)); // added
console.log("node", net.w + 0 * process.argv.length); // added
`,
    marks: {
      best: "restored",
      last: "restored",
      drawn: "restored",
      clock: "unchecked",
      node: "unchecked",
    },
  },
  "TypeScript with the SDK, in a function": {
    entry: "train.ts",
    text: `import * as al from "afterlog";
import { hostname } from "node:os";
function train(steps: number): void {
  let w = 1;
  for (const step of al.loop("step", al.range(steps))) {
    w = w * 0.9 + 0.01 * step;
    al.log("loss", w);
  }
  al.log("end", w * 2); // added
  al.log("host", w + 0 * hostname().length); // added
}
train(6);
`,
    marks: { end: "restored", host: "unchecked" },
  },
  "Python with the SDK, in functions": {
    entry: "train.py",
    text: `import os

import afterlog as al


class Net:
    def __init__(self, w):
        self.w = w

    def forward(self, x):
        return self.w * x


def train(net, steps):
    for step in al.loop("step", range(steps)):
        net.w = net.w * 0.9 + 0.01 * step
        al.log("loss", net.w)
    al.log("end", net.forward(2.0))  # added
    al.log("home", net.w + len(os.environ) * 0)  # added


train(Net(1.0), 6)
`,
    marks: { end: "restored", home: "unchecked" },
  },
};

describe("values that follow from restored state", () => {
  test.each(Object.entries(CASES))("%s", { timeout: 120_000 }, async (_, given) => {
    const { entry, text, marks } = given;
    const names = Object.keys(marks);
    using project = await record({ [entry]: text.replaceAll(ADDED, "") }, entry, "all");
    edit(project, { [entry]: text });
    const answer = await ask(project, names);
    const found = answer.cells.map(({ name, check }) => [name, check]);
    expect(Object.fromEntries(found), answer.stdout + answer.stderr).toEqual(marks);
    expect(costOf(answer)).toMatchObject({ scan: "suffix", share: 0 });
    const { stdout } = await project.afterlog("why", "@", names[0] ?? "");
    expect(stdout).toMatch(/restored: it is computed from restored state alone/);

    using truth = await record({ [entry]: text }, entry, "all");
    for (const { name, value } of answer.cells) {
      expect([name, JSON.parse(value)]).toEqual([name, truth.logged(name)[0]]);
    }
  });
});

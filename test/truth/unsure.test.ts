/**
 * Values of which nobody can say that they are those of the run, however many others are equal: they
 * come from a clock, from entropy, from an id, from a package that may keep a state, or a part of the
 * edit that asks for them stays behind. They are `unchecked`, `why` says why, and their neighbours
 * keep their marks.
 */
import { describe, expect, test } from "vitest";
import type { Answer } from "../support/ask.ts";
import { ask, edit, record } from "../support/ask.ts";

interface Case {
  readonly entry: string;
  /** Lines that end in `added` are not in what is recorded. */
  readonly files: { readonly [name: string]: string };
  /** Other differences between what is recorded and what is asked with. */
  readonly then?: (text: string) => string;
  /** The mark of each name, and what `why` says of those that are `unchecked`. */
  readonly names: { readonly [name: string]: "verified" | RegExp };
}

const ADDED = /^.*(?:\/\/|#) added\n/gm;

const CASES: { readonly [name: string]: Case } = {
  "TypeScript with the SDK": {
    entry: "train.ts",
    files: {
      "clock.ts": "export const elapsed = (since: number) => performance.now() - since;\n",
      "train.ts": `import * as al from "afterlog";
import { randomInt as draw } from "node:crypto";
import { elapsed } from "./clock.ts";
class Timer {
  #began = 0;
  start() { this.#began = performance.now(); }
  stop() { return elapsed(this.#began); }
}
let w = 1;
const history: number[] = [];
for (const epoch of al.loop("epoch", al.range(3))) {
  const timer = new Timer();
  timer.start();
  for (const step of al.loop("step", al.range(4))) {
    w = w * 0.9 + 0.01 * step;
    al.log("loss", w);
  }
  history.push(w);
  const took = timer.stop();
  if (took > 600_000) console.error("slow");
  al.log("mean", history.reduce((a, b) => a + b, 0) / history.length); // added
  al.log("drawn", Math.random()); // added
  al.log("took", took); // added
  al.log("slow", took > 600_000 ? w : w + 1); // added
  al.log("crypto", draw(1000)); // added
  al.log("pid", [process.pid]); // added
  al.log("day", new Date().getDate()); // added
  al.log("fixed", new Date(2026, 1).getDate()); // added
  al.log("loss", w);
}
al.log("end", w + 1); // added
`,
    },
    names: {
      mean: "verified",
      drawn: "verified",
      fixed: "verified",
      end: "verified",
      took: "verified",
      slow: "verified",
      crypto: /it depends on draw\(\) at train\.ts:25/,
      pid: /it depends on process\.pid at train\.ts:26/,
      day: /it depends on new Date\(\) at train\.ts:27/,
    },
  },
  "JavaScript that knows nothing of Afterlog": {
    entry: "train.js",
    files: {
      "node_modules/lodash/index.js":
        "let last = 0;\nexports.uniqueId = () => String(++last);\nexports.sum = (list) => list.reduce((a, b) => a + b, 0);\n",
      "node_modules/lodash/package.json": '{ "name": "lodash", "version": "4.17.21" }',
      ".gitignore": "node_modules\n",
      "train.js": `const _ = require("lodash");
const { randomUUID } = require("node:crypto");
let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 50; step++) {
    const key = Number(_.uniqueId());
    let z = 0;
    for (let q = 0; q < 20000; q++) z += Math.sqrt(q);
    w = w * 0.99 + z * 1e-12;
    if (step === 40) console.log("key", key); // added
    if (step === 40) console.log("part", w / 2); // added
  }
  console.log("w", w);
  console.log("id", parseInt(randomUUID(), 16)); // added
  console.log("stamp", Date.now()); // added
  console.log("twice", w * 2); // added
}
`,
    },
    names: {
      key: "verified",
      part: "verified",
      id: /it depends on randomUUID\(\) at train\.js:1\d/,
      stamp: /it depends on Date\.now\(\) at train\.js:1\d/,
      twice: "verified",
    },
  },
  "Python with the SDK": {
    entry: "train.py",
    files: {
      "clock.py": "import time\n\n\ndef elapsed(since):\n    return time.monotonic() - since\n",
      "train.py": `import os
import random
import uuid
from time import monotonic as now

import afterlog as al
from clock import elapsed


def train():
    w = 1.0
    history = []
    for epoch in al.loop("epoch", range(3)):
        for step in al.loop("step", range(4)):
            w = w * 0.9 + 0.01 * step
            al.log("loss", w)
        history.append(w)
        al.log("mean", sum(history) / len(history))  # added
        al.log("drawn", random.random())  # added
        al.log("took", elapsed(now()))  # added
        al.log("entropy", os.urandom(1)[0])  # added
        al.log("uid", uuid.uuid4().int % 1000)  # added
        al.log("address", id(history) % 1000)  # added
        al.log("pid", os.getpid())  # added
        al.log("loss", w)


train()
`,
    },
    names: {
      mean: "verified",
      drawn: "verified",
      took: /it depends on time\.monotonic(?:\(\))? at (?:clock\.py:5|train\.py:20)/,
      entropy: /it depends on os\.urandom\(\) at train\.py:21/,
      uid: /it depends on uuid\.uuid4\(\) at train\.py:22/,
      address: /it depends on id\(\) at train\.py:23/,
      pid: /it depends on os\.getpid\(\) at train\.py:24/,
    },
  },
  "Python that knows nothing of Afterlog": {
    entry: "train.py",
    files: {
      "train.py": `import secrets
import time
from datetime import datetime


class Meter:
    def __init__(self):
        self.began = time.time()
        self.total = 0.0

    def add(self, value):
        self.total += value

    def rate(self):
        return self.total / (time.time() - self.began)


def train():
    w = 1.0
    for epoch in range(3):
        meter = Meter()
        for step in range(50):
            w = w * 0.99 + 0.001 * step
            meter.add(w)
        print("loss", w)
        print("total", meter.total)  # added
        print("speed", meter.rate())  # added
        print("token", secrets.randbelow(1000))  # added
        print("stamp", datetime.now().year)  # added
        print("twice", w * 2)  # added


train()
`,
    },
    names: {
      total: "verified",
      twice: "verified",
      speed: /it depends on time\.time\(\) at train\.py:(?:8|15)/,
      token: /it depends on secrets\.randbelow\(\) at train\.py:28/,
      stamp: /it depends on datetime\.datetime\.now\(\) at train\.py:29/,
    },
  },
  "sets of objects, Python": {
    entry: "train.py",
    files: {
      "train.py": `class Node:
    def __init__(self, x, before=()):
        self.x = x
        self.before = set(before)

    def depth(self):
        found = 0
        for one in self.before:
            found = found * 0.5 + one.x
        return found


w = 1.0
names = {"a", "b", "c"}
nodes = set()
seen = []
for epoch in range(4):
    for step in range(5):
        w = w * 0.9 + 0.01 * step
        nodes.add(Node(w))
    last = Node(w, nodes)
    print("loss", w)
    print("size", len(nodes) + (last in nodes))  # added
    print("largest", sorted(one.x for one in [last, *seen])[-1])  # added
    print("name", "".join(names))  # added
    total = 0.0  # added
    for one in nodes:  # added
        total = total * 0.5 + one.x  # added
    print("total", total)  # added
    print("first", list(nodes)[0].x)  # added
    print("depth", last.depth())  # added
    seen.append(last)
`,
    },
    names: {
      total:
        /it depends on the order of the set `nodes` at train\.py:27, whose elements are hashed/,
      first: /it depends on the order of the set `nodes` at train\.py:30/,
      depth: /it depends on the order of the set `self\.before` at train\.py:8/,
      size: "verified",
      largest: "verified",
      name: "verified",
    },
  },
  "an edit of TypeScript, asked of another version": {
    entry: "train.ts",
    then: (text) => text.replaceAll("net", "model").replace("0.9;", "0.8;"),
    files: {
      "train.ts": `import { exp } from "./exp.ts";
class Net {
  w = 1;
  training = true;
  forward(x: number) { return exp(this.w * x) * (this.training ? 0.5 : 1); }
}
const net = new Net();
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 50; step++) net.w = net.w * 0.99 + 0.001 * step;
  console.log("loss", net.w);
  net.training = false; // added
  console.log("check", net.forward(2)); // added
  net.training = true; // added
}
`,
      "exp.ts": "export const exp = (x: number) => Math.exp(x);\n",
    },
    // What was added with it comes along.
    names: { check: "verified" },
  },
  "a clock in the state and in what is printed, JavaScript": {
    entry: "train.js",
    files: {
      "train.js": `let w = 1, last = Date.now(), rate = -1;
const run = { at: Date.now(), best: 0, seen: [] };
class Meter {
  #began = performance.now();
  steps = 0;
  tick() { this.steps += 1; this.rate = this.steps / (performance.now() - this.#began); }
}
const meter = new Meter();
for (let epoch = 0; epoch < 4; epoch++) {
  for (let step = 0; step < 3; step++) {
    w = w * 0.9 + 0.01 * step;
    meter.tick();
    console.log("doubled", w * 2); // added
  }
  const now = performance.now();
  rate = rate < 0 ? now - last : 0.9 * rate + 0.1 * (now - last);
  last = now;
  run.at = Date.now();
  run.best = Math.max(run.best, w);
  run.seen.push(w);
  console.log("tripled", w * 3, "speed", meter.rate); // added
  console.log("counted", meter.steps + run.seen.length + run.best); // added
  console.log("first", w, "kept", JSON.stringify(run).length); // added
  console.log(\`w \${w} (\${(100 / rate).toFixed(1)} steps/s), mfu \${rate}%\`);
}
console.log("end", w + run.best); // added
console.log("left", last); // added
`,
    },
    names: {
      doubled: "verified",
      tripled: "verified",
      counted: "verified",
      first: "verified",
      end: "verified",
      speed: "verified",
      left: "verified",
    },
  },
  "a clock in what is declared, TypeScript": {
    entry: "train.ts",
    files: {
      "train.ts": `import * as al from "afterlog";
const state = al.checkpointing({ w: 1, began: Date.now() });
for (const epoch of al.loop("epoch", al.range(4))) {
  state.w = state.w * 0.9 + epoch;
  state.began = Date.now();
  al.log("took", Date.now() - state.began);
  al.log("doubled", state.w * 2); // added
  al.log("since", state.began); // added
}
al.log("end", state.w); // added
`,
    },
    names: {
      doubled: "verified",
      end: "verified",
      since: "verified",
    },
  },
  "a clock in the state and in what is printed, Python": {
    entry: "train.py",
    files: {
      "train.py": `import time
w = 0.0
t0 = time.time()
rate = -1.0
class Meter:
    def __init__(self):
        self.began = time.time()
        self.steps = 0
    def tick(self):
        self.steps += 1
        self.rate = self.steps / (time.time() - self.began + 1e-9)
meter = Meter()
stamps = {}
for epoch in range(4):
    for step in range(3):
        w += 0.5
        meter.tick()
        print("doubled", w * 2) # added
    t1 = time.time()
    dt = t1 - t0 + 1e-9
    t0 = t1
    stamps[epoch] = t1
    rate = 1 / dt if rate < 0 else 0.9 * rate + 0.1 / dt
    print("tripled", w * 3, "speed", meter.rate) # added
    print("counted", meter.steps) # added
    print(f"epoch {epoch} w {w}, mfu {rate:.2f}%")
print("end", w + meter.steps) # added
print("left", rate) # added
`,
    },
    names: {
      doubled: "verified",
      tripled: "verified",
      counted: "verified",
      end: "verified",
      speed: "verified",
      left: "verified",
    },
  },
};

/** Why a name is not promised, as the plan says it. */
function reasonsOf({ plan }: Answer, name: string): string {
  const statements = (plan?.landings ?? []).flatMap((landing) => landing.statements);
  const own = statements.filter((one) => one.name === name);
  const reasons = own.flatMap(({ unsure = [], calls = [] }) => [
    ...unsure,
    ...calls.map(({ words }) => `it depends on ${words}`),
  ]);
  return reasons.join("\n");
}

describe("values that a replay cannot promise are unchecked", () => {
  test.each(Object.entries(CASES))("%s", { timeout: 120_000 }, async (_, given) => {
    const { entry, files, names, then = (text: string) => text } = given;
    const text = files[entry] ?? "";
    const recorded = { ...files, [entry]: text.replaceAll(ADDED, "") };
    using project = await record(recorded, entry, "all");
    edit(project, { [entry]: then(text) });
    const answer = await ask(project, Object.keys(names));
    const marks = new Map<string, Set<string | null>>();
    for (const { name, check } of answer.cells) {
      marks.set(name, (marks.get(name) ?? new Set()).add(check));
    }
    const wanted = Object.entries(names).map(([name, mark]) => {
      return [name, [mark === "verified" ? mark : "unchecked"]];
    });
    const found = Object.keys(names).map((name) => [name, [...(marks.get(name) ?? [])]]);
    expect(Object.fromEntries(found), answer.stdout + answer.stderr).toEqual(
      Object.fromEntries(wanted),
    );
    const unsure = Object.entries(names).flatMap(([name, mark]) => {
      return mark === "verified" ? [] : [{ name, mark }];
    });
    for (const { name, mark } of unsure) expect(reasonsOf(answer, name)).toMatch(mark);
    const [first] = unsure;
    if (!first) return;
    const { stdout } = await project.afterlog("why", "@", first.name);
    expect(stdout).toMatch(first.mark);
  });
});

/** @file Programs that ask clocks, entropy and the like, and write down themselves what they got. */
interface Case {
  readonly entry: string;
  /** Lines that end in `added` are not in what is recorded. */
  readonly files: { readonly [name: string]: string };
  readonly where?: string;
  /** The mark of each name; else why it is `unchecked`. */
  readonly names: { readonly [name: string]: "verified" | RegExp };
}

/** Lines that are not in what is recorded. */
export const ADDED = /^.*(?:\/\/|#) added\n/gm;

const OWN: { readonly [name: string]: Case } = {
  "by place, loop and number, JavaScript": {
    entry: "train.js",
    where: "epoch in (2, 4)",
    files: {
      "train.js": `const crypto = require("node:crypto");
const { writeFileSync } = require("node:fs");
const truth = { r: [], t: [], both: [], after: [], waited: [], bytes: [], day: [] };
const stamp = () => performance.now() + crypto.randomInt(1000);
let w = 1;
const began = Date.now();
for (let epoch = 0; epoch < 5; epoch++) {
  const before = stamp();
  for (let step = 0; step < 20; step++) {
    const r = crypto.randomInt(1000000);
    const t = Date.now() - began;
    let z = 0;
    for (let q = 0; q < 20000; q++) z += Math.sqrt(q);
    w = w * 0.99 + z * 1e-12 + r * 1e-12;
    truth.r.push([epoch, r]);
    truth.t.push([epoch, t]);
    console.log("r", r); // added
    console.log("t", t); // added
  }
  const between = stamp();
  const both = [1, 2].map(stamp);
  truth.both.push([epoch, both[0] * both[1] + before - between]);
  console.log("both", both[0] * both[1] + before - between); // added
  let waited = 0;
  for (const from = Date.now(); Date.now() - from < 3;) waited += 1;
  truth.waited.push([epoch, waited]);
  console.log("waited", waited); // added
  const buffer = crypto.getRandomValues(new Uint8Array(8));
  truth.bytes.push([epoch, buffer[0] * 256 + crypto.randomBytes(2)[1]]);
  console.log("bytes", truth.bytes.at(-1)[1]); // added
  truth.day.push([epoch, new Date().getMilliseconds()]);
  console.log("day", truth.day.at(-1)[1]); // added
  const after = stamp();
  truth.after.push([epoch, after]);
  console.log("after", after); // added
  console.log("w", w);
}
writeFileSync("truth.json", JSON.stringify(truth));
`,
    },
    names: {
      r: "verified",
      t: "verified",
      both: "verified",
      waited: "verified",
      bytes: "verified",
      day: "verified",
      after: "verified",
    },
  },
  "not what is asked itself, nor what is not recorded, TypeScript": {
    entry: "train.ts",
    files: {
      "clock.ts": `export const elapsed = (since: number): number => performance.now() - since;
export async function slow(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now();
}
export function* ticks(): Generator<number> {
  for (let n = 0; n < 3; n++) yield n + process.uptime();
}
`,
      "train.ts": `import * as al from "afterlog";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { elapsed, slow, ticks } from "./clock.ts";
const truth: { [name: string]: number[][] } = { took: [], tick: [] };
let w = 1;
for (const epoch of al.loop("epoch", al.range(3))) {
  const began = performance.now();
  for (const step of al.loop("step", al.range(4))) {
    w = w * 0.9 + 0.01 * step;
    al.log("loss", w);
  }
  const took = elapsed(began);
  truth.took.push([epoch, took]);
  al.log("took", took); // added
  al.log("asked", elapsed(began)); // added
  const [a] = await Promise.all([slow(), slow()]);
  al.log("beside", a); // added
  const large = cpus().concat(cpus(), cpus(), cpus(), cpus()).length > 0 ? cpus() : [];
  al.log("large", large.length); // added
  for (const tick of ticks()) truth.tick.push([epoch, tick]);
  al.log("tick", truth.tick.at(-1)![1]!); // added
  al.log("loss", w);
}
truth.tick = truth.tick.filter((_, at) => at % 3 === 2);
writeFileSync("truth.json", JSON.stringify(truth));
`,
    },
    names: {
      took: /it depends on performance\.now\(\) at clock\.ts:1: what is asked makes the call/,
      asked: /it depends on performance\.now\(\) at clock\.ts:1: what is asked makes the call/,
      beside: /it depends on performance\.now\(\) at clock\.ts:4/,
      tick: "verified",
    },
  },
  "not of a clock that is asked too often, JavaScript": {
    entry: "train.js",
    files: {
      "train.js": `const { randomInt } = require("node:crypto");
const { writeFileSync } = require("node:fs");
const truth = { drawn: [], odd: [] };
let odd = 0, w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  const began = Date.now();
  const drawn = randomInt(1000);
  for (let n = 0; n < 50000; n++) odd += performance.now() % 2 < 1 ? 1 : 0;
  w = w * 0.9 + 0.1;
  truth.drawn.push([epoch, drawn]);
  truth.odd.push([epoch, odd]);
  console.log("odd", odd); // added
  console.log("began", began); // added
  console.log("drawn", drawn); // added
  console.log("w", w);
}
writeFileSync("truth.json", JSON.stringify(truth));
`,
    },
    names: {
      // The loop that asks for it is skipped.
      odd: "verified",
      began: /Date\.now\(\) at train\.js:6: the run has not recorded all results of its clocks/,
      drawn: "verified",
    },
  },
  "by place, loop and number, Python": {
    entry: "train.py",
    where: "epoch in (2, 4)",
    files: {
      "train.py": `import json
import os
import random
import secrets
import time
import uuid
from datetime import datetime, timezone
names = "r t both waited bytes day listed scaled age tick drawn zone"
truth = {name: [] for name in names.split()}
now = time.time
entropy = random.SystemRandom()


def stamp():
    return time.perf_counter() + secrets.randbelow(1000)


def timed(function):
    made = time.monotonic()

    def inner(*given):
        return function(*given) + made - time.monotonic()

    return inner


@timed
def scaled(x, since=time.time()):
    return x * since


class Clock:
    started = time.time_ns()

    @property
    def age(self):
        return time.time_ns() - self.started


def ticks():
    for n in range(3):
        yield n + time.process_time()


w = 1.0
began = now()
for epoch in range(5):
    before = stamp()
    for step in range(20):
        r = int.from_bytes(os.urandom(3), "little")
        t = now() - began
        for q in range(300):
            w = w * 0.9999 + 1e-5
        w += r * 1e-12
        truth["r"].append([epoch, r])
        truth["t"].append([epoch, t])
        print("r", r)  # added
        print("t", t)  # added
    both = list(map(lambda n: n * stamp(), [1, 2]))
    truth["both"].append([epoch, both[0] * both[1] + before - stamp()])
    print("both", truth["both"][-1][1])  # added
    waited = 0
    until = time.monotonic() + 0.003
    while time.monotonic() < until:
        waited += 1
    truth["waited"].append([epoch, waited])
    print("waited", waited)  # added
    truth["bytes"].append([epoch, secrets.token_bytes(8)[3]])
    print("bytes", truth["bytes"][-1][1])  # added
    truth["day"].append([epoch, datetime.now().microsecond])
    print("day", truth["day"][-1][1])  # added
    truth["zone"].append([epoch, (datetime.now(timezone.utc).timestamp() % 1) + time.localtime().tm_sec])
    print("zone", truth["zone"][-1][1])  # added
    truth["listed"].append([epoch, sum([time.time_ns() % 1000 for _ in range(5)])])
    print("listed", truth["listed"][-1][1])  # added
    truth["scaled"].append([epoch, scaled(epoch)])
    print("scaled", truth["scaled"][-1][1])  # added
    truth["age"].append([epoch, Clock().age])
    print("age", truth["age"][-1][1])  # added
    for tick in ticks():
        latest = tick
    truth["tick"].append([epoch, latest])
    print("tick", latest)  # added
    truth["drawn"].append([epoch, entropy.randint(1, 10**9) + uuid.uuid4().int % 1000])
    print("drawn", truth["drawn"][-1][1])  # added
    print("w", w)
with open("truth.json", "w") as stream:
    json.dump(truth, stream)
`,
    },
    names: {
      r: "verified",
      t: "verified",
      both: "verified",
      waited: "verified",
      bytes: "verified",
      day: "verified",
      zone: "verified",
      listed: "verified",
      scaled: "verified",
      age: "verified",
      tick: "verified",
      drawn: "verified",
    },
  },
  "not what is asked itself, nor what is not recorded, Python": {
    entry: "train.py",
    files: {
      "clock.py": `import threading
import time


def elapsed(since):
    return time.perf_counter() - since


def beside(into):
    thread = threading.Thread(target=lambda: into.append(time.thread_time()))
    thread.start()
    thread.join()
    return into[-1]
`,
      "train.py": `import gc
import json
import os
import random
import time
import afterlog as al
from clock import beside, elapsed
truth = {"steps": [], "whole": []}
w = 1.0
numbers = [1, 2, 3, 4, 5, 6, 7, 8]
for epoch in al.loop("epoch", range(3)):
    began = time.process_time_ns()
    for step in al.loop("step", range(4)):
        w = w * 0.9 + 0.01 * step
        al.log("loss", w)
    truth["steps"].append([epoch, os.times().user + began])
    al.log("steps", truth["steps"][-1][1])  # added
    took = elapsed(0)
    al.log("took", took)  # added
    al.log("asked", elapsed(0))  # added
    al.log("own", time.time_ns())  # added
    al.log("thread", beside([]))  # added
    al.log("pid", os.getpid())  # added
    al.log("large", len(os.urandom(5000)))  # added
    large = os.urandom(5000)
    al.log("first", large[0])  # added
    al.log("alive", len(gc.get_objects()))  # added
    random.SystemRandom().shuffle(numbers)
    al.log("shuffled", numbers[0])  # added
    al.log("loss", w)
whole = time.process_time_ns() - began
truth["whole"].append([0, whole])
al.log("whole", whole)  # added
with open("truth.json", "w") as stream:
    json.dump(truth, stream)
`,
    },
    names: {
      steps: "verified",
      whole: "verified",
      took: /it depends on time\.perf_counter\(\) at clock\.py:6: what is asked makes the call/,
      asked: /it depends on time\.perf_counter\(\) at clock\.py:6: what is asked makes the call/,
      own: /time\.time_ns\(\) at train\.py:21: what is asked makes the call/,
      thread: /time\.thread_time\(\) at clock\.py:10/,
      pid: /it depends on os\.getpid\(\) at train\.py:23/,
      first: /os\.urandom\(\) at train\.py:25: the run has not recorded all of its results/,
      alive: /gc\.get_objects\(\) at train\.py:27/,
      shuffled: /random\.SystemRandom/,
    },
  },
  "not of a clock that is asked too often, Python": {
    entry: "train.py",
    files: {
      "train.py": `import json
import secrets
import time
truth = {"drawn": []}
odd, w = 0, 1.0
for epoch in range(3):
    began = time.time()
    drawn = secrets.randbelow(1000)
    odd += sum(time.perf_counter_ns() % 2 for _ in range(50000))
    w = w * 0.9 + 0.1
    truth["drawn"].append([epoch, drawn])
    print("odd", odd)  # added
    print("began", began)  # added
    print("drawn", drawn)  # added
    print("w", w)
with open("truth.json", "w") as stream:
    json.dump(truth, stream)
`,
    },
    names: {
      odd: /perf_counter_ns\(\) at train\.py:9: the run has not recorded all of its results/,
      began: /time\.time\(\) at train\.py:7: the run has not recorded all results of its clocks/,
      drawn: "verified",
    },
  },
};

/** A package that shows and keeps what its own clocks say. */
const PACKAGE = `import time
from time import perf_counter


class Trainer:
    own = perf_counter

    def __init__(self, now=time.time):
        self.began, self._time, self.now, self.marks = now(), perf_counter, now, []

    def evaluate(self, loss):
        self.marks.append((Trainer.own(), self.now()))
        found = {"eval_loss": loss, "eval_runtime": time.time() - self.began}
        print(found)
        print(f"rate {1 / self._time()}")
        return found


def elapsed():
    return time.monotonic()
`;

const PACKAGED: { readonly [name: string]: Case } = {
  "of a package, Python": {
    entry: "train.py",
    files: {
      "packages/trainer.py": PACKAGE,
      "train.py": `import json
import sys
sys.path.insert(0, "packages")
from trainer import Trainer, elapsed
truth = {name: [] for name in ("double", "ev", "et", "el")}
trainer, w = Trainer(), 1.0
for epoch in range(4):
    for step in range(5):
        w = w * 0.9 + 0.01 * step
        truth["double"].append([epoch, w * 2])
        print("double", w * 2)  # added
    found = trainer.evaluate(w)
    now = elapsed()
    truth["ev"].append([epoch, found["eval_loss"]])
    truth["et"].append([epoch, found["eval_runtime"]])
    truth["el"].append([epoch, now])
    print("ev", found["eval_loss"])  # added
    print("et", found["eval_runtime"])  # added
    print("el", now)  # added
    print("w", w)
with open("truth.json", "w") as stream:
    json.dump(truth, stream)
`,
    },
    names: { double: "verified", ev: "verified", et: "verified", el: "verified" },
  },
  "not of a package that is asked, Python": {
    entry: "train.py",
    files: {
      "packages/trainer.py": PACKAGE,
      "train.py": `import sys
sys.path.insert(0, "packages")
from trainer import elapsed
w = 1.0
for epoch in range(3):
    w = w * 0.9
    print("asked", elapsed())  # added
    print("w", w)
with open("truth.json", "w") as stream:
    stream.write("{}")
`,
    },
    names: { asked: /what is asked calls trainer, which asks a clock/ },
  },
};

/** A process that ends itself by a signal where a file is there, in its sixth epoch. */
export const KILLED: { readonly [entry: string]: string } = {
  "train.py": `import json
import os
import secrets
import signal
import time
began = time.time()
total = 0
for epoch in range(8):
    for step in range(5):
        total += secrets.randbelow(10**6)
        took = time.time() - began
        if os.path.exists("kill") and epoch == 5 and step == 3:
            os.unlink("kill")
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGKILL)
    with open("truth.jsonl", "a") as stream:
        stream.write(json.dumps([epoch, total + took]) + "\\n")
    print("sum", total + took)  # added
    print("total", total)
`,
  "train.js": `const { randomInt } = require("node:crypto");
const { appendFileSync, existsSync, unlinkSync } = require("node:fs");
const began = Date.now();
let total = 0, took = 0;
for (let epoch = 0; epoch < 8; epoch++) {
  for (let step = 0; step < 5; step++) {
    total += randomInt(1000000);
    took = Date.now() - began;
    if (existsSync("kill") && epoch === 5 && step === 3) {
      unlinkSync("kill");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      process.kill(process.pid, "SIGKILL");
    }
  }
  appendFileSync("truth.jsonl", JSON.stringify([epoch, total + took]) + "\\n");
  console.log("sum", total + took); // added
  console.log("total", total);
}
`,
};

export const CASES: { readonly [name: string]: Case } = { ...OWN, ...PACKAGED };

/**
 * @file Programs in which lines were changed to show more of the same (`test/questions/programs.ts` says
 * how they are marked).
 */
import type { EditedProgram } from "./programs.ts";

const PYTHON: EditedProgram = {
  file: "train.py",
  text: `
import random
from itertools import count #+
weights = [0.5, -0.25, 2.0]
class Batches:
    def __iter__(self):
        for _ in range(6):
            yield random.random(), random.random()
def model(x):
    return sum(w * x for w in weights) + 0.01 * random.random()
def cost(out, y):
    return (out - y) ** 2
def look(v, tag): #+
    print("ask_looked", v * tag) #+
    return v #+
def update(by, scale=1.0): #was: def update(by):
    largest = 0.0
    print("ask_scaled", by * scale) #+
    for k, w in enumerate(weights):
        weights[k] = w - 0.01 * by * w
        largest = max(largest, abs(weights[k]))
    return largest, by
def measure(rows):
    sums = [model(x) for x, _ in rows]
    most = max(sums) #+
    return sum(sums) / len(sums), most #was: return sum(sums) / len(sums)
def summary():
    return {"sum": sum(weights), "ask_returned": weights[0]} #was: return {"sum": sum(weights)}
data = [(random.random(), random.random()) for _ in range(7)]
for n, epoch in enumerate(range(6)): #was: for epoch in range(6):
    total = 0.0
    for i, (x, y) in enumerate(data): #was: for x, y in data:
        out = model(x) #+
        error = out - y #+
        print("ask_out", out) #+
        loss = cost(out, y) #was: loss = cost(model(x), y)
        total += look(loss, 0.5) #was: total += loss
        most = update(loss, scale=3.0) #was: update(loss)
        if i % 3 == 0: #+
            print("ask_some", loss) #+
        print("ask_most", most[0]) #+
        print("ask_error", error) #+
    for j, (a, b) in zip(count(), Batches()): #was: for a, b in Batches():
        largest, by = update(a - b) #was: _, by = update(a - b)
        total += by
        print("ask_largest", largest) #+
        print("ask_numbered", j * b) #+
    mean, top = measure(data) #was: mean = measure(data)
    print("total", total, "ask_more", total * 2) #was: print("total", total)
    print(f"mean {mean} ask_top {top}") #was: print(f"mean {mean}")
    print("ask_last", i + n) #+
    report = {"first": total, "ask_given": mean * 3} #was: report = {"first": total}
    report["ask_key"] = total * n #+
    report.update(ask_updated=top, ask_too=n) #+
    print(report)
    print("now", summary())
    print("ask_measured", top) #+
    print("ask_twice", n * 2) #+
for i in range(2):
    print("end", sum(weights) * i)
`,
};

const TYPESCRIPT: EditedProgram = {
  file: "train.ts",
  text: `
const weights = [0.5, -0.25, 2];
function model(x: number): number {
  return weights.reduce((sum, w) => sum + w * x, 0) + 0.01 * Math.random();
}
function cost(out: number, y: number): number {
  return (out - y) ** 2;
}
function look<T>(v: T, tag: string): T { //+
  console.log("ask_looked", v); //+
  return v; //+
} //+
function update(by: number, scale = 1): { largest: number; by: number } { //was: function update(by: number): { largest: number; by: number } {
  console.log("ask_scaled", by * scale); //+
  let largest = 0;
  for (const [k, w] of weights.entries()) {
    weights[k] = w - 0.01 * by * w;
    largest = Math.max(largest, Math.abs(weights[k]!));
  }
  return { largest, by };
}
function measure(rows: readonly (readonly number[])[]): number[] {
  const sums = rows.map(([x = 0]) => model(x));
  const most = Math.max(...sums); //+
  return [sums[0]!, sums.length, most]; //was: return [sums[0]!, sums.length];
}
function summary() {
  return { first: weights[0]!, ask_returned: weights[1]! }; //was: return { first: weights[0]! };
}
const epochs = [0, 1, 2, 3, 4, 5];
const data = Array.from({ length: 7 }, () => [Math.random(), Math.random()] as const);
for (const [n, epoch] of epochs.entries()) { //was: for (const epoch of epochs) {
  let total = epoch;
  for (const [i, [x, y]] of data.entries()) { //was: for (const [x, y] of data) {
    const out = model(x); //+
    const error = out - y; //+
    console.log("ask_out", out); //+
    const loss = cost(out, y); //was: const loss = cost(model(x), y);
    total += look(loss, "loss"); //was: total += loss;
    const most = update(loss, 3); //was: update(loss);
    if (i % 3 === 0) console.log("ask_some", loss); //+
    console.log("ask_most", most.largest); //+
    console.log("ask_error", error); //+
  }
  const [mean, length, top] = measure(data); //was: const [mean, length] = measure(data);
  console.log("total", total, "ask_more", total * 2); //was: console.log("total", total);
  console.log(\`mean \${mean} of \${length} ask_top \${top}\`); //was: console.log(\`mean \${mean} of \${length}\`);
  console.log("ask_measured", top); //+
  const report: Record<string, number> = { first: total, ask_given: mean! * 3 }; //was: const report: Record<string, number> = { first: total };
  report.ask_key = total * n; //+
  report["ask_item"] = total; //+
  console.log(report);
  console.log("now", summary());
  console.log("ask_twice", n * 2); //+
}
console.log("end", weights[0]);
`,
};

/** What functions give back, what mappings have, and what is gathered by looking. */
const PYTHON_GIVING: EditedProgram = {
  file: "train.py",
  text: `
import random
from net import LOG, pull, step #was: from net import pull, step
config = {"rate": 0.1, "steps": 3, "every": 2} #was: config = {"rate": 0.1, "steps": 3}
seen = [] #+
count = 0 #+
def look(v): #+
    seen.append(v) #+
    return v #+
def tally(v): #+
    global count #+
    count += v #+
    return v #+
class Net:
    def __init__(self):
        self.k = 2.0
    def grow(self):
        self.k += 0.01 * random.random()
        twice = self.k * 2 #+
        return twice #+
def train(net, options):
    total = 0.0
    for i in range(options["steps"]):
        out = step(net.k, options["rate"])
        net.k = look(out["k"]) #was: net.k = out["k"]
        print("ask_more", out["more"]) #+
        pulled = pull(net.k) #+
        net.k = pulled[0] #was: net.k = pull(net.k)
        print("ask_pulled", pulled[1]) #+
        total += net.k
    print("total", total)
    return total / 3 #+
net = Net()
for epoch in range(6):
    mean = train(net, config) #was: train(net, config)
    grown = net.grow() #was: net.grow()
    net.k += tally(0.1 * epoch) #was: net.k += 0.1 * epoch
    print("ask_mean", mean) #+
    print("ask_grown", grown) #+
    if epoch % config["every"] == 0: #+
        print("ask_every", net.k) #+
    print("ask_seen", max(seen)) #+
    print("ask_count", count) #+
    print("ask_log", sum(LOG)) #+
    print("k", net.k)
`,
  beside: [
    {
      file: "net.py",
      text: `
import random
LOG = [] #+
def step(k, rate):
    new = k - rate * random.random()
    LOG.append(new) #+
    return {"k": new, "more": new * 3} #was: return {"k": new}
def pull(k):
    return k * 0.99, k + 1 #was: return k * 0.99
`,
    },
  ],
};

const TYPESCRIPT_GIVING: EditedProgram = {
  file: "train.ts",
  text: `
import { pull, rate, seen, step, times } from "./net.ts"; //was: import { pull, rate, step } from "./net.ts";
const config = { steps: 3, every: 2 }; //was: const config = { steps: 3 };
let total = 0, most = 0; //was: let total = 0;
const looked: number[] = []; //+
function look(v: number): number { //+
  looked.push(v); //+
  return v; //+
} //+
class Net {
  k = 2;
  grow() {
    this.k += 0.01 * Math.random();
    return this.k * 2; //+
  }
}
const net = new Net();
for (let epoch = 0; epoch < 6; epoch++) {
  for (let i = 0; i < config.steps; i++) {
    const out = step(net.k);
    net.k = look(out.k) * rate; //was: net.k = out.k * rate;
    const { value, more } = pull(net.k); //+
    net.k = value; //was: net.k = pull(net.k);
    total += net.k;
    most = Math.max(most, net.k); //+
    console.log("ask_step", out.twice); //+
    console.log("ask_more", more); //+
  }
  const grown = net.grow(); //was: net.grow();
  console.log("ask_grown", grown); //+
  if (epoch % config.every === 0) console.log("ask_every", total); //+
  console.log("ask_most", most); //+
  console.log("ask_looked", looked.length); //+
  console.log("ask_seen", seen.length * times); //+
  console.log("total", total);
}
`,
  beside: [
    {
      file: "net.ts",
      text: `
export const seen: number[] = []; //+
const rate = 0.99;
export const times = 3; //was: const times = 3;
function step(k: number) {
  const next = k - 0.1 * Math.random() * times;
  seen.push(next); //+
  return { k: next, twice: next * 2 }; //was: return { k: next };
}
function pull(k: number) {
  return { value: k * 0.99, more: k + 1 }; //was: return k * 0.99;
}
export { rate, step, pull };
`,
    },
  ],
};

const PYTHON_WRAPPED: EditedProgram = {
  file: "train.py",
  text: `
import random
import cProfile #+
from contextlib import nullcontext #+
weights = [0.5, -0.25, 2.0]
text = """a
    b"""
def step(x):
    for k, w in enumerate(weights):
        weights[k] = w - 0.01 * x * random.random()
    return sum(weights)
data = [random.random() for _ in range(5)]
with cProfile.Profile() as profile: #+
    for epoch in range(6): #<
        total = 0.0 #<
        try: #+
            for x in data: #<<
                with nullcontext(): #+
                    loss = step(x) + len("""a #<<<
    b""")
                    print("ask_in", loss * 2) #+
                total += loss #<<
            print("total", total) #<<
            most = total * 2 #+
        except ArithmeticError: #+
            print("failed", total) #+
            raise #+
        finally: #+
            twice = total * 2 #+
        with nullcontext(epoch) as held, nullcontext(): #+
            weights[0] += 0.1 #<<
        print("ask_after", weights[0] + total) #+
        print("ask_most", most) #+
        print("ask_held", held + weights[0]) #+
        print("ask_twice", twice) #+
        print("ask_profiled", 1 if profile is None else total) #+
print("end", sum(weights), len(text))
`,
};

const TYPESCRIPT_WRAPPED: EditedProgram = {
  file: "train.ts",
  text: `
const weights = [0.5, -0.25, 2];
function step(x: number): number {
  for (const k of weights.keys()) weights[k]! -= 0.01 * x * Math.random();
  return weights.reduce((sum, w) => sum + w, 0);
}
const data = Array.from({ length: 5 }, () => Math.random());
try { //+
  for (let epoch = 0; epoch < 6; epoch++) { //<
    let total = 0; //<
    let most = 0; //+
    try { //+
      for (const x of data) { //<<
        try { //+
          total += step(x); //<<<
          console.log("ask_in", total * 2); //+
        } finally { most = Math.max(most, total); } //+
      } //<<
      console.log("total", total); //<<
    } catch (error) { //+
      console.log("failed", error); //+
      throw error; //+
    } //+
    console.log("ask_after", total + 1); //+
    console.log("ask_most", most); //+
  } //<
} catch (error) { console.error(error); } //+
console.log("end", weights[0]);
`,
};

export const SHAPED_PROGRAMS: readonly EditedProgram[] = [
  PYTHON,
  TYPESCRIPT,
  PYTHON_GIVING,
  TYPESCRIPT_GIVING,
  PYTHON_WRAPPED,
  TYPESCRIPT_WRAPPED,
];

/** Loops that are others than those of the run, and a name `i` that only they set. */
export const OTHER_LOOPS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `data = [4.0, 5.0, 6.0]
others = [7.0, 8.0, 9.0]
total = 0.0
for i, x in enumerate(others): #was: for x in data:
    total += x
    if i % 2 == 0: #+
        print("q", total) #+
    print("total", total)
`,
  },
  {
    file: "train.ts",
    text: `const data = [4, 5, 6];
const others = [7, 8, 9];
let total = 0;
for (const [i, x] of others.entries()) { //was: for (const x of data) {
  total += x;
  console.log("q", i); //+
  console.log("total", total);
}
`,
  },
];

/** What was added around statements of the run and may change them, or keep what fails in them. */
export const OTHER_WRAPPERS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `import decimal
total = decimal.Decimal(1)
for x in range(3):
    with decimal.localcontext() as context: #+
        total = total / 3 #<
        print("q", total) #+
    print("total", total)
`,
  },
  {
    file: "train.py",
    text: `total = 1.0
for x in range(3):
    try: #+
        total = total / 3 #<
    except ArithmeticError: #+
        wrong = total #+
    print("q", wrong) #+
    print("total", total)
`,
  },
  {
    file: "train.py",
    text: `total = 1.0
for x in range(3):
    try: #+
        total = total / 3 #<
    finally: #+
        total = total + 1 #+
    print("q", total) #+
    print("total", total)
`,
  },
  {
    file: "train.ts",
    text: `let total = 1;
for (let x = 0; x < 3; x++) {
  let wrong = 0; //+
  try { //+
    total = total / 3; //<
  } catch { wrong = 1; } //+
  console.log("q", wrong); //+
  console.log("total", total);
}
`,
  },
];

/** Changed lines that an older version has with other names. */
export const RENAMED_PROGRAMS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `import random
class Net:
    k = 1.0
def clip(m):
    m.k = min(m.k, 3.0)
    return m.k * 2
def cost(a, b):
    return (a - b) ** 2
net = Net()
for epoch in range(3):
    loss = 0.0
    for x in [random.random() for _ in range(4)]:
        net.k += 0.1 * x
        out = net.k * x #+
        loss += cost(out, x) #was: loss += cost(net.k * x, x)
        g = clip(net) #was: clip(net)
        print("ask_g", g) #+
        print("ask_out", out) #+
    print("loss", loss)
`,
  },
  {
    file: "train.ts",
    text: `const net = { k: 1 };
function clip(m: { k: number }): number {
  m.k = Math.min(m.k, 3);
  return m.k * 2;
}
function cost(a: number, b: number): number {
  return (a - b) ** 2;
}
for (let epoch = 0; epoch < 3; epoch++) {
  let loss = 0;
  const drawn = Array.from({ length: 4 }, () => Math.random());
  for (const x of drawn) {
    net.k += 0.1 * x;
    loss += cost(net.k * x, x);
    const g = clip(net); //was: clip(net);
    console.log("ask_g", g); //+
  }
  console.log("loss", loss);
}
`,
  },
];

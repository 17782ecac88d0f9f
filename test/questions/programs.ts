/**
 * @file Programs and edits of them, as people edit to see more: lines that end in `#+` or `//+` were
 * added after the run, lines with `#was: …` or `//was: …` changed, and lines with `#<` or `//<` stood
 * further out, by one level for each `<`. What is added logs by `ask …` names; each is asked alone.
 */
export interface EditedProgram {
  readonly file: string;
  readonly text: string;
  /** Other files of the program. */
  readonly beside?: readonly EditedProgram[];
}

const PYTHON: EditedProgram = {
  file: "train.py",
  text: `
import math
import random
import time
weights = {"a": 0.5, "b": -0.25, "c": 2.0}
state = {"training": True, "calls": 0}
seen = [] #+
class Net:
    def __init__(self):
        self.k = 0.3
        self.training = True
        self.outputs = [] #+
    def largest(self): #+
        return max(self.outputs) #+
    def train(self, on=True):
        self.training = on
    def eval(self):
        self.train(False)
    def forward(self, x):
        state["calls"] += 1 if self.training else 0
        return x * self.k - (0.1 * random.random() if self.training else 0.0)
def extra(v): #+
    return math.tanh(v) * 3 #+
def evaluate(net):
    total = 0.0
    for x in range(5):
        total += net.forward(x)
        print("inside", total)
    return total
def clip(values):
    most = max(values.values())
    for k in values:
        values[k] = min(values[k], most * 0.999)
    return most
net = Net()
count = 0 #+
for epoch in range(5):
    loss = 0.0
    norms = [] #+
    for step in range(12):
        x = random.random()
        for k in weights:
            weights[k] -= 0.01 * net.forward(weights[k] * x)
            loss += weights[k] ** 2
        clipped = clip(weights) #was: clip(weights)
        print("ask_clipped", clipped) #+
        norms.append(loss) #+
        net.outputs.append(loss) #+
        count += 1 #+
    print("loss", loss)
    net.eval() #+
    print("clock", time.time())
    print("ask_between", net.forward(2.0)) #+
    net.train() #+
    was = net.training #+
    net.eval() #+
    clean = evaluate(net) #+
    net.train(was) #+
    print("ask_clean", clean) #+
    net.eval(); print("ask_line", net.forward(2.0)); net.train() #+
    for k, v in weights.items(): #+
        print("ask_each", v) #+
    ordered = sorted(weights.values()) #+
    ordered.append(10.0) #+
    print("ask_top", ordered[-2]) #+
    if epoch % 2 == 0: #+
        print("ask_even", loss * 2) #+
    print("ask_helped", extra(loss)) #+
    try: #+
        print("ask_never", weights["none"]) #+
    except KeyError: #+
        print("ask_caught", loss + 1) #+
    before = state["calls"] #+
    state["calls"] += 1 #+
    print("ask_calls", state["calls"]) #+
    state["calls"] = before #+
    print("ask_mean", sum(norms) / len(norms)) #+
    seen.append(loss) #+
    print("ask_count", count) #+
    print("ask_largest", net.largest()) #+
    if epoch == 2: #+
        print("ask_stop", loss) #+
        continue #+
    print("ask_rest", loss / 2) #+
print("end", loss)
print("ask_seen", sum(seen)) #+
`,
};

const TYPESCRIPT: EditedProgram = {
  file: "train.ts",
  text: `
const data = Array.from({ length: 12 }, () => Math.random());
const seen: number[] = []; //+
let best = Infinity; //+
class Model {
  w = 0.1;
  training = true;
  calls = 0;
  outputs: number[] = []; //+
  largest(): number { return Math.max(...this.outputs); } //+
  eval(): this { this.training = false; return this; }
  train(on = true): this { this.training = on; return this; }
  call(x: number): number {
    this.calls += this.training ? 1 : 0;
    return this.training && Math.random() < 0.2 ? 0 : this.w * x;
  }
}
const model = new Model();
function evaluate(m: Model): number {
  let total = 0;
  for (const x of data) { total += m.call(x); console.log("inside", total); }
  return total;
}
function clip(m: Model): number {
  const { w } = m;
  m.w = Math.min(w, 1.5);
  return w;
}
function summary(m: Model): { half: number; twice: number } { //+
  return { half: m.w / 2, twice: m.w * 2 }; //+
} //+
for (let epoch = 0; epoch < 5; epoch++) {
  let loss = 0;
  const norms: number[] = []; //+
  for (let step = 0; step < 20; step++) {
    const x = data[step % 12]!;
    const error = model.call(x) - 2 * x;
    loss += error * error;
    model.w -= 0.05 * error * x;
    const clipped = clip(model); //was: clip(model);
    console.log("ask_clipped", clipped); //+
    model.outputs.push(loss); //+
    norms.push(model.w); //+
  }
  console.log("loss", loss);
  model.eval(); //+
  console.log("clock", performance.now());
  console.log("ask_between", model.call(3)); //+
  model.train(); //+
  const was: boolean = model.training; //+
  model.eval(); //+
  const clean = evaluate(model); //+
  model.train(was); //+
  console.log("ask_clean", clean); //+
  model.eval(); console.log("ask_line", model.call(3)); model.train(); //+
  for (const [i, x] of data.entries()) { //+
    if (i > 2) break; //+
    console.log("ask_each", x * model.w); //+
  } //+
  const sorted = [...data]; //+
  sorted.sort((a, b) => a - b); //+
  console.log("ask_median", sorted[6]); //+
  if (epoch % 2 === 0) console.log("ask_even", loss); //+
  const { half, ...others } = summary(model); //+
  console.log("ask_helped", half + others.twice); //+
  try { //+
    console.log("ask_never", (model as never as { none: { x: number } }).none.x); //+
  } catch { //+
    console.log("ask_caught", loss); //+
  } //+
  console.log("ask_mean", norms.reduce((a, b) => a + b, 0) / norms.length); //+
  seen.push(loss); //+
  if (loss < best) best = loss; //+
  console.log("ask_best", best); //+
  console.log("ask_largest", model.largest()); //+
  if (epoch === 2) { console.log("ask_stop", loss); continue; } //+
  console.log("ask_rest", loss / 2); //+
}
console.log("end", model.calls);
console.log("ask_seen", seen.reduce((a, b) => a + b, 0)); //+
`,
};

export const EDITED_PROGRAMS: readonly EditedProgram[] = [PYTHON, TYPESCRIPT];

/** Programs whose fourth line would have computed something else. */
export const INTERVENTIONS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `scale = [1.0]
w = 0.1
for epoch in range(3):
    scale[0] = 2.0 #+
    value = w * scale[0]
    scale[0] = 1.0 #+
    print("value", value)
    print("q", value + 1.0) #+
`,
  },
  {
    file: "train.py",
    text: `w = 1.0
hidden = 0.5
for epoch in range(3):
    hidden = hidden * 0.9 + w
    print("w", w)
    hidden = hidden * 2 #+
    print("q", hidden) #+
`,
  },
  {
    file: "train.ts",
    text: `const scale = [1];
let w = 0.1;
for (let epoch = 0; epoch < 3; epoch++) {
  scale[0] = 2; //+
  const value = w * scale[0]!;
  scale[0] = 1; //+
  console.log("value", value);
  console.log("q", value + 1); //+
}
`,
  },
  {
    file: "train.ts",
    text: `const w = 1;
let hidden = 0.5;
for (let epoch = 0; epoch < 3; epoch++) {
  hidden = hidden * 0.9 + w;
  console.log("w", w);
  hidden = hidden * 2; //+
  console.log("q", hidden); //+
}
`,
  },
];

/** The program as it ran. */
export function before({ text }: EditedProgram): string {
  return text
    .split("\n")
    .filter((line) => !isAdded(line))
    .map((line) => line.replace(/^( *).*(?:#|\/\/)was: (.*)$/, "$1$2"))
    .map((line) => {
      const [, text = "", mark = "", levels = ""] = /^(.*?) *(#|\/\/)(<+)$/.exec(line) ?? [];
      return levels === "" ? line : text.slice(levels.length * (mark === "#" ? 4 : 2));
    })
    .join("\n");
}

/** The program as it is asked about. */
export function after({ text }: EditedProgram): string {
  return text.replaceAll(/ *(?:#|\/\/)(?:\+|<+|was: .*)$/gm, "");
}

export function askedNames({ text }: EditedProgram): string[] {
  return [...new Set(text.match(/\bask_\w+/g))];
}

function isAdded(line: string): boolean {
  return /(?:#|\/\/)\+$/.test(line);
}

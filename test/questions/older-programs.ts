/**
 * @file Programs and edits of them (`programs.ts` says how they are marked), as they are now and as an
 * older version has them: other names, another `evaluate`, statements that are gone, and a name of the
 * question that means something else.
 */
import type { EditedProgram } from "./programs.ts";
import { after } from "./programs.ts";

export interface LandingProgram extends EditedProgram {
  /** In the older version, each as a regular expression. */
  readonly older: readonly (readonly [now: string, then: string])[];
  /** What else was changed in the working tree. */
  readonly otherwise: readonly (readonly [string, string])[];
  readonly asks: readonly string[];
  /** Those that are asked alone, too. */
  readonly alone: readonly string[];
}

const PYTHON: LandingProgram = {
  file: "train.py",
  text: `
import random
import math #+
hist = [] #+
class Net:
    def __init__(self):
        self.k = 0.3
        self.training = True
    def train(self, on=True):
        self.training = on
    def eval(self):
        self.train(False)
    def forward(self, x):
        out = x * self.k - (0.1 * random.random() if self.training else 0.0)
        self.last = out #+
        return out
    def size(self): #+
        return abs(self.k) * 2 #+
def extra(v): #+
    return math.tanh(v) * 3 #+
class Mean: #+
    def __init__(self): #+
        self.total, self.n = 0.0, 0 #+
    def add(self, v): #+
        self.total += v #+
        self.n += 1 #+
def evaluate(net):
    total = 0.0
    for x in range(5):
        total += net.forward(x)
        print("inside", total)
    return total
lr = 0.01
net = Net()
weights = {"a": 0.5, "b": -0.25, "c": 2.0}
count = 0 #+
for epoch in range(4):
    loss = 0.0
    norms = [] #+
    mean = Mean() #+
    for step in range(6):
        x = random.random()
        for k in weights:
            weights[k] -= lr * net.forward(weights[k] * x)
            loss += weights[k] ** 2
        norms.append(loss) #+
        count += 1 #+
        mean.add(loss) #+
        print("inner", loss)
    print("ask_last", net.last) #+
    score = loss / 2
    print("scored", score)
    print("loss", loss)
    was = net.training #+
    net.eval() #+
    clean = evaluate(net) #+
    net.train(was) #+
    print("ask_clean", clean) #+
    print("first", loss * 2)
    net.eval(); print("ask_line", net.forward(2.0)); net.train() #+
    print("half", loss / 2)
    for k, v in weights.items(): #+
        print("ask_each", v) #+
    print("rate", abs(loss))
    ordered = sorted(weights.values()) #+
    ordered.append(10.0) #+
    print("ask_top", ordered[-2]) #+
    print("third", loss ** 3)
    print("ask_helped", extra(loss)) #+
    print("size", loss - 1)
    try: #+
        print("ask_never", weights["none"]) #+
    except KeyError: #+
        print("ask_caught", loss + 1) #+
    print("peak", max(loss, 1.0))
    print("ask_mean", sum(norms) / len(norms)) #+
    print("drift", loss + lr)
    hist.append(loss) #+
    print("ask_count", count) #+
    print("mass", round(loss, 3))
    print("ask_size", net.size()) #+
    print("depth", -loss)
    print("ask_class", mean.total / mean.n) #+
    print("level", loss > 2)
    print("span", min(loss, 2.0))
    print(f"{score=}") #+
    print("tail", loss % 1)
    twice = loss * 2 #+
    print("ask_one", twice) #+
    print("ask_two", twice + 1) #+
    print("pace", (loss + 1) / 3)
    if epoch == 2: #+
        print("ask_stop", loss) #+
        continue #+
    print("ask_rest", loss / 2) #+
    print("close", loss * loss)
print("end", loss)
print("ask_seen", sum(hist)) #+
`,
  older: [
    [String.raw`\bnet\b`, "model"],
    [String.raw`\bNet\b`, "Model"],
    [String.raw`\bloss\b(?!")`, "err"],
    [String.raw`\bweights\b`, "params"],
    [String.raw`\{score=\}`, "score={points!r}"],
    [String.raw`\bscore\b(?!=)`, "points"],
    [String.raw`\bclean\b(?=.*#\+)`, "mine"],
    ["return total", "return total / 4"],
    ["lr = 0.01", 'lr = 0.02\nclean = [0.5]\nprint("kept", clean[0])'],
    [
      String.raw`    print\("close", (.*)\)\n`,
      '    clean.append($1)\n    print("kept", clean[-1])\n',
    ],
  ],
  otherwise: [["lr = 0.01", "lr = 0.03"]],
  asks: [
    "ask_clean",
    "ask_line",
    "ask_each",
    "ask_top",
    "ask_helped",
    "ask_caught",
    "ask_mean",
    "ask_count",
    "ask_size",
    "ask_class",
    "ask_last",
    "score",
    "ask_two",
    "ask_stop",
    "ask_rest",
    "ask_seen",
  ],
  alone: ["ask_clean", "ask_mean", "ask_last", "score"],
};

const TYPESCRIPT: LandingProgram = {
  file: "train.ts",
  text: `
const hist: number[] = []; //+
const data = Array.from({ length: 6 }, () => Math.random());
class Net {
  k = 0.3;
  training = true;
  train(on = true): void { this.training = on; }
  eval(): void { this.train(false); }
  forward(x: number): number {
    const out = x * this.k - (this.training ? 0.1 * Math.random() : 0);
    this.last = out; //+
    return out;
  }
  last = 0; //+
  size(): number { return Math.abs(this.k) * 2; } //+
}
function extra(v: number): number { //+
  return Math.tanh(v) * 3; //+
} //+
class Mean { //+
  total = 0; //+
  n = 0; //+
  add(v: number): void { this.total += v; this.n += 1; } //+
} //+
function evaluate(net: Net): number {
  let total = 0;
  for (const x of data) { total += net.forward(x); console.log("inside", total); }
  return total;
}
const lr = 0.01;
const net = new Net();
let count = 0; //+
for (let epoch = 0; epoch < 4; epoch++) {
  let loss = 0;
  const norms: number[] = []; //+
  const mean = new Mean(); //+
  for (let step = 0; step < 6; step++) {
    net.k -= lr * net.forward(data[step]!);
    loss += net.k ** 2;
    norms.push(loss); //+
    count += 1; //+
    mean.add(loss); //+
    console.log("inner", loss);
  }
  console.log("ask_last", net.last); //+
  const score = loss / 2;
  console.log("scored", score);
  console.log("loss", loss);
  const was = net.training; //+
  net.eval(); //+
  const clean = evaluate(net); //+
  net.train(was); //+
  console.log("ask_clean", clean); //+
  console.log("first", loss * 2);
  net.eval(); console.log("ask_line", net.forward(2)); net.train(); //+
  console.log("half", loss / 2);
  for (const x of data) { //+
    console.log("ask_each", x * net.k); //+
  } //+
  console.log("rate", Math.abs(loss));
  const ordered = [...data]; //+
  ordered.sort((a, b) => a - b); //+
  console.log("ask_top", ordered[1]); //+
  console.log("third", loss ** 3);
  console.log("ask_helped", extra(loss)); //+
  console.log("size", loss - 1);
  try { //+
    console.log("ask_never", (net as never as { none: { x: number } }).none.x); //+
  } catch { //+
    console.log("ask_caught", loss + 1); //+
  } //+
  console.log("peak", Math.max(loss, 1));
  console.log("ask_mean", norms.reduce((a, b) => a + b, 0) / norms.length); //+
  console.log("drift", loss + lr);
  hist.push(loss); //+
  console.log("ask_count", count); //+
  console.log("mass", Math.round(loss));
  console.log("ask_size", net.size()); //+
  console.log("depth", -loss);
  console.log("ask_class", mean.total / mean.n); //+
  console.log("level", loss > 2);
  console.log("span", Math.min(loss, 2));
  console.log({ score }); //+
  console.log("tail", loss % 1);
  const twice = loss * 2; //+
  console.log("ask_one", twice); //+
  console.log("ask_two", twice + 1); //+
  console.log("pace", (loss + 1) / 3);
  if (epoch === 2) { console.log("ask_stop", loss); continue; } //+
  console.log("ask_rest", loss / 2); //+
  console.log("close", loss * loss);
}
console.log("end", net.k);
console.log("ask_seen", hist.reduce((a, b) => a + b, 0)); //+
`,
  older: [
    [String.raw`\bnet\b`, "model"],
    [String.raw`\bNet\b`, "Model"],
    [String.raw`\bloss\b(?!")`, "err"],
    [String.raw`\bdata\b`, "points"],
    [String.raw`\{ score \}`, "{ score: half }"],
    [String.raw`\bscore\b(?!:)`, "half"],
    [String.raw`\bclean\b(?=.*//\+)`, "mine"],
    ["return total;", "return total / 4;"],
    ["const lr = 0.01;", 'const lr = 0.02;\nconst clean = [0.5];\nconsole.log("kept", clean[0]);'],
    [
      String.raw`  console.log\("close", (.*)\);\n`,
      '  clean.push($1);\n  console.log("kept", clean.at(-1));\n',
    ],
  ],
  otherwise: [["const lr = 0.01;", "const lr = 0.03;"]],
  asks: PYTHON.asks,
  alone: PYTHON.alone,
};

export const LANDING_PROGRAMS: readonly LandingProgram[] = [PYTHON, TYPESCRIPT];

/** The older version, with the question put in by hand. */
export function older({ text, older: changes }: LandingProgram): string {
  return changes.reduce((all, [now, then]) => all.replaceAll(new RegExp(now, "g"), then), text);
}

/** The working tree: the question, and what else was changed. */
export function otherwise(program: LandingProgram): string {
  return program.otherwise.reduce((all, [now, then]) => all.replace(now, then), after(program));
}

/** @file Programs in which a part of a condition, or what a loop goes over, was named before it, and wider returns. */
import type { EditedProgram } from "./programs.ts";

const PYTHON: EditedProgram = {
  file: "train.py",
  text: `
import random
w = 1.0
def model(x):
    global w
    w = w * 0.9 + 0.1 * random.random()
    return [w * x, w]
for epoch in range(6):
    total = 0.0
    for x in range(3):
        m = max(model(x)) #+
        print("ask_m", m) #+
        if m > 0.5: #was: if max(model(x)) > 0.5:
            total += w
            print("ask_inside", m * 2) #+
        elif model(x)[0] > 0.1:
            total += 1
            print("ask_else", m + total) #+
    rows = [model(2.0), model(3.0)] #+
    for row in rows: #was: for row in [model(2.0), model(3.0)]:
        row[0] *= 2
        total += row[0]
        print("ask_row", row[0]) #+
    print("ask_rows", rows[0][0] + rows[1][0]) #+
    print("total", total)
`,
};

const TYPESCRIPT: EditedProgram = {
  file: "train.ts",
  text: `
let w = 1;
function model(x: number): number[] {
  w = w * 0.9 + 0.1 * Math.random();
  return [w * x, w];
}
for (let epoch = 0; epoch < 6; epoch++) {
  let total = 0;
  for (const x of [0, 1, 2]) {
    const m = model(x)[0]!; //+
    console.log("ask_m", m); //+
    if (m > 0.5) { //was: if (model(x)[0]! > 0.5) total += w;
      total += w; //+
      console.log("ask_inside", m * 2); //+
    } //+
    else if (model(x)[0]! > 0.1) {
      total += 1;
      console.log("ask_else", m + total); //+
    }
  }
  const rows = [model(2), model(3)]; //+
  for (const row of rows) { //was: for (const row of [model(2), model(3)]) {
    row[0]! *= 2;
    total += row[0]!;
    console.log("ask_row", row[0]); //+
  }
  console.log("ask_rows", rows[0]![0]! + rows[1]![0]!); //+
  console.log("total", total);
}
`,
};

/** Functions that give back more, computed for it. */
const WIDER: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `
import math
import random
class Loss:
    def __init__(self, value):
        self.value = value
    def __float__(self):
        return self.value
w = [1.0, 2.0]
def step(x):
    for k in range(2):
        w[k] = w[k] * 0.9 + x * random.random()
    loss = Loss(sum(w))
    return loss, float(loss) / len(w), math.sqrt(abs(w[0])) #was: return loss
for epoch in range(6):
    total = 0.0
    for x in [1.0, 2.0]:
        loss, mean, root = step(x) #was: loss = step(x)
        total += float(loss)
        print("ask_mean", mean) #+
        print("ask_root", root) #+
    print("total", total)
`,
  },
  {
    file: "train.ts",
    text: `
const w = [1, 2];
function step(x: number) {
  for (const k of w.keys()) w[k] = w[k]! * 0.9 + x * Math.random();
  return { loss: w[0]! + w[1]!, root: Math.sqrt(Math.abs(w[0]!)), text: Number(w[1]!.toFixed(3)) }; //was: return { loss: w[0]! + w[1]! };
}
for (let epoch = 0; epoch < 6; epoch++) {
  let total = 0;
  for (const x of [1, 2]) {
    const { loss, root, text } = step(x); //was: const { loss } = step(x);
    total += loss;
    console.log("ask_root", root); //+
    console.log("ask_text", text); //+
  }
  console.log("total", total);
}
`,
  },
];

export const NAMED_PARTS: readonly EditedProgram[] = [PYTHON, TYPESCRIPT, ...WIDER];

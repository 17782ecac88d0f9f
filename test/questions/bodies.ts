/** @file Programs in which bodies of one statement became blocks, or functions, of several. */
import type { EditedProgram } from "./programs.ts";

const PYTHON: EditedProgram = {
  file: "train.py",
  text: `
import random
w = 1.0
n = 0 #+
def f(x):
    return x * 0.9 + random.random()
def g(x): #was: def g(x): return f(x) * 2
    out = f(x) #+
    print("ask_out", out) #+
    return out * 2 #+
for epoch in range(6):
    if epoch % 2 == 0: #was: if epoch % 2 == 0: w = f(w); w = f(w)
        w = f(w) #+
        n += 1 #+
        print("ask_n", n) #+
        w = f(w) #+
    else: #was: else: w = w + 1
        w = w + 1 #+
        print("ask_else", w) #+
    for i, k in enumerate([1, 2]): #was: for k in [1, 2]: w = w + k * random.random()
        w = w + k * random.random() #+
        print("ask_k", w * i) #+
    w += g(w)
    print("w", w)
    print("ask_end", n + w) #+
`,
};

const TYPESCRIPT: EditedProgram = {
  file: "train.ts",
  text: `
let w = 1;
let n = 0; //+
function f(x: number): number { return x * 0.9 + Math.random(); }
const g = (x: number): number => { //was: const g = (x: number): number => f(x) * 2;
  const out = f(x); //+
  console.log("ask_out", out); //+
  return out * 2; //+
}; //+
for (let epoch = 0; epoch < 6; epoch++) {
  if (epoch % 2 === 0) { //was: if (epoch % 2 === 0) w = f(w);
    w = f(w); //+
    n++; //+
    console.log("ask_n", n); //+
  } //+
  else { //was: else w = w + 1;
    console.log("ask_else", w); //+
    w = w + 1; //+
  } //+
  for (let i = 0; i < 2; i++) { //was: for (let i = 0; i < 2; i++) w += Math.random();
    w += Math.random(); //+
    console.log("ask_step", w + i); //+
  } //+
  for (const [i, k] of [1, 2].entries()) { //was: for (const k of [1, 2]) if (w > k) w += k * Math.random();
    if (w > k) { //+
      w += k * Math.random(); //+
      console.log("ask_k", w * i); //+
    } //+
  } //+
  if (w > 3) w -= 0.5;
  if (w > 2) { //was: if (w > 2) w -= 0.5;
    w -= 0.5; //+
    console.log("ask_if", w); //+
  } //+
  const all = [1, 2].map((x) => { //was: const all = [1, 2].map((x) => f(x));
    const y = f(x); //+
    console.log("ask_y", y); //+
    return y; //+
  }); //+
  w += all[0]! + g(w);
  console.log("w", w);
  console.log("ask_end", n + w); //+
}
`,
};

export const BODIES: readonly EditedProgram[] = [PYTHON, TYPESCRIPT];

/** Bodies that got more, and are no longer those of the run. */
export const OTHER_BODIES: readonly EditedProgram[] = [
  {
    file: "train.ts",
    text: `let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  if (epoch > 0) { //was: if (epoch > 0) w = w * 2;
    const by = 3; //+
    w = w * by; //+
    console.log("q", by); //+
  } //+
  console.log("w", w);
}
`,
  },
  {
    file: "train.ts",
    text: `let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  if (epoch > 0) { //was: if (epoch > 0) w = w * 2;
    let w = 5; //+
    w = w * 2; //+
    console.log("q", w); //+
  } //+
  console.log("w", w);
}
`,
  },
  {
    file: "train.ts",
    text: `let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  const all = [w, 2].map((x) => { //was: const all = [w, 2].map((x) => x * 2);
    const y = x * 2; //+
    console.log("q", y); //+
    return y + 1; //+
  }); //+
  w = all[0]!;
  console.log("w", w);
}
`,
  },
  {
    file: "train.py",
    text: `w = 1.0
for epoch in range(3):
    if epoch > 0: #was: if epoch > 0: w = w * 2
        by = 3 #+
        w = w * by #+
        print("q", by) #+
    print("w", w)
`,
  },
];

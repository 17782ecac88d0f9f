/** @file Programs in which a part of a condition, or what a loop goes over, was named before it. */
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

export const NAMED_PARTS: readonly EditedProgram[] = [PYTHON, TYPESCRIPT];

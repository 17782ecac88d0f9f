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
def update(by):
    largest = 0.0
    for k, w in enumerate(weights):
        weights[k] = w - 0.01 * by * w
        largest = max(largest, abs(weights[k]))
    return largest, by
def measure(rows):
    sums = [model(x) for x, _ in rows]
    most = max(sums) #+
    return sum(sums) / len(sums), most #was: return sum(sums) / len(sums)
data = [(random.random(), random.random()) for _ in range(7)]
for n, epoch in enumerate(range(6)): #was: for epoch in range(6):
    total = 0.0
    for i, (x, y) in enumerate(data): #was: for x, y in data:
        out = model(x) #+
        error = out - y #+
        print("ask_out", out) #+
        loss = cost(out, y) #was: loss = cost(model(x), y)
        total += loss
        most = update(loss) #was: update(loss)
        if i % 3 == 0: #+
            print("ask_some", loss) #+
        print("ask_most", most[0]) #+
        print("ask_error", error) #+
    for j, (a, b) in zip(count(), Batches()): #was: for a, b in Batches():
        _, by = update(a - b)
        total += by
        print("ask_numbered", j * b) #+
    mean, top = measure(data) #was: mean = measure(data)
    print("total", total, "ask_more", total * 2) #was: print("total", total)
    print(f"mean {mean} ask_top {top}") #was: print(f"mean {mean}")
    print("ask_last", i + n) #+
    print("ask_measured", top) #+
    print("ask_twice", n * 2) #+
print("end", sum(weights))
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
function update(by: number): { largest: number; by: number } {
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
const epochs = [0, 1, 2, 3, 4, 5];
const data = Array.from({ length: 7 }, () => [Math.random(), Math.random()] as const);
for (const [n, epoch] of epochs.entries()) { //was: for (const epoch of epochs) {
  let total = epoch;
  for (const [i, [x, y]] of data.entries()) { //was: for (const [x, y] of data) {
    const out = model(x); //+
    const error = out - y; //+
    console.log("ask_out", out); //+
    const loss = cost(out, y); //was: const loss = cost(model(x), y);
    total += loss;
    const most = update(loss); //was: update(loss);
    if (i % 3 === 0) console.log("ask_some", loss); //+
    console.log("ask_most", most.largest); //+
    console.log("ask_error", error); //+
  }
  const [mean, length, top] = measure(data); //was: const [mean, length] = measure(data);
  console.log("total", total, "ask_more", total * 2); //was: console.log("total", total);
  console.log(\`mean \${mean} of \${length} ask_top \${top}\`); //was: console.log(\`mean \${mean} of \${length}\`);
  console.log("ask_measured", top); //+
  console.log("ask_twice", n * 2); //+
}
console.log("end", weights[0]);
`,
};

export const SHAPED_PROGRAMS: readonly EditedProgram[] = [PYTHON, TYPESCRIPT];

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

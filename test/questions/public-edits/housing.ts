/** @file A regression in TypeScript, in an asynchronous function, and what people add to such. */
import type { EditedInPublic } from "./edit.ts";

const program = `import { parseArgs } from "node:util";

interface Rows {
  readonly x: number[][];
  readonly y: number[];
}

const { values: options } = parseArgs({ options: { epochs: { type: "string", default: "4" } } });

class Linear {
  weights: number[];
  bias = 0;
  training = true;
  constructor(width: number) {
    this.weights = Array.from({ length: width }, () => Math.random() - 0.5);
  }
  predict(row: readonly number[]): number {
    const kept = this.training && Math.random() < 0.2 ? 0 : 1;
    return row.reduce((sum, v, i) => sum + v * kept * (this.weights[i] ?? 0), this.bias);
  }
  step(row: readonly number[], error: number, rate: number): void {
    this.weights = this.weights.map((w, i) => w - rate * error * (row[i] ?? 0));
    this.bias -= rate * error;
  }
}

function makeRows(count: number): Rows {
  const x = Array.from({ length: count }, () => [Math.random(), Math.random(), Math.random()]);
  return { x, y: x.map(([a = 0, b = 0, c = 0]) => 2 * a - b + 0.5 * c) };
}

function meanSquares(model: Linear, { x, y }: Rows): number {
  let total = 0;
  for (const [i, row] of x.entries()) total += (model.predict(row) - (y[i] ?? 0)) ** 2;
  return total / x.length;
}

const train = makeRows(8);
const test = makeRows(4);

async function run(): Promise<void> {
  const model = new Linear(3);
  let trainLoss = 0;
  for (let epoch = 0; epoch < Number(options.epochs); epoch++) {
    trainLoss = 0;
    for (const [i, row] of train.x.entries()) {
      const error = model.predict(row) - (train.y[i] ?? 0);
      model.step(row, error, 0.1);
      trainLoss += error * error;
    }
    await Promise.resolve();
    console.log("trainLoss", trainLoss / train.x.length);
  }
  console.log("finalLoss", trainLoss);
}

await run();
`;

export const HOUSING: EditedInPublic = {
  file: "housing.ts",
  program,
  needs: [],
  edits: {
    "loss on other data": {
      // tfjs-examples, boston-housing: the loss of the test set after each epoch
      did: "evaluate in evaluation mode",
      together: "plain",
      diff: `
     console.log("trainLoss", trainLoss / train.x.length);
+    model.training = false;
+    const testLoss = meanSquares(model, test);
+    model.training = true;
+    console.log("testLoss", testLoss);
`,
      asks: ["testLoss"],
      expected: "answered",
    },
    "weights described": {
      // tfjs-examples, boston-housing: each weight under its own name
      did: "print each weight",
      together: "plain",
      diff: `
     await Promise.resolve();
+    for (const [k, w] of model.weights.entries()) {
+      console.log(\`weight_\${k} \${w}\`);
+    }
`,
      asks: ["weight_0"],
      expected: "answered",
    },
    baseline: {
      // tfjs-examples, boston-housing: what a constant would reach, computed before training
      did: "a function and its result before the loop",
      together: "plain",
      diff: `
 const train = makeRows(8);
 const test = makeRows(4);
+
+function baseline({ y }: Rows): number {
+  const mean = y.reduce((a, b) => a + b, 0) / y.length;
+  return y.reduce((sum, v) => sum + (v - mean) ** 2, 0) / y.length;
+}
+console.log(\`Baseline loss \${baseline(test)}\`);
`,
      asks: ["Baseline_loss"],
      expected: "open",
    },
    "largest error": {
      did: "remember the largest in the step loop",
      together: "plain",
      diff: `
     trainLoss = 0;
+    let largest = 0;
     for (const [i, row] of train.x.entries()) {
@@
       trainLoss += error * error;
+      if (Math.abs(error) > largest) largest = Math.abs(error);
     }
+    console.log("largest", largest);
`,
      asks: ["largest"],
      expected: "answered",
    },
    "every few batches": {
      // tfjs-examples, mnist: onBatchEnd, some of them
      did: "count batches and print some",
      together: "plain",
      diff: `
   let trainLoss = 0;
+  let batch = 0;
@@
       trainLoss += error * error;
+      batch += 1;
+      if (batch % 5 === 0) console.log("batchError", error);
`,
      asks: ["batchError"],
      expected: "answered",
    },
    predictions: {
      // tfjs-examples, iris: what the model says of single rows at the end
      did: "print predictions behind the loop",
      together: "plain",
      diff: `
   console.log("finalLoss", trainLoss);
+  model.training = false;
+  const [first = []] = test.x;
+  console.log("prediction", model.predict(first));
+  model.training = true;
`,
      asks: ["prediction"],
      expected: "open",
    },
    "time of an epoch": {
      // brain.js 5b98029d: how long it takes
      did: "time the epochs",
      diff: `
     trainLoss = 0;
+    const began = performance.now();
@@
     await Promise.resolve();
+    console.log("lasted", performance.now() - began);
`,
      asks: ["lasted"],
      expected: "clock",
    },
    "norm of a step": {
      // a method that gave nothing gives its norm
      did: "widen what a method gives",
      diff: `
-  step(row: readonly number[], error: number, rate: number): void {
+  step(row: readonly number[], error: number, rate: number): number {
@@
     this.bias -= rate * error;
+    return Math.abs(rate * error);
@@
-      model.step(row, error, 0.1);
+      const norm = model.step(row, error, 0.1);
+      console.log("norm", norm);
`,
      asks: ["norm"],
      expected: "open",
    },
    "an option for how often": {
      // pytorch/examples: --log-interval, here an option of parseArgs
      did: "an option that the print reads",
      diff: `
-const { values: options } = parseArgs({ options: { epochs: { type: "string", default: "4" } } });
+const { values: options } = parseArgs({
+  options: {
+    epochs: { type: "string", default: "4" },
+    every: { type: "string", default: "2" },
+  },
+});
@@
     await Promise.resolve();
+    if (epoch % Number(options.every) === 0) console.log("bias", model.bias);
`,
      asks: ["bias"],
      expected: "open",
    },
    "more in the same line": {
      // pytorch/examples 3243317: the existing line says more
      did: "another value in the line of the run",
      diff: `
-    console.log("trainLoss", trainLoss / train.x.length);
+    console.log("trainLoss", trainLoss / train.x.length, "firstWeight", model.weights[0]);
`,
      asks: ["firstWeight"],
      expected: "open",
    },
    "evaluation mode that was missing": {
      // pytorch-tutorial e217e42: a mode for lines of the run
      did: "train without dropping anything",
      diff: `
     trainLoss = 0;
+    model.training = false;
     for (const [i, row] of train.x.entries()) {
       const error = model.predict(row) - (train.y[i] ?? 0);
+      console.log("error", error);
`,
      asks: ["error"],
      expected: { refused: "changes what line" },
    },
  },
};

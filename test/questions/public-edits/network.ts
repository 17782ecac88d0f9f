/** @file A network in JavaScript (CommonJS), whose class trains itself, and what people add to such. */
import type { EditedInPublic } from "./edit.ts";

const program = `"use strict";

class Network {
  constructor(inputs, hidden) {
    this.first = Array.from({ length: hidden }, () => Array.from({ length: inputs }, weight));
    this.second = Array.from({ length: hidden }, weight);
    this.rate = 0.5;
  }

  run(input) {
    this.outputs = this.first.map((row) => Math.tanh(row.reduce((s, w, i) => s + w * input[i], 0)));
    return this.outputs.reduce((s, v, i) => s + v * this.second[i], 0);
  }

  adjust(input, error) {
    this.first = this.first.map((row, k) => {
      const delta = error * this.second[k] * (1 - this.outputs[k] ** 2);
      return row.map((w, i) => w - this.rate * delta * input[i]);
    });
    this.second = this.second.map((w, k) => w - this.rate * error * this.outputs[k]);
  }

  train(data, options) {
    let error = 1;
    for (let i = 0; i < options.iterations; i++) {
      error = 0;
      for (const { input, output } of data) {
        const missed = this.run(input) - output;
        this.adjust(input, missed);
        error += missed * missed;
      }
      error /= data.length;
      console.log("training error", error);
    }
    return { error };
  }
}

function weight() {
  return Math.random() - 0.5;
}

const data = [
  { input: [0, 0, 1], output: 0 },
  { input: [0, 1, 1], output: 1 },
  { input: [1, 0, 1], output: 1 },
  { input: [1, 1, 1], output: 0 },
];
const net = new Network(3, 4);
const stats = net.train(data, { iterations: 5 });
console.log("error", stats.error);
`;

export const NETWORK: EditedInPublic = {
  file: "network.js",
  program,
  needs: [],
  edits: {
    "size of the data": {
      // brain.js 24ef75b6: what is trained on, printed before
      did: "print before the training",
      together: "plain",
      diff: `
 const net = new Network(3, 4);
+const ones = data.filter(({ output }) => output === 1);
+console.log("ones", ones.length);
`,
      asks: ["ones"],
      expected: "open",
    },
    "largest weight": {
      did: "a value of each iteration",
      together: "plain",
      diff: `
       console.log("training error", error);
+      console.log("largest", Math.max(...this.second));
`,
      asks: ["largest"],
      expected: "answered",
    },
    "a method for what is asked": {
      // nanoGPT 34720df2: a method that counts, printed in the loop
      did: "add a method and call it",
      together: "plain",
      diff: `
+  size() {
+    return this.first.flat().length + this.second.length;
+  }
+
   train(data, options) {
@@
       error /= data.length;
+      const size = this.size();
+      console.log("per weight", error / size);
`,
      asks: ["per_weight"],
      expected: "open",
    },
    "errors gathered": {
      // cleanrl 4c757558: a list filled in the step loop
      did: "gather in the inner loop",
      together: "gathered",
      diff: `
       error = 0;
+      const all = [];
       for (const { input, output } of data) {
@@
         error += missed * missed;
+        all.push(Math.abs(missed));
       }
+      all.sort((a, b) => b - a);
+      console.log("worst", all[0]);
       error /= data.length;
`,
      asks: ["worst"],
      expected: "answered",
    },
    "improvement since the last": {
      // nanoGPT ab0718a7: a value that goes from one iteration to the next
      did: "keep the last value",
      together: "gathered",
      diff: `
     let error = 1;
+    let before = 1;
@@
       console.log("training error", error);
+      console.log("gained", before - error);
+      before = error;
`,
      asks: ["gained"],
      expected: "answered",
    },
    "stop when it is good enough": {
      // brain.js, errorThresh: leave the loop early
      did: "print once and leave",
      diff: `
       console.log("training error", error);
+      if (i === 2) {
+        console.log("good enough", error * 2);
+        break;
+      }
`,
      asks: ["good_enough"],
      expected: "answered",
    },
    "all outputs at the end": {
      // brain.js, examples: what the network says of each example
      did: "run it over the data again",
      together: "end",
      diff: `
 console.log("error", stats.error);
+for (const [i, { input }] of data.entries()) {
+  console.log(\`output_\${i} \${net.run(input)}\`);
+}
`,
      asks: ["output_3"],
      expected: "open",
    },
    "an import": {
      // brain.js: inspect, as a program without any import gets one
      did: "require something for the print",
      together: "required",
      diff: `
 "use strict";
+const { basename } = require("node:path");
@@
       console.log("training error", error);
+      console.log("file", Number(basename(\`/tmp/\${error}\`)));
`,
      asks: ["file"],
      expected: "answered",
    },
    "a file of its own": {
      did: "a helper in another file",
      diff: `
 "use strict";
+const { rms } = require("./measure.js");
@@
       console.log("training error", error);
+      console.log("rms", rms(this.second));
`,
      files: {
        "measure.js":
          "exports.rms = (list) => Math.sqrt(list.reduce((s, v) => s + v * v, 0) / list.length);\n",
      },
      asks: ["rms"],
      expected: "open",
    },
    "another rate": {
      // a number tuned in the same commit: the run's own is asked
      did: "print while something else was changed",
      diff: `
-    this.rate = 0.5;
+    this.rate = 0.3;
@@
       console.log("training error", error);
+      const sum = this.second.reduce((a, b) => a + b, 0);
+      console.log("sum", sum);
`,
      truth: `
       console.log("training error", error);
+      const sum = this.second.reduce((a, b) => a + b, 0);
+      console.log("sum", sum);
`,
      asks: ["sum"],
      expected: "open",
    },
    "the sum as a mean": {
      // nanoGPT 553f949f, cleanrl 9428ce60: the same name, another value
      did: "print another value under the same name",
      diff: `
-console.log("error", stats.error);
+console.log("error", stats.error * 4);
`,
      asks: ["error"],
      expected: "no question",
    },
  },
};

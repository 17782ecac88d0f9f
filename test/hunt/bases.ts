/**
 * @file The training that a program of the hunt is, in both languages, with places for what is
 * mixed in (`<<place>>`) and statements that an edit may change (`<<line: statement>>`); and how
 * each language writes what the composer needs.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../support/project.ts";
import type { Gadget } from "../truth/gadgets.ts";
import { HELPERS } from "../truth/gadgets.ts";
import type { Language } from "./ingredients.ts";

/** Of the recordings, and of the truth. */
export const SEED = "42";

interface Base {
  readonly entries: readonly string[];
  readonly head: string;
  readonly body: string;
  /** At top level, in a function, in a method. */
  readonly shapes: readonly ((head: string, body: string) => string)[];
  readonly draw: string;
  readonly declaration: (gadget: Gadget) => string;
  readonly updated: (update: string, value: string) => string;
  /** State that a call fills which gives something else each time, and how its results are kept. */
  readonly noise: (number: string, call: string) => Gadget;
  readonly noiseEnd: (number: string) => string;
  /** What stands before the truth: `had` is the results of such calls, as JSON, by number. */
  readonly preamble: (had: string) => string;
  /** The next of them. */
  readonly given: (number: string) => string;
  readonly aside: (part: string) => string;
  /** Something else than names that an older version had otherwise. */
  readonly older: (text: string) => string;
}

const RANDOM = pathToFileURL(join(ROOT, "dist/sdk/random.js")).href;

const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by);

const PYTHON: Base = {
  entries: ["train.py"],
  head: `import math
import random
<<imports>>
def mix(a, b):
    x = a * 12.9898 + b * 78.233 + 0.5
    return x - math.floor(x)
def frac(x):
    return x - math.floor(x)
class Net:
    def __init__(self):
        self.k = 0.3
        self.bias = [0.1, 0.2]
        self.training = True
    def train(self, on=True):
        self.training = on
    def eval(self):
        self.train(False)
    def forward(self, x):
        out = x * self.k + self.bias[0]
        <<forward>>
        return out * (0.5 + random.random()) if self.training else out
def clip(net):
    most = max(net.bias)
    net.bias = [mix(b, net.k) for b in net.bias]
    return most
def evaluate(net, scale):
    total = 0.0
    for i in range(3):
        total += net.forward(i * scale)
        print("inside", total)
    return total
<<functions>>
random.seed(7)
`,
  body: `@net = Net()
<<init>>
for @epoch in range(4):
    <<truth: print("> epoch")>>
    @loss = 0.0
    <<epochStart>>
    for @step in range(3):
        <<truth: print("> step")>>
        x = random.random()
        <<apply: @loss += mix(@net.forward(x), x)>>
        @net.k = mix(@net.k, @loss)
        <<clip: clip(@net)>>
        <<step>>
    <<truth: print("> out")>>
    <<epoch>>
    <<lossLine: print("loss", @loss)>>
    <<epochEnd>>
<<truth: print("> end")>>
<<end>>
print("done", @loss)
`,
  shapes: [
    (head, body) => head + body,
    (head, body) => `${head}def main():\n${indented(body, "    ")}main()\n`,
    (head, body) =>
      `${head}class Trainer:\n    def fit(self):\n${indented(body, "        ")}Trainer().fit()\n`,
  ],
  draw: "random.random()",
  declaration: ({ declare }) => declare,
  updated: (update, value) => `v = ${value}\n${update.replaceAll(/\bV\b/g, "v")}`,
  noise: (n, call) => ({
    declare: `now${n} = 0.5\nhad${n} = []`,
    update: `now${n} = CALL(${n}, ${call})\nhad${n}.append(now${n})`,
    value: `frac(now${n})`,
    read: "",
  }),
  noiseEnd: (n) => `print("had${n}", had${n})`,
  preamble: (had) => `import random as RANDOM
HAD = ${had}
class ASIDE:
    def __enter__(self):
        self.state = RANDOM.getstate()
    def __exit__(self, *_):
        RANDOM.setstate(self.state)
`,
  given: (n) => `HAD["had${n}"].pop(0)`,
  aside: (part) => `with ASIDE():\n${indented(part, "    ")}`,
  older: (text) => text.replace("self.k = 0.3", "self.k = 0.25"),
};

const TYPESCRIPT: Base = {
  entries: ["train.ts", "train.mjs"],
  head: `<<imports>>
${HELPERS}
class Net {
  k = 0.3;
  bias = [0.1, 0.2];
  training = true;
  train(on = true) { this.training = on; return this; }
  eval() { return this.train(false); }
  forward(x) {
    const out = x * this.k + this.bias[0];
    <<forward>>
    return this.training ? out * (0.5 + Math.random()) : out;
  }
}
function clip(net) {
  const most = Math.max(...net.bias);
  net.bias = net.bias.map((b) => mix(b, net.k));
  return most;
}
function evaluate(net, scale) {
  let total = 0;
  for (let i = 0; i < 3; i++) {
    total += net.forward(i * scale);
    console.log("inside", total);
  }
  return total;
}
<<functions>>
`,
  body: `const @net = new Net();
let @loss = 0;
<<init>>
for (let @epoch = 0; @epoch < 4; @epoch++) {
  <<truth: console.log("> epoch");>>
  @loss = 0;
  <<epochStart>>
  for (let @step = 0; @step < 3; @step++) {
    <<truth: console.log("> step");>>
    const x = Math.random();
    <<apply: @loss += mix(@net.forward(x), x);>>
    @net.k = mix(@net.k, @loss);
    <<clip: clip(@net);>>
    <<step>>
  }
  <<truth: console.log("> out");>>
  <<epoch>>
  <<lossLine: console.log("loss", @loss);>>
  <<epochEnd>>
}
<<truth: console.log("> end");>>
<<end>>
console.log("done", @loss);
`,
  shapes: [
    (head, body) => head + body,
    (head, body) => `${head}async function main() {\n${indented(body, "  ")}}\nawait main();\n`,
    (head, body) =>
      `${head}class Trainer {\n  async fit() {\n${indented(body, "    ")}  }\n}\nawait new Trainer().fit();\n`,
  ],
  draw: "Math.random()",
  declaration: ({ declare }) => declare,
  updated: (update, value) => `{ const v = ${value}; ${update.replaceAll(/\bV\b/g, "v")} }`,
  noise: (n, call) => ({
    declare: `let now${n} = 0.5; const had${n} = [];`,
    update: `now${n} = CALL(${n}, ${call}); had${n}.push(now${n});`,
    value: `frac(now${n})`,
    read: "",
  }),
  noiseEnd: (n) => `console.log("had${n}", JSON.stringify(had${n}));`,
  preamble: (had) => `import { SeededRandom as SEEDED } from ${JSON.stringify(RANDOM)};
const HAD = ${had};
const KEEPER = new SEEDED("${SEED}");
Math.random = KEEPER.random;
function ASIDE(part) { const { state } = KEEPER; part(); KEEPER.state = state; }
`,
  given: (n) => `HAD["had${n}"].shift()`,
  aside: (part) => `ASIDE(() => {\n${indented(part, "  ")}\n});`,
  older: (text) => text.replace("k = 0.3;", "k = 0.25;"),
};

export const BASES: { readonly [language in Language]: Base } = {
  python: PYTHON,
  typescript: TYPESCRIPT,
};

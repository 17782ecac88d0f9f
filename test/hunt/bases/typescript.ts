/** @file The training of the hunt, in TypeScript and JavaScript. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../../support/project.ts";
import { HELPERS } from "../../truth/gadgets.ts";
import type { Base } from "./base.ts";
import { indented, moved, replaced, SEED } from "./base.ts";

const RANDOM = pathToFileURL(join(ROOT, "build/sdk/random.js")).href;

const COUNTED = `  <<steps: for (let @step = 0; @step < 3; @step++) {>>
    <<truth: console.log("> step");>>
    <<drawn: const x = Math.random();>>
`;
const GIVEN = `  <<steps: for (const x of draws(3)) {>>
    <<truth: console.log("> step");>>
`;

const body = (steps: string): string => `const @net = new Net();
let @loss = 0;
<<init>>
for (let @epoch = 0; @epoch < 4; @epoch++) {
  <<truth: console.log("> epoch");>>
  @loss = 0;
  <<epochStart>>
${steps}    <<apply: @loss += mix(@net.forward(x), x);>>
    <<decayed: @net.k = decay(@net.k, @loss);>>
    <<clip: clip(@net);>>
    <<step>>
  }
  <<truth: console.log("> out");>>
  const @ask_acc = mix(@loss, 0.5);
  @net.bias[1] = mix(@net.bias[1], @ask_acc);
  <<epoch>>
  <<lossLine: console.log("loss", @loss);>>
  <<epochEnd>>
}
<<truth: console.log("> end");>>
<<end>>
console.log("done", @loss);
`;

export const TYPESCRIPT: Base = {
  entries: ["train.ts", "train.mjs"],
  head: `<<imports>>
${HELPERS}
class Net {
  k = 0.3;
  bias = [0.1, 0.2];
  training = true;
  <<methods>>
  named() { return [["k", this.k], ["b", this.bias[0]]]; }
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
<<rate: const rate = 0.9;>>
function decay(k, loss) {
  const slope = mix(k, loss);
  <<decayReturn: return slope * rate;>>
}
function draws(count) {
  return Array.from({ length: count }, () => Math.random());
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
  bodies: [body(COUNTED), body(GIVEN)],
  shapes: [
    (head, text) => head + text,
    (head, text) => `${head}async function main() {\n${indented(text, "  ")}}\nawait main();\n`,
    (head, text) =>
      `${head}class Trainer {\n  async fit() {\n${indented(text, "    ")}  }\n}\nawait new Trainer().fit();\n`,
  ],
  draw: "Math.random()",
  updated: (update, value) => `{ const v = ${value}; ${update.replaceAll(/\bV\b/g, "v")} }`,
  noise: (n, call) => ({
    declare: `let now${n} = 0.5; const had${n} = [];`,
    update: `now${n} = CALL(${n}, ${call}); had${n}.push(now${n}); console.log("seen${n}", now${n});`,
    value: `frac(now${n})`,
    read: "",
  }),
  noiseEnd: (n) => `console.log("had${n}", JSON.stringify(had${n}));`,
  preamble: (had) => `import { KEEPER } from "./keeper-of-draws.mjs";
const HAD = ${had};
function ASIDE(part) { const { state } = KEEPER; part(); KEEPER.state = state; }
`,
  // Before any package is loaded: one that draws then draws the same.
  truthFiles: {
    "keeper-of-draws.mjs": `import { SeededRandom } from ${JSON.stringify(RANDOM)};
export const KEEPER = new SeededRandom("${SEED}");
Math.random = KEEPER.random;
`,
  },
  given: (n) => `HAD["had${n}"].shift()`,
  aside: (part) => `ASIDE(() => {\n${indented(part, "  ")}\n});`,
  older: (text) => {
    const other = replaced(
      replaced(text, "k = 0.3;", "k = 0.25;"),
      "total += net.forward(i * scale)",
      "total += net.forward(i + scale)",
    );
    const spare = other.replace(
      /^( *)model\.bias\[1\] = .*$/m,
      "$&\n$1const spare = mix(cost, 0.7);\n$1model.k = mix(model.k, spare);",
    );
    const clip = {
      from: "function clip(net)",
      to: "const rate = 0.9;",
      before: "function evaluate(",
    };
    return moved(spare, clip);
  },
  tidy: (text) =>
    text
      .replaceAll(/^(?=(?:async )?function |class )/gm, "\n")
      .replaceAll(
        /^( *)console\.log\("(\w+)", (.*)\);$/gm,
        "$1console.log(\n$1  '$2',\n$1  $3,\n$1)",
      ),
};

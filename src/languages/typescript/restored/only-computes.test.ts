/** Which values behind the loops follow from what is restored and from code that can only compute. */
import { expect, test } from "vitest";
import { analyzeProgram } from "../analyze.ts";

const HEAD = `import { helper } from "./b.ts";
import fs from "node:fs";
const data = [1, 2, 3];
const began = Date.now();
const seed = Number(began);
let w = 1;
const xs: number[] = [];
class Net {
  w = 1;
  forward(x: number) { return this.w * x; }
}
const net = new Net();
for (let epoch = 0; epoch < 5; epoch++) {
  for (const x of data) w = w * 0.9 + x * Math.random();
  net.w = w;
  xs.push(w);
  console.log("loss", w, Date.now() - began);
}
`;
const OTHER = "export const helper = (x: number): number => Math.sqrt(x) + 1;\n";

/** What stands behind the loop, and whether the value \`v\` is proved. */
const ROWS: readonly (readonly [text: string, proved: boolean])[] = [
  ['console.log("v", w);', true],
  ['console.log("v", net.forward(2) + helper(w));', true],
  ['const sorted = [...xs];\nsorted.sort((a, b) => a - b);\nconsole.log("v", sorted[0]);', true],
  ['console.log("v", xs.map((x) => x * 2).reduce((a, b) => a + b, 0) / data.length);', true],
  ['console.log("v", Math.random());', true],
  ['console.log("u", w, Date.now());\nconsole.log("v", w);', true],
  ['console.log("v", w);\nfs.writeFileSync("x", String(w));', true],
  // Clocks and what depends on them, also through other names, objects and functions.
  ['console.log("v", Date.now());', false],
  ['console.log("v", w + seed);', false],
  ['const ys = xs;\nys.push(seed);\nconsole.log("v", xs.length);', false],
  ['const o = { xs };\no.xs.push(seed);\nconsole.log("v", xs.length);', false],
  ['function f() { xs.push(seed); }\nf();\nconsole.log("v", xs.length);', false],
  ['if (seed % 2) w = 0;\nconsole.log("v", w);', false],
  ['for (let i = 0; i < seed; i++) w += 1;\nconsole.log("v", w);', false],
  ['class A { valueOf() { return seed; } }\nconsole.log("v", +(new A() as never));', false],
  ['class A { get q() { return seed; } }\nconsole.log("v", new A().q);', false],
  ['const f = Date.now;\nconsole.log("v", f());', false],
  ['namespace N { export const t = Number(began); }\nconsole.log("v", N.t);', false],
  [
    'namespace N { export function f() { xs.push(seed); } }\nN.f();\nconsole.log("v", xs.length);',
    false,
  ],
  // What is not known.
  ['console.log("v", fs.readFileSync("x", "utf8").length);', false],
  ['console.log("v", Number(process.env["X"]));', false],
  ['console.log("v", new Intl.NumberFormat().format(w));', false],
  ['const lib = await import("./b.ts");\nconsole.log("v", lib.helper(w));', false],
  ['fs.writeSync(w as never, "x");\nconsole.log("v", w);', false],
  // What may run in between, or changes how others compute.
  ['setTimeout(() => {}, 1);\nconsole.log("v", w);', false],
  ['Math.sqrt = (x) => x;\nconsole.log("v", w);', false],
  ['console.log("v", eval("w"));', false],
];

function isProved(text: string): boolean {
  const files = new Map([
    ["a.ts", text],
    ["b.ts", OTHER],
  ]);
  const { logs } = analyzeProgram("a.ts", (file) => files.get(file), { handsFree: true });
  const asked = logs.filter(({ name }) => name === "v");
  expect(asked.length).toBeGreaterThan(0);
  return asked.every(({ computes }) => computes === true);
}

test.each(ROWS)("%s", (text, proved) => {
  expect(isProved(HEAD + text)).toBe(proved);
});

test.each([
  ["made before the loop by a clock", HEAD + 'console.log("v", began);', false],
  ["in the loop", HEAD.replace('"loss"', '"v"'), false],
  [
    "a function that the loop hands over",
    HEAD.replace("xs.push(w)", "fs2.push(() => seed)").replace(
      "let w",
      "const fs2: (() => number)[] = [];\nlet w",
    ) + 'console.log("v", fs2[0]!());',
    false,
  ],
  [
    "a function in a list that the loop changes",
    HEAD.replace("xs.push(w)", "fs2.push(Math.abs)").replace(
      "let w",
      "const fs2: ((x: number) => number)[] = [() => seed];\nlet w",
    ) + 'console.log("v", fs2[0]!(1));',
    false,
  ],
  [
    "a method of what the loop makes",
    `const seed = Date.now();\nclass A { get() { return seed; } }\nlet a = { get: () => 1 } as A;\nfor (let e = 0; e < 3; e++) a = new A();\nconsole.log("v", a.get());`,
    false,
  ],
  [
    "in a function",
    `function main(k: number) {\n${HEAD.replace(/import.*\n/g, "")}console.log("v", w + k);\n}\nmain(2);`,
    true,
  ],
  [
    "in a function that gets a clock",
    `function main(k: number) {\n${HEAD.replace(/import.*\n/g, "")}console.log("v", w + k);\n}\nmain(Date.now());`,
    false,
  ],
])("%s", (_, text, proved) => {
  expect(isProved(text)).toBe(proved);
});

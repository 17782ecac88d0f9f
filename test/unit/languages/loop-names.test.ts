/** Which loops of a program that knows nothing of Afterlog are loops, and what they are called. */
import { describe, expect, test } from "vitest";
import { LOOP_RULES } from "../../../src/format/index.ts";
import { analyzeProgram } from "../../../src/languages/index.ts";
import type { Sources } from "./check.ts";

/** Names in order of the text, a star behind those that are trivial; then loops left alone. */
function loopsOf(sources: Sources, loopRules = 0): string {
  const files = typeof sources === "string" ? { "train.ts": sources } : sources;
  const read = (file: string): string | undefined => files[file as keyof typeof files];
  const mode = { handsFree: true, loopRules };
  const { loops, leftAlone = [] } = analyzeProgram("train.ts", read, mode);
  const names = loops.map(({ name, trivial }) => `${name}${trivial ? "*" : ""}`);
  return [...names, ...leftAlone.map(({ line, why }) => `${line}: ${why}`)].join(" ");
}

const MATMUL = `function matmul(a, b, n) {
  const c = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    let s = 0; for (let k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
    c[i * n + j] = Math.fround(s);
  }
  return c;
}`;
const TF = 'import * as tf from "@tensorflow/tfjs-node";';

const NAMES: readonly (readonly [what: string, sources: Sources, loops: string])[] = [
  [
    "the variable",
    "for (const epoch of [1]) for (let step = 0; step < 3; step++) f();",
    "epoch step",
  ],
  [
    "the first of several",
    "for (const [i, x] of xs) f(); for (let { a, b } = o; a < b; a++) f();",
    "i a",
  ],
  [
    "no variable",
    "function train() { while (f()) f(); } while (f()) f(); do f(); while (f()); for (;;) f();",
    "train.while while do for",
  ],
  [
    "the function around",
    "const fit = async () => { do f(); while (f()); }; const o = { run() { [1].map(() => { while (f()) f(); }); } };",
    "fit.do run.while",
  ],
  [
    "a method",
    "class T { async fit() { while (f()) await f(); } #go = () => { while (f()) f(); } }",
    "fit.while go.while",
  ],
  [
    "twice",
    "for (const e of xs) f(); for (const e of xs) f(); for (const e of xs) f();",
    "e e_2 e_3",
  ],
  [
    "a name that another has by its number",
    "for (const e_2 of xs) f(); for (const e of xs) f(); for (const e of xs) f();",
    "e_2 e e_3",
  ],
  [
    "a comment",
    "// afterlog: loop epoch\nfor (let i = 0; ; i++) { // afterlog: loop no\n  f();\n}\nfor (const x of xs) f(); /* afterlog: loop step */\n",
    "no step",
  ],
  [
    "a comment on the line before",
    "// afterlog: loop epoch\nout: for (let i = 0; ; i++)\n  f();\nfor (const x of xs) f();",
    "epoch x",
  ],
  [
    "what a comment says comes first",
    "for (const e of xs) f();\n// afterlog: loop e\nfor (const x of xs) f();",
    "e_2 e",
  ],
  ["the column of runs has its name", "for (const run of xs) for (const e of xs) f();", "run_2 e"],
  [
    "the program's own file first, then by name",
    {
      "train.ts": 'import "./z.ts"; import "./a.ts"; for (const e of xs) f();',
      "z.ts": "for (const e of xs) f();",
      "a.ts": "for (const e of xs) f();",
    },
    "e e_3 e_2",
  ],
  [
    "for in, and a generator",
    "for (const k in o) f();\nfunction* g() { for (const e of xs) { while (f()) f(); yield e; } }",
    "g.while 1: a for…in has no position 2: whoever takes its items runs in its iterations",
  ],
];

const LIGHT: readonly (readonly [what: string, sources: Sources, loops: string])[] = [
  [
    "used by a function that only others call, and written before it",
    `${MATMUL}\nexport function train(w) { for (const e of es) for (const x of xs) matmul(w, w, x); }`,
    "e* x*",
  ],
  [
    "arithmetic in the first two loops",
    `${MATMUL} for (let e = 0; e < 9; e++) { for (const x of [1, 2]) w = matmul(w, w, x); }`,
    "e* x*",
  ],
  [
    "a product at top level",
    `${MATMUL} matmul(a, b, 3); for (let e = 0; e < 3; e++) matmul(a, b, e);`,
    "i* j* e*",
  ],
  ["a product in one loop", `${MATMUL} for (const e of es) matmul(a, b, e);`, "i* e*"],
  [
    "built-in objects",
    "const xs = [1], ys = [], seen = new Set(); for (const x of xs) { seen.add(x); const m = new Map([[x, JSON.stringify(x)]]); ys.push(...xs.map((y) => y.toFixed(2))); }",
    "x*",
  ],
  [
    "what waits",
    "for (const x of xs) await 0; for await (const y of ys) ; for (const z of zs) (async () => { await z; })();",
    "x y z",
  ],
  [
    "what nobody knows",
    "function go(f) { for (const x of xs) f(x); for (const y of ys) y.go(); for (const z of zs) zs.map(f); for (const u of us) fetch(u); }",
    "x y z u",
  ],
  [
    "a package",
    `${TF} for (const x of xs) tf.add(x, x); for (const y of ys) y.add(y); for (const z of zs) z.push(y);`,
    "x y z*",
  ],
  [
    "a package in a function of the program",
    `${TF} const f = (x) => { g(x); }; function g(x) { x.dispose(); } for (const x of xs) f(x); for (const y of ys) [y].forEach(f);`,
    "x y",
  ],
  [
    "methods of the program",
    "class M { #w = 0; step(x) { this.#w += x; } slow(x) { fetch(x); } } const m = new M(); for (const x of xs) m.step(x); for (const y of ys) m.slow(y);",
    "x* y",
  ],
  [
    "a namespace of the program",
    {
      "train.ts":
        'import * as ops from "./ops.ts"; for (const e of es) for (const x of xs) ops.relu(x);',
      "ops.ts":
        "export function relu(xs) { for (let i = 0; i < 3; i++) xs[i] = Math.max(0, xs[i]); }",
    },
    "e* x*",
  ],
  [
    "deep, but also from the top",
    {
      "train.ts":
        'import { relu } from "./ops.ts"; relu([]); for (const e of es) for (const x of xs) relu(x);',
      "ops.ts":
        "export const relu = (xs) => { for (let i = 0; i < 3; i++) xs[i] = Math.max(0, xs[i]); };",
    },
    "e* x* i*",
  ],
  [
    "nobody is seen to call it",
    "export function relu(xs) { for (let i = 0; i < 3; i++) xs[i]++; }",
    "i*",
  ],
  [
    "a callback inside two loops",
    "const xs = []; for (const e of es) for (const s of ss) xs.forEach((x) => { for (let i = 0; i < 3; i++) x[i]++; });",
    "e* s*",
  ],
];

describe("names of plain loops", () => {
  test.each(NAMES)("%s", (_, sources, loops) => expect(loopsOf(sources)).toBe(loops));
});

describe("trivial loops", () => {
  test.each(LIGHT)("%s", (_, sources, loops) => expect(loopsOf(sources)).toBe(loops));
});

const PROBES = [
  "al.log('p', matmul(w, w, 2));",
  "al.log('p', (() => { let n = 0; for (let e = 0; e < 2; e++) n += e; return n; })());",
  "console.log('p', tf.norm(w), [1].map((x) => { while (x > 0) x--; return x; }));",
];

test("a probe changes no loop", () => {
  const head = `import * as al from "afterlog"; ${TF}\n`;
  const lines = [
    MATMUL,
    "for (let e = 0; e < 3; e++) {",
    "for (const x of xs) {",
    "w = matmul(w, w, x);",
    "}",
    "}",
  ];
  const plain = loopsOf(lines.join("\n"));
  expect(plain).toBe("e* x*");
  for (const probe of PROBES) {
    for (let at = 1; at <= lines.length; at++) {
      const text = [...lines.slice(0, at), probe, ...lines.slice(at)].join("\n");
      expect(loopsOf(head + text), text).toBe(plain);
    }
  }
});

test("nor does a file that a probe brings along", () => {
  const train =
    "for (const e of es) for (const x of xs) work(x);\nfunction work(v) { for (let i = 0; i < 3; i++) v[i]++; }";
  const probe = '/*afterlog:added*/import { norm } from "./a.ts";\n';
  const brought =
    'import { work } from "./train.ts"; export function norm(v) { for (const e of v) work(e); for (let i = 0; i < 3; i++) v[i]--; }';
  const text = `${probe}${train.replace("work(x);", '{ work(x); al.log("n", norm(x)); }')}`;
  const files = { "train.ts": `import * as al from "afterlog"; ${text}`, "a.ts": brought };
  expect(loopsOf(train)).toBe("e* x*");
  expect(loopsOf(files)).toBe("e* x*");
  const own = { ...files, "train.ts": files["train.ts"].replace("/*afterlog:added*/", "") };
  expect(loopsOf(own)).toBe("e* x* e_2 i*");
});

describe("a loop in which its function calls itself is none of its own", () => {
  const LEFT = "1: its function calls itself in it";
  const used = "for (const e of es) sum(root);";
  test.each([
    [
      "a function",
      `function sum(n) { let s = n.v; for (const k of n.kids) s += sum(k); return s; } ${used}`,
    ],
    [
      "a constant",
      `const sum = (n) => { for (let i = 0; i < n.length; i++) print(sum(n[i])); }; ${used}`,
    ],
    [
      "both of two loops",
      `function sum(n) { for (const a of n) for (const b of a) sum(b); } ${used}`,
    ],
    [
      "a method",
      `class T { sum() { for (const k of this.kids) k.sum(); } } const root = new T(); root.kids = [new T()]; for (const e of es) root.sum();`,
    ],
  ])("%s", (_, text) => {
    const names = loopsOf(text, LOOP_RULES);
    expect(names).toMatch(/^e\*? /);
    expect(
      names
        .replace(/^e\*? /, "")
        .split(" 1: ")
        .join("; 1: "),
    ).toContain(LEFT);
    expect(loopsOf(text, LOOP_RULES - 1)).not.toContain(LEFT);
    // What is logged decides nothing.
    const probe = 'al.log("n", sum(1));';
    const asked = `import * as al from "afterlog"; ${text.replace("for (const e", `{ ${probe} } for (const e`)}`;
    expect(loopsOf(asked, LOOP_RULES)).toBe(names);
  });

  test.each([
    [
      "others of its function",
      "function f(n) { for (const k of n) work(k); f(n - 1); } for (const e of es) f(9);",
      "k e",
    ],
    [
      "a method of the same name of another class",
      "class M { train() { work(); } } class T { ms = [new M()]; train() { for (const m of this.ms) m.train(); } } const t = new T(); for (const e of es) t.train();",
      "m e",
    ],
    [
      "a question that calls it",
      'import * as al from "afterlog"; function f(n) { for (const k of n) { work(k); al.log("x", f(0)); } } for (const e of es) f(9);',
      "k e",
    ],
  ])("but %s are", (_, text, expected) => {
    expect(loopsOf(text, LOOP_RULES).replaceAll("*", "")).toBe(expected);
  });
});

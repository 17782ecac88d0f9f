/**
 * The rules of Flor's Table 2 (§3.3.1), one by one, on plain loops: what the paper's pattern would
 * estimate, and what the points-to analysis finds instead (decision 0010). "No estimate" is a
 * change out of reach: such a loop is executed again. Precedence has nothing to decide here:
 * what several rules say of one statement is added up.
 */
import { describe, expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";
import { changedNames } from "./check.ts";
import type { Sources } from "./check.ts";

function changes(sources: Sources, loop: number): string {
  const files = typeof sources === "string" ? { "train.ts": sources } : sources;
  const read = (file: string): string | undefined => files[file as keyof typeof files];
  return changedNames(analyzeProgram("train.ts", read, { handsFree: true }), loop);
}

const LIB = 'import { f, Model } from "some-lib";';
const MODEL = `class M { w = [0]; step(x) { this.w[0] += x; return this.w[0]; } size() { return this.w.length; } }
const model = new M();`;

type Row = readonly [what: string, sources: Sources, flor: string, ours: string, loop?: number];

const RULES: readonly Row[] = [
  [
    "0: a changed variable gets another value",
    "let a = { n: 0 }, b = { n: 0 }; for (let i = 0; i < 3; i++) { a.n++; a = b; }",
    "no estimate",
    "a b i",
  ],
  [
    "0 before 1: it gets what its own method gives",
    "let m = { n: 0, next() { this.n++; return { ...this }; } }; while (m.n < 3) { m.n = 1; m = m.next(); }",
    "no estimate",
    "m",
  ],
  [
    "1: what a method gives",
    `${MODEL} let loss; for (const x of [1, 2]) loss = model.step(x);`,
    "{model, loss}",
    "loss model",
  ],
  [
    "1, exactly: the method changes nothing",
    `${MODEL} let n; for (const x of [1, 2]) n = model.size() + x;`,
    "{model, n}",
    "n",
  ],
  [
    "1, several at once",
    "const o = { pair() { return [1, 2]; } }; let a, b; for (const x of [1]) [a, b] = o.pair();",
    "{o, a, b}",
    "a b",
  ],
  [
    "2: what a function gives",
    "function f(x) { return x + 1; } let v = 0; for (const x of [1]) v = f(x);",
    "{v}",
    "v",
  ],
  [
    "2, exactly: the function changes what it is given",
    "function f(m) { m.w++; return m.w; } const m = { w: 0 }; let v; for (const x of [1]) v = f(m);",
    "{v}",
    "m v",
  ],
  [
    "2: a function that nobody knows",
    `${LIB} const m = { w: 0 }; let v; for (const x of [1]) v = f(m);`,
    "{v}",
    "m the state of some-lib:out-of-reach v",
  ],
  ["3: an assignment", "let a = 1, b = 2; for (const x of [1]) a = b + x;", "{a}", "a"],
  [
    "3, several at once",
    "let a = 1, b = 2; for (const x of [1, 2]) [a, b] = [b, a];",
    "{a, b}",
    "a b",
  ],
  ["4: a method", `${MODEL} for (const x of [1]) model.step(x);`, "{model}", "model"],
  [
    "4, exactly: the method changes nothing",
    `${MODEL} for (const x of [1]) model.size();`,
    "{model}",
    "",
  ],
  [
    "4: a method that nobody knows",
    `${LIB} const m = new Model(); for (const x of [1]) m.step(x);`,
    "{m}",
    "m the state of a package:out-of-reach",
  ],
  [
    "5: a function, for what it does",
    "let n = 0; function f() { n++; } for (const x of [1]) f();",
    "no estimate",
    "n",
  ],
  [
    "5: a function that nobody knows",
    `${LIB} for (const x of [1]) f();`,
    "no estimate",
    "the state of some-lib:out-of-reach",
  ],
  [
    "no rule: nothing is changed",
    "const a = [1]; for (const x of a) if (x > 1) console.log('x', x);",
    "{}",
    "",
  ],
  [
    "the filter: what is scoped to the loop",
    "for (const x of [1]) { let a = x; const b = [a]; b.push(a++); }",
    "{}",
    "",
  ],
  [
    "the filter, exactly: a var is not",
    "for (const x of [1]) { var last = x; } console.log(last);",
    "{} (misses last)",
    "last",
  ],
  [
    "at run time: the model through its optimizer",
    `import * as tf from "@tensorflow/tfjs-node";
    const w = tf.variable(tf.scalar(1)); const opt = tf.train.adam(0.1);
    for (let e = 0; e < 3; e++) opt.minimize(() => w.square());`,
    "{opt, e} and, at run time, w",
    "e opt w",
  ],
];

const REFINED: readonly Row[] = [
  ["a member", "const o = { n: 0 }; for (const x of [1]) o.n = x;", "", "o"],
  [
    "a member of a member",
    "const o = { a: { n: 0 } }; const q = o.a; for (const x of [1]) o.a.n = x;",
    "",
    "o q",
  ],
  ["an element", "const xs = [0], k = 0; for (const x of [1]) xs[k] = x;", "", "xs"],
  [
    "a typed array through a view",
    "const b = new ArrayBuffer(8); const f = new Float32Array(b); for (const x of [1]) f[0] = x;",
    "",
    "b f",
  ],
  ["an update", "let n = 0; const o = { n: 0 }; for (const x of [1]) { n++; --o.n; }", "", "n o"],
  [
    "compound assignments",
    "let n = 1, m = null; for (const x of [1]) { n *= 2; m ??= x; }",
    "",
    "m n",
  ],
  [
    "destructuring",
    "let a, rest; const o = {}; for (const x of [[1, 2]]) { [a, ...rest] = x; ({ a: o.k } = { a }); }",
    "",
    "a o rest",
  ],
  [
    "a default that changes something",
    "let n = 0, a; for (const x of [{}]) ({ a = n++ } = x);",
    "",
    "a n",
  ],
  [
    "a closure passed to a call",
    "let n = 0; for (const x of [1]) [1, 2].forEach((y) => { n += y; });",
    "",
    "n",
  ],
  [
    "a closure passed to a function of the program",
    "let n = 0; function twice(f) { f(); f(); } for (const x of [1]) twice(() => n++);",
    "",
    "n",
  ],
  [
    "a closure passed to who knows whom",
    `${LIB} let n = 0; for (const x of [1]) f(() => n++);`,
    "",
    "n the state of some-lib:out-of-reach",
  ],
  [
    "await",
    "let n = 0; async function f() { await 0; n++; } for (const x of [1]) await f();",
    "",
    "n",
  ],
  [
    "this, in the method that loops",
    "class T { n = 0; fit() { for (let e = 0; e < 2; e++) this.step(); } step() { this.n++; } } new T().fit();",
    "",
    "e this",
  ],
  [
    "this, of the variable that holds it",
    "class T { n = 0; step() { this.n++; } } const t = new T(); for (let e = 0; e < 2; e++) t.step();",
    "",
    "e t",
  ],
  [
    "a private field",
    "class T { #n = 0; step() { this.#n++; } } const t = new T(); while (t) t.step();",
    "",
    "t",
  ],
  [
    "a variable of another file",
    {
      "train.ts": 'import { up } from "./count.ts"; for (const x of [1]) up();',
      "count.ts": "let n = 0; export function up() { n++; }",
    },
    "",
    "n:bound",
  ],
  [
    "recursion",
    "let n = 0; function f(k) { if (k > 0) { n++; f(k - 1); } } for (const x of [1]) f(3);",
    "",
    "n",
  ],
  [
    "a caller's object",
    "function train(m) { for (let e = 0; e < 2; e++) m.w++; } function main() { const m = { w: 0 }; train(m); return m.w; } main();",
    "",
    "e m m:bound",
  ],
  [
    "but not what the call is made for",
    "function train() { const m = { w: 0 }; for (let e = 0; e < 2; e++) m.w++; return m; } const top = main(); function main() { const made = train(); return made; }",
    "",
    "e m",
  ],
  ["a test", "const xs = [1, 2]; let x; while ((x = xs.pop())) ;", "", "x xs"],
  ["an update of the head", "for (let i = 0, o = { n: 0 }; i < 3; i++, o.n++) ;", "", "i o"],
  ["a head that is constant", "for (const o = { n: 0 }; o.n < 3; o.n++) ;", "", "o"],
  [
    "an outer head in an inner loop",
    "for (let i = 0; i < 9; i++) for (const x of [1]) i += x;",
    "",
    "i",
    1,
  ],
  [
    "a head that functions keep",
    "const f = []; for (let i = 0; i < 3; i++) f.push(() => i);",
    "",
    "f i:out-of-reach",
  ],
  ["a global", "for (const x of [1]) globalThis.n = x;", "", "n:out-of-reach"],
];

function check(rows: readonly Row[]): void {
  test.each(rows.map((row) => ({ what: row[0], row })))("$what", ({ row }) => {
    const [, sources, , ours, loop = 0] = row;
    expect(changes(sources, loop)).toBe(ours);
  });
}

describe("Flor's Table 2, rule", () => {
  check(RULES);
});

describe("made exact", () => {
  check(REFINED);
});

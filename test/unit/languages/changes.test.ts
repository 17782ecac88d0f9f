/** What a loop may change: small programs in the taste of the field, with the exact answer. */
import { describe, expect, test } from "vitest";
import type { Sources } from "./check.ts";
import { changesOf, LOOP } from "./check.ts";

type Row = readonly [what: string, sources: Sources, changes: string, loop?: number];

const STATE: readonly Row[] = [
  [
    "an iterable of an unknown library calls what it was given",
    `import { mapper } from "some-lib"; let n = 0;
    for (const e of al.loop("e", mapper([1], () => n++))) ;`,
    "n the state of a package:out-of-reach",
  ],
  [
    "what an unknown library made is gone over inside, or awaited",
    `import lib from "some-lib"; let n = 0; let m = 0;
    const it = lib.mapper(() => n++); const later = lib.lazy(() => m++);
    ${LOOP} { const all = [...it]; await later; }`,
    "it later m n the state of a package:out-of-reach",
  ],
  [
    "an accumulator",
    `let total = 0; const n = 3; ${LOOP} { total += e; } al.log("t", total / n);`,
    "total",
  ],
  [
    "a generator that is asked for its iterator",
    `let n = 0; function* g() { n++; yield 1; } const it = g()[Symbol.iterator]();
    ${LOOP} it.next();`,
    "it n",
  ],
  ["nothing", `const a = [1]; let b = 2; ${LOOP} { const c = a[0] + b; al.log("c", c); }`, ""],
  ["a counter", `let n = 0; ${LOOP} n++;`, "n"],
  ["the loop's own variable", `let last; for (last of al.loop("e", [1, 2])) ;`, "last"],
  ["what the body declares", `${LOOP} { let a = 0; a++; const b = []; b.push(a); }`, ""],
  ["a var of the body", `${LOOP} { var a = e; }`, "a"],
  [
    "a best model by copy",
    `let best = null; let low = Infinity; const w = new Float32Array(3);
    ${LOOP} { w[0] = e; if (w[0] < low) { low = w[0]; best = w.slice(); } }`,
    "best low w",
  ],
  [
    "a best model by reference",
    `let best; const m = { w: 1 }; ${LOOP} { m.w++; best ??= m; }`,
    "best m",
  ],
  [
    "structuredClone",
    `const m = { w: [1] }; let best; ${LOOP} { best = structuredClone(m); best.w[0]++; }`,
    "best",
  ],
  [
    "a spread copy that shares inner objects",
    `const m = { a: { n: 0 } }; ${LOOP} { const c = { ...m }; c.a.n++; }`,
    "m",
  ],
  [
    "a spread copy that is changed itself",
    `const m = { a: 1 }; ${LOOP} { const c = { ...m }; c.a++; }`,
    "",
  ],
  ["an array copy", `const xs = [3, 1, 2]; ${LOOP} { const ys = [...xs].sort(); ys.push(1); }`, ""],
  ["toSorted", `const xs = [3, 1, 2]; ${LOOP} { const ys = xs.toSorted(); ys.pop(); }`, ""],
  [
    "a shuffle in place",
    `const order = [1, 2, 3];
    function shuffle(a) { for (let i = a.length - 1; i > 0; i--) { const j = 0; [a[i], a[j]] = [a[j], a[i]]; } }
    ${LOOP} shuffle(order);`,
    "order",
  ],
  [
    "a shuffle of a copy",
    `const order = [1, 2, 3];
    const shuffle = (a) => { const b = a.slice(); b.reverse(); return b; };
    ${LOOP} { const s = shuffle(order); }`,
    "",
  ],
  ["a swap by destructuring", `let a = 1; let b = 2; ${LOOP} { [a, b] = [b, a]; }`, "a b"],
  ["a sum into an object", `const sums = { loss: 0 }; ${LOOP} sums.loss += e;`, "sums"],
  ["a history", `const history = []; ${LOOP} history.push({ e, loss: 1 });`, "history"],
  ["a Map", `const seen = new Map(); ${LOOP} seen.set(e, (seen.get(e) ?? 0) + 1);`, "seen"],
  [
    "a Map that is read",
    `const table = new Map([[1, 2]]); let x = 0; ${LOOP} x = table.get(1);`,
    "x",
  ],
  ["an object in a Map", `const m = new Map([["a", { n: 0 }]]); ${LOOP} { m.get("a").n++; }`, "m"],
  ["a Set", `const seen = new Set(); ${LOOP} { seen.add(e); }`, "seen"],
  ["delete", `const o = { a: 1 }; ${LOOP} { delete o.a; }`, "o"],
  [
    "a typed array by a view",
    `const w = new Float32Array(8); ${LOOP} { w.subarray(2, 4).fill(1); }`,
    "w",
  ],
  [
    "two views of a buffer",
    `const b = new ArrayBuffer(8); const f = new Float32Array(b); const u = new Uint8Array(b);
    ${LOOP} { f[0] = 1; }`,
    "b f u",
  ],
  ["an alias", `const a = { n: 0 }; const b = a; ${LOOP} b.n++;`, "a b"],
  [
    "an alias that is chosen",
    `const a = { n: 0 }; const b = { n: 0 }; let c = a; ${LOOP} { c = c === a ? b : a; c.n++; }`,
    "a b c",
  ],
  [
    "an alias in a box",
    `const a = { n: 0 }; const box = { a }; const other = { n: 1 }; ${LOOP} box.a.n++;`,
    "a box",
  ],
  [
    "a moving average",
    `let ema = null; const w = [1, 2]; ${LOOP} { ema = ema ? ema.map((v, i) => v * 0.9 + w[i]) : w.slice(); }`,
    "ema",
  ],
  ["Object.assign", `const a = {}; const b = { n: 1 }; ${LOOP} Object.assign(a, b);`, "a"],
  [
    "a frozen look",
    `const a = Object.freeze({ n: 1 }); ${LOOP} { const b = Object.keys(a); b.push("x"); }`,
    "",
  ],
  [
    "parameters passed on",
    `const cfg = { lr: 1 }; function f(c) { return c.lr; } let x; ${LOOP} x = f(cfg);`,
    "x",
  ],
  [
    "a default parameter",
    `const cache = []; function f(x, c = cache) { c.push(x); } ${LOOP} f(e);`,
    "cache",
  ],
  [
    "rest and spread",
    `const a = { n: 0 }; const b = { n: 0 }; function f(...xs) { xs[0].n++; } ${LOOP} f(...[a]);`,
    "a",
  ],
  ["a catch clause", `const o = { n: 0 }; ${LOOP} { try { throw o; } catch (x) { x.n++; } }`, "o"],
  ["a label", `let a = 0; outer: ${LOOP} { for (;;) { a++; continue outer; } }`, "a"],
  ["optional chaining", `const o = { p: { n: 0 } }; ${LOOP} { o?.p?.["q"]?.r; o.p.n &&= 2; }`, "o"],
  [
    "a template tag",
    `let n = 0; const t = (s, ...v) => { n += v.length; }; ${LOOP} t\`x\${e}\`;`,
    "n",
  ],
];

const FUNCTIONS: readonly Row[] = [
  [
    "a schedule as a closure",
    `function cosine(lr) { let t = 0; return () => lr * ++t; } const next = cosine(1); let x; ${LOOP} x = next();`,
    "t:bound x",
  ],
  [
    "an arrow's parameter",
    `const make = (lr) => () => (lr *= 0.9); const next = make(1); ${LOOP} next();`,
    "lr:bound",
  ],
  [
    "a closure nobody calls",
    `function make() { let t = 0; return { up: () => t++, at: () => t }; } const c = make(); ${LOOP} c.at();`,
    "",
  ],
  [
    "a callback with forEach",
    `let sum = 0; const xs = [1, 2]; ${LOOP} xs.forEach((x) => { sum += x; });`,
    "sum",
  ],
  [
    "a local of a callee",
    `const xs = [1, 2]; function mean() { let s = 0; xs.forEach((x) => { s += x; }); return s; } ${LOOP} mean();`,
    "",
  ],
  [
    "recursion",
    `const tree = { n: 0, kids: [] }; function visit(t) { t.n++; t.kids.forEach(visit); } ${LOOP} visit(tree);`,
    "tree",
  ],
  [
    "a function called before the loop only",
    `const data = []; function load(d) { d.push(1); } load(data); let x; ${LOOP} x = data[0];`,
    "x",
  ],
  [
    "one helper for data and for state",
    `const zeros = (n) => new Float32Array(n);
    const fill = (a, v) => { for (let i = 0; i < a.length; i++) a[i] = v; return a; };
    const data = fill(zeros(9), 1); const w = fill(zeros(9), 0); ${LOOP} fill(w, e);`,
    "w",
  ],
  [
    "a helper of a helper",
    `const make = () => []; const two = () => make(); const a = two(); const b = two(); ${LOOP} a.push(1);`,
    "a",
  ],
  [
    "a view helper on data and on state",
    `const row = (m, i) => m.subarray(i, i + 1); const data = new Float32Array(9); const w = new Float32Array(9);
    let x; ${LOOP} { x = row(data, 1)[0]; row(w, 1)[0] = x; }`,
    "w x",
  ],
  [
    "bind, call and apply",
    `const a = { n: 0 }; const b = { n: 0 }; const c = { n: 0 }; function f() { this.n++; }
    const g = f.bind(a); ${LOOP} { g(); f.call(b); f.apply(c, []); }`,
    // What a bound function holds is got through it alone, for all that is known.
    "a b c g",
  ],
  [
    "an async step",
    `let loss = 0; const m = { w: 1 }; async function step() { m.w++; return m.w; } ${LOOP} loss = await step();`,
    "loss m",
  ],
  ["a promise chain", `let n = 0; ${LOOP} await Promise.resolve(1).then((v) => { n += v; });`, "n"],
  [
    "a loop in a function",
    `let total = 0; function train(model) { let best = 0; ${LOOP} { total++; best = e; model.w++; } return best; } train({ w: 0 });`,
    "best model total",
  ],
  [
    "a caller's variable",
    `function train(m) { ${LOOP} m.w++; } function main() { const model = { w: 0 }; train(model); return model.w; } main();`,
    "m model:bound",
  ],
  [
    "a caller's variable that nobody changes",
    `function train(m, d) { ${LOOP} m.w += d[0]; } function main() { const data = [1]; const model = { w: 0 }; train(model, data); } main();`,
    "m model:bound",
  ],
  [
    "a caller inside a recorded loop",
    `function inner(m) { ${LOOP} m.w++; } const model = { w: 0 }; for (const k of al.loop("k", [1])) { inner(model); }`,
    "m model",
    0,
  ],
  [
    "a function that calls itself around the loop",
    `function train(depth, m) { let n = 0; ${LOOP} { n++; m.w++; if (depth > 0) train(depth - 1, m); } } train(2, { w: 0 });`,
    "m:bound n:bound",
  ],
];

const CLASSES: readonly Row[] = [
  [
    "a trainer",
    `class Trainer { w = 0; data = [1]; fit() { ${LOOP} { this.step(); } } step() { this.w++; } } const t = new Trainer(); t.fit();`,
    "t this",
  ],
  [
    "a trainer that only reads",
    `class Net { w = 1; run(x) { return this.w * x; } } const net = new Net(); let y; ${LOOP} y = net.run(e);`,
    "y",
  ],
  [
    "private fields",
    `class Adam { #t = 0; step() { this.#t++; } } const adam = new Adam(); ${LOOP} adam.step();`,
    "adam",
  ],
  [
    "a static counter",
    `class C { static n = 0; static up() { C.n++; } } ${LOOP} C.up();`,
    "C n of a class or function:out-of-reach",
  ],
  [
    "what a static field holds",
    `class C { static #all = []; static add(x) { C.#all.push(x); } } ${LOOP} C.add(e);`,
    "#all of a class or function:out-of-reach C",
  ],
  [
    "the only instance, which its class holds",
    `class C { static one = new C(); w = [0]; up() { this.w[0]++; } } ${LOOP} C.one.up();`,
    "C one of a class or function:out-of-reach",
  ],
  [
    "what a function and a prototype hold",
    `function f() { f["ca" + "che"].push(1); } f["ca" + "che"] = []; class P {} P.prototype.all = [];
    const p = new P(); ${LOOP} { f(); p.all.push(e); }`,
    "P a field of a class or function:out-of-reach all of a class or function:out-of-reach f prototype of a class or function:out-of-reach",
  ],
  [
    "a getter that changes",
    `class C { #n = 0; get next() { return ++this.#n; } } const c = new C(); let x; ${LOOP} x = c.next;`,
    "c x",
  ],
  [
    "a setter",
    `class C { #n = 0; set n(v) { this.#n = v; } } const c = new C(); ${LOOP} c.n = e;`,
    "c",
  ],
  [
    "inheritance",
    `class B { n = 0; up() { this.n++; } } class C extends B { up() { super.up(); } } const c = new C(); const d = new B(); ${LOOP} c.up();`,
    "c",
  ],
  [
    "an optimizer that holds the model",
    `class Sgd { constructor(m) { this.m = m; } step() { this.m.w--; } } const model = { w: 0 }; const opt = new Sgd(model); ${LOOP} opt.step();`,
    "model opt",
  ],
  [
    "two instances",
    `class C { n = 0; up() { this.n++; } } const a = new C(); const b = new C(); ${LOOP} a.up();`,
    "a",
  ],
  [
    "a prototype method by hand",
    `function C() { this.n = 0; } C.prototype.up = function () { this.n++; }; const c = new C(); ${LOOP} c.up();`,
    "c",
  ],
];

const ITERATORS: readonly Row[] = [
  [
    "a generator of its own",
    `function* g() { let i = 0; while (i < 3) yield i++; } ${LOOP.replace("al.range(3)", "g()")} ;`,
    "",
  ],
  [
    "a generator in a variable",
    `function* g() { yield 1; } const it = g(); ${LOOP.replace("al.range(3)", "it")} ;`,
    "",
  ],
  [
    "a generator that is used elsewhere too",
    `function* g() { yield 1; yield 2; } const it = g(); it.next(); ${LOOP.replace("al.range(3)", "it")} ;`,
    "it",
  ],
  [
    "a generator advanced by hand",
    `function* g() { yield 1; } const it = g(); let x; ${LOOP} x = it.next().value;`,
    "it x",
  ],
  [
    "a generator that changes outer state",
    `let seen = 0; function* g() { seen++; yield 1; } ${LOOP.replace("al.range(3)", "g()")} ;`,
    "seen",
  ],
  [
    "a loader class",
    `class Loader { i = 0; [Symbol.iterator]() { return this; } next() { return { done: this.i++ > 3, value: 1 }; } } const l = new Loader(); ${LOOP.replace("al.range(3)", "l")} ;`,
    "l",
  ],
  [
    "prefetch",
    `const load = async (i) => i; let next = load(0); let x; ${LOOP} { x = await next; next = load(e + 1); }`,
    "next x",
  ],
];

const FILES: readonly Row[] = [
  [
    "a variable of another file",
    {
      "train.ts": `import { up } from "./c.ts"; import * as al from "afterlog"; ${LOOP} up();`,
      "c.ts": "let n = 0; export function up() { n++; } export const at = () => n;",
    },
    "n:bound",
  ],
  [
    "an exported object",
    {
      "train.ts": `import { state } from "./c"; import * as al from "afterlog"; ${LOOP} state.n++;`,
      "c.ts": "export const state = { n: 0 }; export const data = [1];",
    },
    "state:bound",
  ],
  [
    "a default export",
    {
      "train.ts": `import model from "./m.js"; import * as al from "afterlog"; ${LOOP} model.w++;`,
      "m.ts": "export default { w: 0 };",
    },
    "model",
  ],
  [
    "an export of an export",
    {
      "train.ts": `import { s as t } from "./a.ts"; import * as al from "afterlog"; ${LOOP} t.n++;`,
      "a.ts": 'export * from "./b.ts";',
      "b.ts": "const s = { n: 0 }; export { s };",
    },
    "s:bound",
  ],
  [
    "a namespace",
    {
      "train.ts": `import * as c from "./c.ts"; import * as al from "afterlog"; ${LOOP} c.up();`,
      "c.ts": "export let n = 0; export const up = () => { n++; };",
    },
    "n:bound",
  ],
  [
    "CommonJS",
    {
      "train.ts": `const al = require("afterlog"); const { up } = require("./c.cjs"); ${LOOP} up();`,
      "c.cjs": "let n = 0; exports.up = () => { n++; };",
    },
    "n:bound",
  ],
  [
    "a file that is not there",
    { "train.ts": `import { x } from "./gone.ts"; import * as al from "afterlog"; ${LOOP} x();` },
    "the state of ./gone.ts:out-of-reach ? train.ts: ./gone.ts was not found",
  ],
];

const OUTSIDE: readonly Row[] = [
  [
    "a library nobody knows",
    `import { fit } from "mystery"; const m = { w: { v: 1 } }; const inner = m.w; const other = {}; ${LOOP} fit(m);`,
    "inner m the state of mystery:out-of-reach",
  ],
  [
    "a method nobody knows",
    `import { Net } from "mystery"; const net = new Net(); const x = [1]; ${LOOP} net.train(x);`,
    "net the state of a package:out-of-reach x",
  ],
  [
    "a callback to a library nobody knows",
    `import { each } from "mystery"; let n = 0; ${LOOP} each(() => { n++; });`,
    "n the state of mystery:out-of-reach",
  ],
  [
    "a generator of a package, whose state no checkpoint holds",
    `import seeded from "mystery"; const random = seeded("a"); let x = 0; ${LOOP} x += random();`,
    "random the state of a package:out-of-reach x",
  ],
  [
    "functions that keep nothing to themselves",
    `import { sum } from "simple-statistics"; const xs = [1]; ${LOOP} { const s = sum(xs); }`,
    "",
  ],
  [
    "console, Math and JSON",
    `const o = { a: [1] }; ${LOOP} { console.log(o, Math.max(...o.a), JSON.stringify(o)); }`,
    "",
  ],
  [
    "node:fs",
    `import fs from "node:fs"; const buf = new Uint8Array(4); const name = { a: 1 }; ${LOOP} { fs.readSync(3, buf); fs.existsSync(name.a); }`,
    "buf the state of fs.readSync:out-of-reach",
  ],
  ["the environment", `${LOOP} { process.env.X = "1"; }`, "process.env.X:out-of-reach"],
  ["import.meta", `${LOOP} { import.meta.best = 1; }`, "import.meta.best:out-of-reach"],
  ["what reads it", `const u = new URL("x", import.meta.url); ${LOOP} { console.log(u); }`, ""],
  [
    "an object that is a function",
    `class F extends Function {} const f = new F("a", "return a"); ${LOOP} { f.n = 1; }`,
    "f n of a class or function:out-of-reach",
  ],
  [
    "declared by field",
    `const model = { w: 0 }; al.checkpointing({ model }); ${LOOP} model.w++;`,
    "model:declared",
  ],
  [
    "declared as a record",
    `const state = al.checkpointing({ p: [1] }); ${LOOP} state.p = [2];`,
    "state:declared",
  ],
  [
    "a field that is set anew",
    `const p = { w: 0 }; const state = al.checkpointing({ p }); ${LOOP} { p.w++; state.p = { w: 1 }; }`,
    "p state:declared",
  ],
  [
    "declared in a branch",
    `const p = { w: 0 }; if (p.w === 0) al.checkpointing({ p }); ${LOOP} p.w++;`,
    "p",
  ],
  ["declared after the loop", `const p = { w: 0 }; ${LOOP} p.w++; al.checkpointing({ p });`, "p"],
  [
    "a let is not declared",
    `let p = { w: 0 }; al.checkpointing({ p }); ${LOOP} { p = { w: 1 }; }`,
    "p",
  ],
];

describe.each<readonly [string, readonly Row[]]>([
  ["variables and objects", STATE],
  ["functions", FUNCTIONS],
  ["classes", CLASSES],
  ["iterators", ITERATORS],
  ["files", FILES],
  ["what is from outside, and declared", OUTSIDE],
])("changes: %s", (_, rows) => {
  test.each(rows.map((row) => ({ what: row[0], row })))("$what", ({ row }) => {
    const [, sources, changes, loop] = row;
    expect(changesOf(sources, loop)).toBe(changes);
  });
});

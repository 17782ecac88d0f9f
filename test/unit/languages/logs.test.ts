/** Where log statements run: loops around, through calls, and what certainly comes after. */
import { describe, expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";
import type { SourceModel } from "../../../src/languages/index.ts";
import type { Sources } from "./check.ts";
import { modelOf } from "./check.ts";

/** Each way to the statement that logs `x`: names of loops, `?` if uncertain, and what follows. */
function waysTo(sources: Sources): string[] {
  return waysIn(modelOf(sources));
}

function waysIn({ logs, loops }: SourceModel): string[] {
  const name = (id: number): string => loops[id]?.name ?? "-";
  return logs
    .filter((log) => log.name === "x")
    .map(({ chain, certain, before }) => {
      const around = `[${chain.map(name).join()}]${certain ? "" : "?"}`;
      return before.length > 0 ? `${around} < ${before.map(name).join()}` : around;
    });
}

const A = 'for (const a of al.loop("a", [1]))';
const B = 'for (const b of al.loop("b", [1]))';
const X = 'al.log("x", 1);';
const PRINT = 'console.log("x:", 1);';

describe("ways to a statement", () => {
  test.each<readonly [what: string, sources: Sources, ways: readonly string[]]>([
    ["at the top", X, ["[]"]],
    ["before the loops", `${X} ${A} ;  ${B} ;`, ["[] < a,b"]],
    ["between the loops", `${A} ; ${X} ${B} ;`, ["[] < b"]],
    ["after the loops", `${A} ; ${X}`, ["[]"]],
    ["in a loop", `${A} { ${X} }`, ["[a]"]],
    ["in nested loops", `${A} { ${B} { ${X} } }`, ["[a,b]"]],
    ["before an inner loop", `${A} { ${X} ${B} ; }`, ["[a] < b"]],
    ["after an inner loop", `${A} { ${B} ; ${X} }`, ["[a]"]],
    ["in the head of a loop", 'for (const a of al.loop("a", [al.log("x", 1)])) ;', ["[]"]],
    ["in a branch", `if (Math.random() > 1) { ${X} } ${A} ;`, ["[] < a"]],
    ["in a plain loop before", `for (let i = 0; i < 3; i++) { ${X} } ${A} ;`, ["[] < a"]],
    ["in a plain loop with the loop", `for (let i = 0; i < 3; i++) { ${X} ${A} ; }`, ["[]"]],
    ["a value on the way", `${A} { const v = al.log("x", 1); }`, ["[a]"]],
    ["around a call that loops", `function f() { ${A} ; } al.log("x", f());`, ["[]"]],
    ["in a function called from a loop", `function f() { ${X} } ${A} { f(); }`, ["[a]"]],
    ["in a function called before", `function f() { ${X} } f(); ${A} ;`, ["[] < a"]],
    ["called from two places", `function f() { ${X} } f(); ${A} { f(); }`, ["[] < a", "[a]"]],
    ["two calls deep", `const g = () => { ${X} }; function f() { g(); } ${A} ${B} f();`, ["[a,b]"]],
    ["a loop in a function", `function f() { ${A} { ${X} } } ${B} { f(); }`, ["[b,a]"]],
    ["a method", `class T { run() { ${A} this.go(); } go() { ${X} } } new T().run();`, ["[a]"]],
    ["a callback", `${A} [1].forEach(() => { ${X} });`, ["[a]"]],
    ["an async function that is awaited", `async function f() { ${X} } ${A} await f();`, ["[a]"]],
    ["one that nobody waits for", `async function f() { await 1; ${X} } ${A} { f(); }`, ["[a]?"]],
    ["a main that nobody waits for", `async function main() { ${A} { ${X} } } main();`, ["[a]"]],
    [
      "a main with catch",
      `async function main() { ${A} { ${X} } } main().catch(() => 1);`,
      ["[a]"],
    ],
    ["a timer", `${A} setTimeout(() => { ${X} }, 1);`, ["[a]?"]],
    [
      "a generator that a loop goes over",
      `function* g() { ${X} yield 1; } for (const a of al.loop("a", g())) ;`,
      ["[a]?"],
    ],
    [
      "a generator in a plain loop",
      `function* g() { ${X} yield 1; } ${A} for (const y of g()) ;`,
      ["[a]?"],
    ],
    [
      "a library nobody knows",
      `import { each } from "mystery"; ${A} each(() => { ${X} });`,
      ["[a]?"],
    ],
    ["a function nobody calls", `function f() { ${X} } ${A} ;`, ["[]?"]],
    ["recursion", `function f(n) { ${X} if (n) f(n - 1); } ${A} f(2);`, ["[a]?"]],
    [
      "a fit",
      `await al.fit({}, 1, 2, { callbacks: { onEpochEnd() { ${X} } } });`,
      ["[epoch]?", "[epoch,batch]?"],
    ],
    [
      "another file",
      {
        "train.ts": `import * as al from "afterlog"; import { f } from "./f.ts"; ${A} f();`,
        "f.ts": `import { log } from "afterlog"; export const f = () => { log("x", 1); };`,
      },
      ["[a]"],
    ],
    [
      "the body of another file",
      {
        "train.ts": `import * as al from "afterlog"; import "./f.ts"; ${A} ;`,
        "f.ts": `import { log } from "afterlog"; log("x", 1);`,
      },
      ["[] < a"],
    ],
    ["a getter", `const o = { get v() { ${X} return 1; } }; ${A} o.v;`, ["[a]"]],
    ["a hidden loop", `const it = al.loop("h", [1]); for (const h of it) { ${X} }`, ["[]?"]],
  ])("%s", (_, sources, ways) => {
    expect(waysTo(sources)).toEqual(ways);
  });
});

test("a computed name has a pattern if it is a template", () => {
  const { logs } = modelOf(
    'const k = 1; al.log(`w.${k}/norm`, 1); al.log("a" + k, 2); al.log(`plain`, 3);',
  );
  expect(logs.map(({ name, pattern }) => [name, pattern])).toEqual([
    [null, "^w\\.[\\s\\S]*\\/norm$"],
    [null, undefined],
    ["plain", undefined],
  ]);
  expect(new RegExp(logs[0]?.pattern ?? "").test("w.12/norm")).toBe(true);
});

test("a statement knows its text and its place", () => {
  const [log] = modelOf({
    "train.ts": 'import { log } from "afterlog";\n\n  log("x", { a: 1 });',
  }).logs;
  expect(log).toMatchObject({ file: "train.ts", line: 3, column: 3, text: 'log("x", { a: 1 })' });
});

describe("what a statement logs may change the program", () => {
  test.each([
    ["n", false],
    ["n++", true],
    ["(n = 2)", true],
    ["xs.length", false],
    ["xs.pop()", true],
    ["[...xs].sort()[0]", false],
    ["xs.toSorted()[0]", false],
    ["xs.sort()[0]", true],
    ["norm(xs)", false],
    ["bump()", true],
    ["net.w", false],
    ["net.step()", true],
    ["net.read()", false],
    ["unknown(xs)", true],
    ["Math.sqrt(n)", false],
    ["xs.reduce((a, x) => a + x, 0)", false],
    ["it.next().value", true],
    ["np.sum(np.square(g.ref)).item()", false],
    ["v.norm().dataSync()[0]", false],
    ["tf.tidy(() => model.getWeights()[0].square().mean().dataSync()[0])", false],
    ["v.assign(tf.zeros([3]))", true],
    ["model.add(tf.layers.dense({ units: 1 }))", true],
    ["(() => { let s = 0; for (const x of xs) s += x; return s; })()", false],
  ])("%s: %s", (value, changes) => {
    const { logs } =
      modelOf(`import { unknown } from "mystery"; import { numpy as np } from "@jax-js/jax";
      import * as tf from "@tensorflow/tfjs"; const v = tf.variable(tf.ones([3])); const model = tf.sequential();
      let n = 0; const xs = [1, 2]; function* gen() { yield 1; } const it = gen(); const g = np.ones([3]);
      class Net { w = 0; step() { return this.w++; } read() { return this.w; } } const net = new Net();
      function norm(v) { const s = v.map((x) => x * x); s.reverse(); let t = 0; for (const x of s) t += x; return t; }
      const bump = () => ++n;
      for (const e of al.loop("e", [1])) { al.log("x", ${value}); }`);
    expect(logs[0]?.changes ?? false).toBe(changes);
  });
});

/** A light function, a heavy one, and one that is light and logs. */
const LIGHT = "function relu(v) { for (let k = 0; k < 3; k++) v[k] = v[k] > 0 ? v[k] : 0; }";
const LOGGING = `function sum(v) { let s = 0; for (let k = 0; k < 3; k++) { s += v[k]; ${PRINT} } }`;

describe("ways to a statement between plain loops", () => {
  test.each<readonly [what: string, text: string, ways: readonly string[]]>([
    [
      "in each of them",
      `for (let a = 0; a < 2; a++) { ${PRINT} while (f()) { ${PRINT} } }`,
      ["[a] < while", "[a,while]"],
    ],
    ["in a test", `while (console.log("x:", 1)) f();`, ["[while]?"]],
    [
      "in the beginning of a for",
      `for (let a = console.log("x:", 1); a < 2; a++) f(); while (f()) f();`,
      ["[] < while"],
    ],
    ["in a do, before another", `do { ${PRINT} } while (f()); for (const b of bs) f();`, ["[do]"]],
    [
      "before a light loop in two others",
      `${LIGHT} for (const a of as) for (const b of bs) { ${PRINT} relu(b); f(); }`,
      ["[a,b]"],
    ],
    [
      "in a light loop in two others",
      `${LOGGING} for (const a of as) for (const b of bs) { sum(b); f(); }`,
      ["[a,b]"],
    ],
    [
      "in a light loop in one and in two",
      `${LOGGING} for (const a of as) { sum(a); for (const b of bs) { sum(b); f(); } }`,
      ["[a,k]", "[a,b]"],
    ],
    [
      "beside a loop in a light loop",
      `function g(v) { for (let k = 0; k < 3; k++) { ${PRINT} for (let j = 0; j < 3; j++) v[j]++; } } for (const a of as) for (const b of bs) g(b); g(as); f();`,
      ["[a,b]", "[k] < j"],
    ],
    ["after a loop that is left alone", `for (const n in o) { ${PRINT} while (f()) f(); }`, ["[]"]],
  ])("%s", (_, text, ways) => {
    const read = (file: string): string | undefined => (file === "train.ts" ? text : undefined);
    expect(waysIn(analyzeProgram("train.ts", read, { handsFree: true }))).toEqual(ways);
  });
});

/** What else the model tells: doubts, iterators, places, keys, and the examples. */
import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";
import { LOOP, modelOf } from "./check.ts";

describe("what cannot be followed", () => {
  test.each([
    ["eval", `${LOOP} eval("x");`, /eval/],
    ["new Function", `new Function("x"); ${LOOP} ;`, /new Function/],
    ["a then", `const t = { then(ok) { ok(1); } }; ${LOOP} await t;`, /a function for then/],
    [
      "hasInstance",
      `class C { static [Symbol.hasInstance]() { return true; } } ${LOOP} e instanceof C;`,
      /a function for Symbol.hasInstance/,
    ],
    ["a proxy", `const p = new Proxy({}, {}); ${LOOP} p.x;`, /a proxy/],
    ["a computed import", `await import("./" + process.argv[2]); ${LOOP} ;`, /computed name/],
    ["a computed require", `require("./" + process.argv[2]); ${LOOP} ;`, /computed name/],
    [
      "a timer that changes state",
      `let n = 0; setInterval(() => { n++; }, 1); ${LOOP} ;`,
      /while nobody waits/,
    ],
    [
      "work that nobody waits for",
      `let n = 0; async function f() { await 1; n++; } f(); ${LOOP} ;`,
      /while nobody waits/,
    ],
    [
      "callbacks of an async forEach",
      `let n = 0; [1].forEach(async (x) => { await 1; n += x; }); ${LOOP} ;`,
      /while nobody waits/,
    ],
    ["a text that does not parse", `let = ; ${LOOP} ;`, /does not parse/],
    [
      "a hidden loop",
      `const f = { g: al }; ${LOOP} ; for (const x of f.g.loop("x", [])) ;`,
      /hides it/,
    ],
  ])("%s", (_, text, why) => {
    expect(modelOf(text).uncertain.join("\n")).toMatch(why);
  });

  test.each([
    ["a main that nobody waits for", "async function main() { await 1; BODY } main();"],
    [
      "a main with catch",
      "let code = 0; async function main() { await 1; BODY } main().catch(() => { process.exitCode = 1; code = 2; });",
    ],
    [
      "a main with then and catch",
      "let code = 0; async function main() { await 1; BODY } main().then(() => { code = 1; }).catch(() => { code = 2; });",
    ],
    [
      "an async function that waits for nothing",
      "let n = 0; async function f() { n++; } f(); BODY",
    ],
    [
      "a prefetch that changes nothing",
      "const load = async (i) => { await 1; return [i]; }; let next = load(0); BODY",
    ],
  ])("%s is no doubt", (_, text) => {
    const { loops, uncertain } = modelOf(text.replace("BODY", `let t = 0; ${LOOP} t++;`));
    expect(uncertain).toEqual([]);
    expect(loops[0]?.changes.map(({ name }) => name)).toEqual(["t"]);
  });

  test("a timer that changes nothing is of no interest", () => {
    expect(
      modelOf(`setInterval(() => { const a = []; a.push(1); }, 1); ${LOOP} ;`).uncertain,
    ).toEqual([]);
  });
});

describe("iterators", () => {
  test.each([
    ["al.range(3)", "", "index"],
    ["[1, 2]", "", "index"],
    ['"abc"', "", "index"],
    ["xs", "", "index"],
    ["xs", "xs.push(1);", "index"],
    ["xs.map((x) => x + 1)", "", "index"],
    ["new Float32Array(3)", "", "index"],
    ["batches()", "", "index"],
    ["gen()", "", "independent"],
    ["gen()", "n++;", "dependent"],
    ["gen()", "m++;", "independent"],
    ["late()", "xs.push(1);", "dependent"],
    ["xs.entries()", "", "independent"],
    ["xs.entries()", "xs.pop();", "dependent"],
    ["new Map([[1, 2]])", "", "independent"],
    ["map", "map.set(3, 4);", "dependent"],
    ["loader", "", "independent"],
    ["loader", "loader.i = 0;", "dependent"],
    ["unknown()", "", "independent"],
  ])("%s with %s: %s", (iterable, body, iterator) => {
    const text = `import { unknown } from "mystery"; let n = 0; let m = 0; const xs = [1, 2]; const map = new Map();
      function batches() { return [xs]; }
      function* gen() { while (n < 3) yield n; }
      function* late() { for (const x of xs) yield x; }
      class Loader { i = 0; *[Symbol.iterator]() { while (this.i < 3) yield this.i; } }
      const loader = new Loader();
      for (const x of al.loop("x", ${iterable})) { ${body} }`;
    expect(modelOf(text).loops[0]?.iterator).toBe(iterator);
  });
});

describe("how Afterlog is imported", () => {
  test.each([
    'import { loop, range } from "afterlog"; let n = 0; for (const x of loop("x", range(3))) n++;',
    'import { loop as l } from "afterlog"; let n = 0; for (const x of l("x", [])) n++;',
    'import al from "afterlog"; let n = 0; for (const x of al.loop("x", [])) n++;',
    'import * as a from "afterlog"; const { loop } = a; let n = 0; for (const x of loop("x", [])) n++;',
    'const { loop } = require("afterlog"); let n = 0; for (const x of loop("x", [])) n++;',
    'const al = await import("afterlog"); let n = 0; for await (const x of al.loop("x", [])) n++;',
    'import * as al from "afterlog"; let n = 0; for (const x of (al.loop("x", []) as never)) n++;',
  ])("%s", (text) => {
    const { loops } = modelOf(text);
    expect(
      loops.map(({ name, form, changes }) => [name, form, changes.map((c) => c.name)]),
    ).toEqual([["x", "for", ["n"]]]);
  });

  test("a loop that is not in the head of a for statement", () => {
    const [loop] = modelOf('const it = al.loop("x", [1]); for (const x of it) ;').loops;
    expect(loop?.form).toBe("other");
    expect(loop?.changes.map(({ access }) => access)).toEqual(["out-of-reach"]);
  });

  test("a loop's place is that of the call, counted from 1", () => {
    const { loops } = modelOf({
      "train.ts": 'import { loop } from "afterlog";\n  for (const x of loop("x", [])) ;',
    });
    expect(loops[0]).toMatchObject({ file: "train.ts", line: 2, column: 19, ordinal: 0, id: 0 });
  });
});

test("keys stay the same when log statements are added", () => {
  const text = (log: string): string => `import * as al from "afterlog";
    const make = () => { let t = 0; ${log} return () => t++; };
    ${log}
    { ${log} }
    const next = make();
    for (const e of al.loop("e", [1])) { ${log} next(); }`;
  const keys = (log: string): string[] =>
    modelOf({ "train.ts": text(log) }).loops.flatMap(({ changes }) =>
      changes.map(({ key }) => key),
    );
  expect(keys('al.log("x", [1].map((v) => { const w = v; return w; }));')).toEqual(keys(""));
  expect(keys("").length).toBe(1);
});

test.each([
  ["digits", ["state:declared"]],
  ["plain", ["layer1:declared", "layer2:declared"]],
  ["digits-tfjs", ["model:declared", "optimizer:declared"]],
])("the data of the example %s is not captured", (name, expected) => {
  const read = (file: string): string | undefined =>
    statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, "utf8") : undefined;
  const { loops, uncertain } = analyzeProgram(`examples/${name}/train.ts`, read);
  expect(uncertain).toEqual([]);
  for (const { changes, iterator } of loops) {
    expect(changes.map((changed) => `${changed.name}:${changed.access}`)).toEqual(expected);
    expect(iterator).toBe("index");
  }
});

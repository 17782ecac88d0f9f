/**
 * What a part of a question may change of the run, as its loop sees it: by calling a function of the
 * run. `!`: no checkpoint holds it, so that nothing can be compared behind the part.
 */
import { expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";

/** Each: what the run has, what the called function does, and the names. */
const ROWS: { readonly [what: string]: readonly [has: string, does: string, names: string] } = {
  nothing: ["const c = { n: 0 };", "return c.n;", ""],
  "a variable": ["let n = 0;", "n += 1;", "n"],
  "an object": ["const c = { n: 0 };", "c.n += 1;", "c"],
  "a Map": ["const m = new Map();", "m.set(1, 2);", "m"],
  "a variable of another file": ["", "bump();", "count"],
  "an object of another file": ["", "put(1);", "held"],
  "a variable in a closure": [
    "const inc = (() => { let n = 0; return () => { n += 1; }; })();",
    "inc();",
    "n",
  ],
  "a default": ["const list = []; function add(to = list) { to.push(1); }", "add();", "list"],
  "a static field": [
    "class N { static calls = 0; }",
    "N.calls++;",
    "N calls of a class or function!",
  ],
  "what a static field holds": [
    "class N { static seen = new Map(); }",
    "N.seen.set(1, 2);",
    "N seen of a class or function!",
  ],
  "a private static field": [
    "class N { static #n = 0; static tick() { N.#n++; } }",
    "N.tick();",
    "#n of a class or function! N",
  ],
  "a property of a function": ["function f() {}", "f.n = 1;", "f n of a class or function!"],
  "a prototype": [
    "class N {}",
    "N.prototype.n = 1;",
    "N a prototype! prototype of a class or function!",
  ],
  "a global": ["", "globalThis.cnt = 1;", "cnt!"],
  "the environment": ["", 'process.env.CNT = "1";', "process.env.CNT!"],
};

const OTHER = `export let count = 0;
export function bump() { count += 1; }
const held = [];
export function put(x) { held.push(x); }
`;

test.each(Object.entries(ROWS))("%s", (_, [has, does, names]) => {
  const line = "  console.log(touch());";
  const lines = [
    'import { bump, put } from "./other.mjs";',
    has,
    `function touch() { ${does} }`,
    "let w = 0;",
    "for (let i = 0; i < 3; i++) {",
    "  w += i;",
    line,
    "}",
    "touch(); bump; put;",
  ];
  const files = new Map([
    ["t.mjs", lines.join("\n")],
    ["other.mjs", OTHER],
  ]);
  const at = lines.indexOf(line) + 1;
  const end = { line: at, column: line.length + 1 };
  const probes = [{ file: "t.mjs", line: at, column: 3, end }];
  const model = analyzeProgram("t.mjs", (file) => files.get(file), { handsFree: true, probes });
  const found = (model.loops[0]?.changedByParts ?? []).map(({ name, access }) => {
    return access === "out-of-reach" ? `${name}!` : name;
  });
  expect(found.toSorted().join(" ")).toBe(names);
});

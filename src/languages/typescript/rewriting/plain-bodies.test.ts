import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { analyzeProgram } from "../analyze.ts";
import { rewriteSource } from "./rewrite-source.ts";

/** A function `f` with a loop, what is printed of it, and the parameters that are variables of its rewritten form. */
const FUNCTIONS: readonly (readonly [what: string, text: string, own: readonly string[]])[] = [
  ["a parameter", "function f(n) { let s = n; for (const k of [1, n]) s += k; return s }", ["n"]],
  ["one that is set", "function f(n) { for (const k of [1]) n += k; return n }", ["n"]],
  ["parts", "function f({ a, b: [c] }) { for (const k of [c]) a += k; return a }", ["a", "c"]],
  ["an arrow", "const f = (n, m = n) => { for (const k of [m]) n += k; return n }", ["n", "m"]],
  ["arguments", "function f(n) { for (const k of [1]) n += k; return arguments[0] }", []],
  ["a `var` of its name", "function f(n) { for (const k of [1]) { var n = n + k } return n }", []],
  [
    "one that a default looks at later",
    "function f(n, get = () => n) { for (const k of [1]) n += k; return get() }",
    ["get"],
  ],
  [
    "one that a function uses",
    "function f(n) { const get = () => n; for (const k of [1]) n += k; return get() }",
    [],
  ],
];

const IDLE = `{n:Infinity,m:true,brk(){},body:()=>true,of:(x)=>x,leave(){},next:()=>true,go:()=>true,end:()=>false}`;

test.each(FUNCTIONS)("both forms give the same: %s", (_, written, own) => {
  const given = "{ a: 3, b: [4], valueOf: () => 7 }";
  const text = `${written}\nfor (let i = 0; i < 2; i++) print(f(${given.replace("a:", "a: i +")}));\n`;
  const mode = { handsFree: true };
  const model = analyzeProgram("t.cjs", (file) => (file === "t.cjs" ? text : undefined), mode);
  const rewritten = rewriteSource("t.cjs", text, model, { ...mode, givesUp: true });
  expect([...rewritten.matchAll(/let __ala\d=(\w+);/g)].map(([, name]) => name)).toStrictEqual(own);
  const printed = (source: string, plain: boolean): string[] => {
    const lines: string[] = [];
    const print = (value: unknown): number => lines.push(String(value));
    const install = `globalThis[Symbol.for("afterlog.instrument")] = () => ({ off: [], full: [],
      plain: Array(9).fill(${plain}), alone() {}, at: (n, lent) => (lent(), ${IDLE}), bind() {} });`;
    runInNewContext(install + source, { print });
    return lines;
  };
  const expected = printed(text, true);
  expect(expected).toHaveLength(2);
  expect(printed(rewritten, true)).toStrictEqual(expected);
  expect(printed(rewritten, false)).toStrictEqual(expected);
});

/** Loops in the loop `i`, each with a sum that accessors reach. */
const LOOPS: readonly (readonly [what: string, text: string])[] = [
  ["a `for`", "for (let k = 0; k < 3; k++) s += k * i;"],
  ["a `for…of` behind another", "for (const k of [1]){ s += k }for (const k of [i, 2]){ s *= k }"],
  ["under an `if`", "if (i) for (const k of [1, 2]) s += k; else s = 7;"],
  ["a label", "outer: for (const k of [1, 2]) { for (;;) { s += k; continue outer } }"],
  ["one that is left", "for (let k = 0; ; k++) { s += k; if (k > i) break }"],
  ["one that throws", "try { for (;;) { s++; throw new Error() } } catch { s *= 2 }"],
  ["one in a loop", "for (const k of [1, 2]) { for (let m = 0; m < k; m++) s += m; s += i }"],
  ["a `do`", "let n = 0; do { s += n } while (n++ < i)"],
];

test.each(LOOPS)("a loop at the top has two forms, and both give the same: %s", (_, written) => {
  const text = `let s = 1;\nfor (let i = 0; i < 3; i++) { ${written}\nprint(s) }\n`;
  const mode = { handsFree: true };
  const model = analyzeProgram("t.cjs", (file) => (file === "t.cjs" ? text : undefined), mode);
  const rewritten = rewriteSource("t.cjs", text, model, { ...mode, givesUp: true });
  const printed = (source: string, plain: boolean): string[] => {
    const lines: string[] = [];
    const print = (value: unknown): number => lines.push(String(value));
    const alone = (change: number): number => lines.push(`alone ${change}`);
    const install = `globalThis[Symbol.for("afterlog.instrument")] = () => ({ off: [], full: [], alone,
      plain: Array(9).fill(${plain}), at: (n, lent) => (lent(), ${IDLE}), bind() {} });`;
    runInNewContext(install + source, { print, alone });
    return lines;
  };
  const expected = printed(text, true);
  const alone = printed(rewritten, true);
  expect(alone.filter((line) => !line.startsWith("alone"))).toStrictEqual(expected);
  // Whoever captures in between knows, and knows when it is over.
  const changes = alone.filter((line) => line.startsWith("alone"));
  expect(changes.length).toBeGreaterThan(0);
  expect(changes.filter((line) => line.endsWith(" 1"))).toHaveLength(changes.length / 2);
  expect(printed(rewritten, false)).toStrictEqual(expected);
});

test.each([
  ["a function", "function f(n) { let s = 0; for (const k of [n]) s += tag`a${k}`; return s }"],
  [
    "one inside",
    "function f(n) { for (const k of [n]) n += [k].map((x) => tag`a${x}`)[0]; return n }",
  ],
  ["a loop", "let f = (n) => n;\nfor (let i = 0; i < 2; i++) for (const k of [1, 2]) tag`b${k}`;"],
])("a tagged template is one, whichever form is taken: %s", (_, written) => {
  const text = `${written}\nfor (let i = 0; i < 2; i++) f(i);\n`;
  const mode = { handsFree: true };
  const model = analyzeProgram("t.cjs", (file) => (file === "t.cjs" ? text : undefined), mode);
  const rewritten = rewriteSource("t.cjs", text, model, { ...mode, givesUp: true });
  const seen = new Set<unknown>();
  let calls = 0;
  const tag = (texts: unknown): number => {
    seen.add(texts);
    return (calls += 1);
  };
  const install = `globalThis[Symbol.for("afterlog.instrument")] = () => ({ off: [], full: [], alone() {},
    plain: new Proxy([], { get: () => calls() > 0 }), at: (n, lent) => (lent(), ${IDLE}), bind() {} });`;
  runInNewContext(install + rewritten, { tag, calls: () => calls });
  expect(calls).toBeGreaterThan(1);
  expect(seen.size).toBe(1);
});

/** Which logged values come from a clock, from entropy or from an id, by the text of a program. */
import { expect, test } from "vitest";
import { nondeterministicLogs } from "./depends-on-chance.ts";

/** A program that calls `log(value)`, and what the value depends on; empty: nothing of the kind. */
const ROWS: readonly (readonly [program: string, causes: readonly string[]])[] = [
  ["log(Date.now());", ["Date.now() at a.ts:1"]],
  ["const now = Date.now;\nlog(now());", ["now() at a.ts:2"]],
  ["const { now } = performance;\nlog(now());", ["now() at a.ts:2"]],
  [
    "const t = globalThis.performance.now();\nlog(t | 0);",
    ["globalThis.performance.now() at a.ts:1"],
  ],
  ["log(new Date(0).getDay());", []],
  ["log(Math.random() + Math.max(1, 2));", []],
  ["const t = Date.now();\nlet w = 1;\nw += 2;\nconsole.error(w, t);\nlog(w);", []],
  ["const a = { t: Date.now(), w: 1 };\nlog(a.w);", []],
  ["const a = { t: Date.now(), w: 1 };\nlog(JSON.stringify(a));", ["Date.now() at a.ts:1"]],
  [
    "const a = { t: 0, w: 1 };\nconst b = a;\nb.t = Date.now();\nlog(a.t);",
    ["Date.now() at a.ts:3"],
  ],
  [
    "const a: number[] = [];\nconst b = a;\nb.push(Date.now());\nlog(a[0]);",
    ["Date.now() at a.ts:3"],
  ],
  ["let n = 0;\nwhile (Date.now() < 5) n += 1;\nlog(n);", ["Date.now() at a.ts:2"]],
  [
    "let n = 0;\nfor (;;) {\n  n += 1;\n  if (Date.now() > 5) break;\n}\nlog(n);",
    ["Date.now() at a.ts:4"],
  ],
  ["if (Date.now() % 2) Math.random();\nlog(Math.random());", ["Date.now() at a.ts:1"]],
  ["function f(x: number) {\n  return x + 1;\n}\nlog(f(process.pid));", ["process.pid at a.ts:4"]],
  [
    "function f(g: (t: number) => void) {\n  g(Date.now());\n}\nlet s = 0;\nf((t) => {\n  s = t;\n});\nlog(s);",
    ["Date.now() at a.ts:2"],
  ],
  [
    "class A {\n  get t() {\n    return Date.now();\n  }\n}\nlog(new A().t);",
    ["Date.now() at a.ts:3"],
  ],
  [
    "function* f() {\n  yield Date.now();\n}\nfor (const t of f()) log(t);",
    ["Date.now() at a.ts:2"],
  ],
  [
    "const b = new Uint8Array(4);\ncrypto.getRandomValues(b);\nlog(b[0]);",
    ["crypto.getRandomValues() at a.ts:2"],
  ],
  ['import { v4 } from "uuid";\nlog(v4());', ["v4() at a.ts:2"]],
  [
    'import _ from "lodash";\nlog(_.uniqueId());',
    ["_.uniqueId() of lodash, which may keep a state, at a.ts:2"],
  ],
  ['import { took as t } from "./b.ts";\nlog(t());', ["Date.now() at b.ts:1"]],
  ['import { took as t } from "./b.ts";\nlog(1);\nconsole.error(t());', []],
];

test.each(ROWS)("%s", (program, causes) => {
  const at = program.indexOf("log(");
  const files = new Map([
    ["a.ts", { text: program, logs: [at] }],
    ["b.ts", { text: "export const took = () => Date.now() - 1;\n", logs: [] }],
  ]);
  expect(nondeterministicLogs(files).get(`a.ts:${at}`) ?? []).toEqual(causes);
});

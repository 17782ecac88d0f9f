/** Which logged values come from a clock, from entropy or from an id, by the text of a program. */
import { expect, test } from "vitest";
import type { Varying } from "../../../format/index.ts";
import { analyzeProgram } from "../analyze.ts";
import { dependsOnChance } from "./depends-on-chance.ts";

/** One of the causes stands there. */
const from = (place: string): string[] =>
  expect.arrayContaining([expect.stringContaining(place)]) as string[];

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
  ["namespace N {\n  export const t = Date.now();\n}\nlog(N.t);", ["Date.now() at a.ts:2"]],
  [
    "namespace N {\n  const t = Date.now();\n  export function f() {\n    return t;\n  }\n}\nlog(N.f());",
    ["Date.now() at a.ts:2"],
  ],
  ["namespace N {\n  export const k = 2;\n  export const t = Date.now();\n}\nlog(N.k);", []],
  ["log(process.cwd().length);", from("process.cwd at a.ts:1")],
  [
    'import path from "node:path";\nconst root = path.resolve(".");\nconst n = root.split("/").length;\nlog(n);',
    ['path.resolve(".") at a.ts:2'],
  ],
  ["const here = import.meta.dirname;\nlog(here.length);", ["import.meta.dirname at a.ts:1"]],
  ["const here = `${import.meta.dirname}/x`;\nlog(here);", []],
  [
    "let h = 0;\nfor (const c of process.cwd()) h += c.charCodeAt(0);\nlog(h);",
    ["process.cwd() at a.ts:2"],
  ],
  [
    'import { createHash } from "node:crypto";\nconst f = import.meta.filename;\nconst h = createHash("md5").update(f).digest("hex");\nlog(h);',
    ["import.meta.filename at a.ts:2"],
  ],
  [
    "const c = { root: process.cwd(), w: [1, 2] };\nconst d = c.root;\nlog(d.indexOf('x') + 1);",
    ["process.cwd() at a.ts:1"],
  ],
  [
    "class C {\n  constructor(readonly dir: string) {}\n  depth() {\n    return this.dir.split('/').length;\n  }\n}\nconst c = new C(process.cwd());\nlog(c.depth());",
    ["process.cwd() at a.ts:7"],
  ],
  [
    "function root() {\n  return __dirname + '/data';\n}\nfunction size(name: string) {\n  return name.length;\n}\nlog(size(root()));",
    ["__dirname at a.ts:2"],
  ],
  [
    'import path from "node:path";\nconst root = process.cwd();\nlog(path.relative(root, path.join(root, "a")).length);',
    [],
  ],
  [
    'import path from "node:path";\nconst files = ["a", "b"].map((f) => path.resolve(f));\nlog(files.length);',
    [],
  ],
  [
    'import path from "node:path";\nimport { readFileSync } from "node:fs";\nconst rows = readFileSync(path.resolve("x.csv"), "utf8").split("\\n");\nlog(rows.length);',
    [],
  ],
  ["const script = process.argv[1];\nconst n = script.length;\nlog(n);", ["n at a.ts:3"]],
  ["const here = __dirname;\nconst { length } = here;\nlog(length);", ["length at a.ts:3"]],
  [
    "const here = __dirname;\nconst n = here.split('/').length;\nlog(n);",
    from("here.split('/') at a.ts:2"),
  ],
  ["log(import.meta.url);", ["import.meta.url at a.ts:1"]],
  ["function f() {\n  return new Error('a').stack;\n}\nlog(f().length);", [".stack at a.ts:2"]],
  ["let s = '';\ntry {\n  g();\n} catch (e) {\n  s = e.stack;\n}\nlog(s);", [".stack at a.ts:5"]],
  ["class C {\n  stack: number[] = [];\n}\nconst c = new C();\nlog(c.stack.length);", []],
  ["const c = { stack: [1] };\nlog(c.stack[0]);", []],
  ["const a = tf.stack([b, c]);\nlog(a);", []],
  [
    'import { readFileSync } from "node:fs";\nlog(readFileSync(`${import.meta.dirname}/x`).length);',
    ["import.meta.dirname at a.ts:2"],
  ],
  [
    'import { readFileSync } from "node:fs";\nconst x = readFileSync(new URL("x", import.meta.url));\nlog(x.length);',
    [],
  ],
  ["log(await Promise.race([f(), g()]));", ["Promise.race() at a.ts:1"]],
  ["const [a] = await Promise.all([f(), g()]);\nlog(a);", []],
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
  ["/b+/.exec(word);\nlog(RegExp.lastMatch.length);", ["RegExp.lastMatch.length at a.ts:2"]],
  ["log(RegExp.$1);", ["RegExp.$1 at a.ts:1"]],
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
  [
    'import * as tf from "@tensorflow/tfjs";\nlog(tf.memory().numTensors);',
    ["tf.memory() at a.ts:2"],
  ],
  ['import { v4 } from "uuid";\nlog(v4());', ["v4() at a.ts:2"]],
  ['import _ from "lodash";\nlog(_.uniqueId());', []],
  ['import _ from "lodash";\nlog(_.now());', ["_.now() at a.ts:2"]],
  [
    'import _ from "lodash";\nlog(_.sample([1, 2]));',
    ["_.sample(), of a package that is loaded before afterlog seeds Math.random, at a.ts:2"],
  ],
  ['import { log as l } from "afterlog";\nimport _ from "lodash";\nlog(_.sample([1, 2]));', []],
  [
    'import _ from "lodash";\nconst to = {};\n_.set(to, "at", Date.now());\nlog(JSON.stringify(to));',
    ["Date.now() at a.ts:3"],
  ],
  ['import { took as t } from "./b.ts";\nlog(t());', ["Date.now() at b.ts:1"]],
  ['import { took as t } from "./b.ts";\nlog(1);\nconsole.error(t());', []],
  ["const a = { clock: performance };\nlog(a.clock.now());", ["performance at a.ts:1"]],
  ["function f(c: any) {\n  return c.now();\n}\nlog(f(Date));", ["Date at a.ts:4"]],
  [
    "let n = 1;\nif (typeof performance === 'object') n = 2;\nlog(n + Number(n instanceof Date));",
    [],
  ],
  [
    'import os from "node:os";\nlog(os.EOL.length + os.constants.signals.SIGINT);\nos.freemem();',
    [],
  ],
  ['import { os } from "./b.ts";\nlog(os.freemem());', from("b.ts:2")],
  ['import { free } from "./b.ts";\nlog(free());', from("b.ts:3")],
  ['import { uptime } from "./b.ts";\nlog(uptime());', from("b.ts:4")],
  ['import { crypt } from "./b.ts";\nlog(crypt.randomInt(3));', from("b.ts:6")],
];

const NO_LOGS = { logs: [], variables: [], calls: [] };

const OTHER = `export const took = () => Date.now() - 1;
export * as os from "node:os";
export { freemem as free } from "node:os";
export * from "node:os";
import crypt from "node:crypto";
export { crypt };
`;

test.each(ROWS)("%s", (program, causes) => {
  const at = program.indexOf("log(");
  const files = new Map([
    ["a.ts", { text: program, logs: [at], variables: [], calls: [] }],
    ["b.ts", { text: OTHER, ...NO_LOGS }],
  ]);
  const found = dependsOnChance(files).logs.get(`a.ts:${at}`)?.causes ?? [];
  expect(found.map(({ words }) => words)).toEqual(causes);
});

const LOOP = "for (let i = 0; i < 3; i++) {\n";

/** A hands-free program, and what of it is not compared. */
const STATES: readonly (readonly [program: string, varying: Partial<Varying> | undefined])[] = [
  [`let w = 1;\n${LOOP}  w += 1;\n}`, undefined],
  [
    `let w = 1, t0 = Date.now();\n${LOOP}  w += 1;\n  t0 = Date.now();\n  console.log("w", w);\n}`,
    { places: ["a.ts:0:t0"], fields: [], logs: [] },
  ],
  // How often a timer calls depends on the clock.
  ...["() => {\n  ticks += 1;\n}", "tick"].map((called): readonly [string, Partial<Varying>] => [
    `let w = 1, ticks = 0;\nfunction tick() {\n  ticks += 1;\n}\nconst t = setInterval(${called}, 5);\n${LOOP}  w += 1;\n}`,
    { places: ["a.ts:0:ticks", "a.ts:0:t"] },
  ]),
  // A block inside has a variable of the same name.
  [
    `let t = 1;\nfunction f() {\n  let t = Date.now();\n  ${LOOP}    t += 1;\n  }\n}\nf();\nt += 1;`,
    { places: ["a.ts:0.0:t"] },
  ],
  [
    `const s = { w: 1, t0: 0 };\n${LOOP}  s.w += 1;\n  s.t0 = Date.now();\n}`,
    { places: [], fields: ["t0"] },
  ],
  [
    `class A {\n  #t0 = 0;\n  go() {\n    this.#t0 = Date.now();\n  }\n}\nconst a = new A();\n${LOOP}  a.go();\n}`,
    { places: [], fields: ["#t0"] },
  ],
  [
    `const times: number[] = [];\n${LOOP}  times.push(Date.now());\n}`,
    { places: ["a.ts:0:times"], fields: [] },
  ],
  [
    `const seen = new Map();\n${LOOP}  seen.set("t", Date.now());\n}`,
    { places: ["a.ts:0:seen"], fields: [] },
  ],
  // What is done as long as a clock says depends on it.
  [
    `let n = 0, w = 1;\nfor (;;) {\n  n += 1;\n  if (Date.now() > 5) break;\n}\n${LOOP}  w += 1;\n}`,
    { places: ["a.ts:0:n"] },
  ],
  [
    `let w = 0;\n${LOOP}  if (Date.now() > 5) w = Math.random();\n}`,
    { places: ["a.ts:0:w"], generators: true },
  ],
  [
    `let w = 1;\n${LOOP}  w += 1;\n  console.log("w", w);\n  console.log(\n    "rate",\n    Date.now(),\n  );\n}`,
    { logs: [{ file: "a.ts", line: 5, column: 3, end: { line: 8, column: 4 } }] },
  ],
  // A line of several values: only what depends on the clock varies.
  ...[
    "`w ${w} (${(5 / t).toFixed(1)} steps/s), mfu ${t * 2}%`",
    '"w " + w + " mfu", t',
    '"w %d mfu %d", w, t',
    "{ w, mfu: t }",
    "JSON.stringify({ w, mfu: t })",
  ].map((printed): readonly [string, Partial<Varying>] => [
    `let w = 1, t = 0;\n${LOOP}  w += 1;\n  t = Date.now();\n  console.log(${printed});\n}`,
    { logs: [{ file: "a.ts", line: 5, column: 3, except: ["w"] }] },
  ]),
  ...['"rate", t', '"rate", `${t}s`', "`rate ${t} rate ${w}`"].map(
    (printed): readonly [string, Partial<Varying>] => [
      `let w = 1, t = 0;\n${LOOP}  w += 1;\n  t = Date.now();\n  console.log(${printed});\n}`,
      { logs: [{ file: "a.ts", line: 5, column: 3 }] },
    ],
  ),
  [
    `let w = 1;\n${LOOP}  w += 1;\n  if (Date.now() > 5) console.log("w", w);\n}`,
    { logs: [{ file: "a.ts", line: 4, column: 23 }] },
  ],
  // It counts, and differs for a reason.
  [`import _ from "lodash";\nlet w = "";\n${LOOP}  w = _.uniqueId();\n}`, undefined],
];

test.each(STATES)("not compared, without recorded results, of %s", (program, varying) => {
  const read = (file: string): string | undefined => (file === "a.ts" ? program : undefined);
  const found = analyzeProgram("a.ts", read, { handsFree: true }).varyingFresh;
  if (varying) expect(found).toMatchObject(varying);
  if (varying?.logs) expect(found?.logs).toEqual(varying.logs);
  if (!varying) expect(found).toBeUndefined();
});

/** What `log` prints, of which calls the results are recorded, and on which others it depends. */
const CALLS: readonly (readonly [program: string, calls: readonly string[], others: number])[] = [
  ["log(Date.now() - Date.now());", ["1:18", "1:31"], 0],
  ["const { now } = performance;\nlog(now());", ["2:18"], 0],
  ["log(new Date().getTime(), new Date(0));", ["1:18"], 0],
  ["const b = new Uint8Array(4);\ncrypto.getRandomValues(b);\nlog(b[0]);", ["2:1"], 0],
  ['import { randomInt } from "node:crypto";\nlog(randomInt(9));', ["2:18"], 0],
  ["log(process.memoryUsage().rss);", ["1:18"], 0],
  ["log(performance.timeOrigin);", [], 1],
  ["log(Date?.now());", [], 1],
  ["log(Date.now()?.toFixed());", ["1:18"], 0],
  ["log([1].map(Date.now));", [], 1],
  ["log(process.pid);", [], 1],
  ['import { mkdtempSync } from "node:fs";\nlog(mkdtempSync("a"));', [], 1],
  ['const { get } = await import("node:http");\nlog(get("a"));', [], 1],
  // Which of the calls gave which result, nobody can tell.
  [
    "async function f() {\n  await 0;\n  return Date.now();\n}\nlog(await Promise.all([f(), f()]));",
    [],
    1,
  ],
];

test.each(CALLS)("results are recorded of %s", (program, calls, others) => {
  const text = program.replace("log(", 'console.log("x", ');
  const read = (file: string): string | undefined => (file === "a.ts" ? text : undefined);
  const [log] = analyzeProgram("a.ts", read, { handsFree: true }).logs;
  expect(log?.calls?.map(({ line, column }) => `${line}:${column}`) ?? []).toEqual(calls);
  expect(log?.causes ?? []).toHaveLength(others);
});

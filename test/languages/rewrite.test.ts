/** Rewritten source, in Node itself: it does what it did, on the same lines, and can be seen into. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { analyzeProgram, rewriteSource } from "../../src/languages/index.ts";
import { stripTypes } from "../../src/languages/typescript/rewriting/strip-types.ts";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** `afterlog` without a recording, for both kinds of modules. */
const STUB = `exports.loop = (name, items) => items;
exports.log = (name, value) => value;
exports.range = (n) => Array.from({ length: n }, (_, i) => i);
exports.checkpointing = (record) => record;`;

/** Prints what each accessor gives when a loop is entered and left, and sets it to the same. */
const INSTRUMENT = `
const seen = new Map();
globalThis[Symbol.for("afterlog.instrument")] = (file, sites) => ({
  off: [],
  full: [],
  plain: [],
  at: (index, accessors) => ({
    over(items) {
      const look = (when) => {
        for (const [key, get, set] of [...accessors(), ...seen.values()]) {
          const value = get();
          set?.(value);
          console.error(when, key, JSON.stringify(value), set ? "settable" : "constant");
        }
      };
      look("enter " + sites[index].slice(0, 2).join(":"));
      process.on("exit", () => look("exit"));
      return items;
    },
    brk() { console.error("break", index); },
  }),
  bind: (_, ...accessor) => seen.set(accessor[0], accessor),
  cls: (key, made, fields) => console.error("class", key, typeof made, fields.map(([name]) => name).join()),
  save: () => { console.error("save"); return 1; },
  back: (saved) => console.error("back", saved),
});
`;

interface Ran {
  readonly stdout: string;
  readonly stderr: string[];
}

/** Types are gone before it runs. */
function asRun(file: string): string {
  return file.replace(/\.mts$/, ".mjs");
}

/** Runs files as they are, or rewritten and seen into. */
function run(files: { readonly [file: string]: string }, rewritten: boolean, probe?: string): Ran {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-rewrite-"));
  made.push(folder);
  const [entry = ""] = Object.keys(files);
  const model = analyzeProgram(entry, (file) => files[file]);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write("node_modules/afterlog/index.js", STUB);
  write("instrument.cjs", INSTRUMENT);
  for (const [file, text] of Object.entries(files)) {
    const probes = model.logs.filter(({ name }) => name === probe);
    const source = rewritten ? rewriteSource(file, text, model, { probes }) : text;
    expect(source.split("\n").length, "lines stay").toBe(text.split("\n").length);
    write(asRun(file), file.endsWith(".mts") ? stripTypes(source, file) : source);
  }
  const flags = rewritten ? ["--require", join(folder, "instrument.cjs")] : [];
  const script = `${JSON.stringify(process.execPath)} ${[...flags, join(folder, asRun(entry))].join(" ")}`;
  const out = execFileSync(
    "bash",
    ["-c", `${script} 2> ${join(folder, "stderr")}; cat ${join(folder, "stderr")} >&2`],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const stderr = execFileSync("cat", [join(folder, "stderr")], { encoding: "utf8" });
  return { stdout: out, stderr: stderr.split("\n").filter((line) => line !== "") };
}

const AL = 'import * as al from "afterlog";';
const cases: readonly (readonly [string, { readonly [file: string]: string }])[] = [
  [
    "an accumulator",
    {
      "t.mjs": `${AL}\nlet total = 0;\nfor (const x of al.loop("x", [1, 2])) total += x;\nconsole.log(total);`,
    },
  ],
  [
    "no semicolons",
    {
      "t.mjs": `${AL}\nlet total = 0\nfor (const x of al.loop("x", [1, 2]))\n  total += x\nconsole.log(total)`,
    },
  ],
  [
    "CRLF",
    {
      "t.mjs": `${AL}\r\nlet n = 0;\r\nfor (const x of al.loop("x", [1])) {\r\n  n++;\r\n  break;\r\n}\r\nconsole.log(n);\r\n`,
    },
  ],
  [
    "a hashbang",
    {
      "t.mjs": `#!/usr/bin/env node\n${AL}\nlet n = 0; for (const x of al.loop("x", [1])) n++; console.log(n);`,
    },
  ],
  [
    "a byte order mark",
    { "t.mjs": `\uFEFF${AL}\nlet n = 0; for (const x of al.loop("x", [1])) n++; console.log(n);` },
  ],
  [
    "use strict",
    {
      "t.cjs": `"use strict";\nconst al = require("afterlog"); let n = 0;\nfunction f() { "use strict"; return this === undefined; }\nfor (const x of al.loop("x", [1])) n++; console.log(n, f());`,
    },
  ],
  [
    "sloppy mode",
    {
      "t.cjs": `const al = require("afterlog"); let n = 0; function f() { return this === globalThis; }\nfor (const x of al.loop("x", [1])) n++; console.log(n, f());`,
    },
  ],
  [
    "CommonJS in two files",
    {
      "t.cjs": `const al = require("afterlog"); const c = require("./c.cjs");\nfor (const x of al.loop("x", [1, 2])) c.up(); console.log(c.at());`,
      "c.cjs": `let n = 0;\nexports.up = () => { n++; }; exports.at = () => n;`,
    },
  ],
  [
    "a loop without braces in if and else",
    {
      "t.mjs": `${AL}\nlet n = 0; if (n > 1) for (const x of al.loop("x", [1])) n++; else for (const y of al.loop("y", [1, 2])) n += y; console.log(n);`,
    },
  ],
  [
    "labels and breaks",
    {
      "t.mjs": `${AL}\nlet n = 0;\na: b: for (const x of al.loop("x", [1, 2, 3])) {\n  for (const y of al.loop("y", [1, 2])) { if (y > 1) break; if (x > 2) break a; if (x > 1) continue b; n += y }\n  switch (x) { case 1: n += 10; break; default: n++ }\n}\nconsole.log(n);`,
    },
  ],
  [
    "names that are ours",
    {
      "t.mjs": `${AL}\nlet __al = 1, __al0 = 2, __alv = 3;\nfor (const x of al.loop("x", [1])) { __al++; __al0++; __alv++; }\nconsole.log(__al, __al0, __alv);`,
    },
  ],
  [
    "the last statement has no newline and a comment",
    { "t.mjs": `${AL}\nlet n = 0; for (const x of al.loop("x", [1])) n++ // done` },
  ],
  [
    "for await",
    {
      "t.mjs": `${AL}\nlet n = 0; async function* g() { yield 1; yield 2; }\nfor await (const x of al.loop("x", g())) n += x; console.log(n);`,
    },
  ],
  [
    "private fields and accessors",
    {
      "t.mjs": `${AL}\nclass Adam { #t = 0; #m = [1]; static #made = 0; get t() { return this.#t } step() { this.#t++ }\n}\nconst adam = new Adam();\nfor (const x of al.loop("x", [1])) adam.step();\nconsole.log(adam.t, new (class { y = 1 })().y);`,
    },
  ],
  [
    "closures, parameters and destructuring",
    {
      "t.mjs": `${AL}\nconst make = (lr) => () => (lr *= 2);\nfunction two({ a, b: [c] }, ...rest) { "use strict"; return () => { a++; c++; rest.push(a); return [a, c, rest]; }; }\nconst arrow = (k) => ({ up: () => k++ });\nconst f = make(1), g = two({ a: 1, b: [2] }), h = arrow(5);\nfor (const x of al.loop("x", [1, 2])) { f(); g(); h.up(); }\nconsole.log(f(), JSON.stringify(g()), h.up());`,
    },
  ],
  [
    "exported variables",
    {
      "t.mjs": `${AL}\nimport { state, up, n } from "./s.mjs";\nfor (const x of al.loop("x", [1])) { state.v++; up(); }\nconsole.log(state.v, n);`,
      "s.mjs": "export const state = { v: 0 };\nexport let n = 0; export function up() { n++; }",
    },
  ],
  [
    "files that import each other",
    {
      "t.mjs": `${AL}\nimport "./b.mjs";\nexport function early(k) { let n = 0; for (const x of al.loop("x", [k])) n += x; return n; }\nconsole.log("t");`,
      "b.mjs": `import { early } from "./t.mjs";\nconsole.log(early(3));`,
    },
  ],
  [
    "types",
    {
      "t.mts": `${AL}\nlet total: number = 0; interface P { a: number }\nclass M { #w: number = 0; constructor(readonly p?: P) { } up(this: M): void { this.#w++; } get w() { return this.#w; } }\nconst m = new M() as M;\nfor (const x of al.loop("x", [1, 2] as const) as Iterable<number>) { total += x!; m.up(); }\nconsole.log(total, m.w);`,
    },
  ],
  [
    "a method's this",
    {
      "t.mjs": `${AL}\nclass T { n = 0; fit() { for (const x of al.loop("x", [1])) this.up(); } up() { const go = () => { for (const y of al.loop("y", [1, 2])) this.n++; }; go(); } }\nconst t = new T(); t.fit(); console.log(t.n);`,
    },
  ],
  [
    "a default export without a name",
    {
      "t.mjs": `${AL}\nimport model from "./m.mjs";\nfor (const x of al.loop("x", [1])) model.w++;\nconsole.log(model.w);`,
      "m.mjs": "export default { w: 0 };",
    },
  ],
  [
    "var in odd places",
    {
      "t.mjs": `${AL}\nvar f; if (true) var k = { n: 0 }; else var k = null;\nfor (var i = 0; i < 2; i++) for (const x of al.loop("x", [1])) { k.n++; var last = x; }\nconsole.log(k.n, last, i);`,
    },
  ],
];

describe("a rewritten program prints what it printed", () => {
  test.each(cases)("%s", (_, files) => {
    expect(run(files, true).stdout).toBe(run(files, false).stdout);
  });
});

describe("what the rewriting shows", () => {
  test("accessors of what is seen by name, and of what was registered", () => {
    const { stderr } = run(
      {
        "t.mjs": `${AL}\nimport { up } from "./s.mjs";\nlet total = 0; const hist = [];\nfor (const x of al.loop("x", [1, 2])) { total += x; hist.push(up()); }`,
        "s.mjs": "let t = 0; export const up = () => ++t;",
      },
      true,
    );
    expect(stderr).toEqual([
      "enter 4:17 t.mjs:0:hist [] constant",
      "enter 4:17 t.mjs:0:total 0 settable",
      "enter 4:17 s.mjs:0:t 0 settable",
      "exit t.mjs:0:hist [1,2] constant",
      "exit t.mjs:0:total 3 settable",
      "exit s.mjs:0:t 2 settable",
    ]);
  });

  test("private fields, and breaks of the loop that is left", () => {
    const { stderr } = run(
      {
        "t.mjs": `${AL}\nclass A { #t = 0; static #s = 1; #m() {} step() { this.#t++; } }\na: for (const x of al.loop("x", [1, 2])) for (const y of al.loop("y", [1, 2])) { if (x > 1) break a; break; }`,
      },
      true,
    );
    expect(stderr).toEqual(["class t.mjs:0:A function #t", "break 1", "break 0"]);
  });

  test("a probe has the generators saved around it, if it is a statement of its own", () => {
    const files = {
      "t.mjs": `${AL}\nfor (const x of al.loop("x", [1])) { al.log("p", x); const v = al.log("p", x); if (v) await al.log("p", x) }`,
    };
    expect(run(files, true, "p").stderr).toEqual(["save", "back 1", "save", "back 1"]);
  });

  test("a program without loops, and one that nobody records, stay as they are", () => {
    const text = "class A { #x = 1 }\nconsole.log(new A());";
    const model = analyzeProgram("t.mjs", () => text);
    expect(model.loops).toEqual([]);
    const looped = {
      "t.mjs": `${AL}\nlet n = 0; for (const x of al.loop("x", [1])) { n++; break; } console.log(n);`,
    };
    const alone = analyzeProgram("t.mjs", (file) => looped[file as "t.mjs"]);
    const source = rewriteSource("t.mjs", looped["t.mjs"], alone).replace(
      AL,
      'const al = require("afterlog");',
    );
    const folder = mkdtempSync(join(tmpdir(), "afterlog-rewrite-"));
    made.push(folder);
    mkdirSync(join(folder, "node_modules/afterlog"), { recursive: true });
    writeFileSync(join(folder, "node_modules/afterlog/index.js"), STUB);
    writeFileSync(join(folder, "t.cjs"), source);
    expect(execFileSync(process.execPath, [join(folder, "t.cjs")], { encoding: "utf8" })).toBe(
      "1\n",
    );
  });
});

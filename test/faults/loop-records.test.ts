/**
 * @file Loops left in every way a language has: what the log says of them.
 *
 * Each row is a program and its records, one line each: `enter` and `exit` with the path around the
 * loop, its name and entry; `log` with the path it was logged at.
 */
import { describe, expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { readLog } from "../support/recorded.ts";

function describeRecord(record: Record): string[] {
  if (record.k === "enter") {
    return [`enter ${at(record.path)}${record.loop}#${record.entry}`];
  }
  if (record.k === "exit") {
    const { path, loop, entry, how, iterations } = record;
    return [`exit ${at(path)}${loop}#${entry} ${how} ${iterations}`];
  }
  if (record.k !== "log") return [];
  return [`log ${at(record.path)}${record.name} ${String(record.value)}`];
}

function at(path: Parameters<typeof formatPath>[0]): string {
  return path.length === 0 ? "" : `${formatPath(path)} `;
}

interface Row {
  readonly what: string;
  readonly program: string;
  readonly records: readonly string[];
  readonly code?: number;
  readonly stderr?: RegExp;
}

/** Loops `a` and `b` over two items. */
const A = 'for (const a of al.loop("a", [0, 1]))';
const B = 'for (const b of al.loop("b", [0, 1]))';

const ROWS: readonly Row[] = [
  {
    what: "to its end",
    program: `${A} al.log("x", a);`,
    records: ["enter a#0", "log a=0 x 0", "log a=1 x 1", "exit a#0 exhausted 2"],
  },
  {
    what: "over nothing",
    program: 'for (const a of al.loop("a", []));',
    records: ["enter a#0", "exit a#0 exhausted 0"],
  },
  {
    what: "over a text",
    program: 'for (const a of al.loop("a", "hi")) al.log("x", a);',
    records: ["enter a#0", "log a=0 x h", "log a=1 x i", "exit a#0 exhausted 2"],
  },
  {
    what: "over a text, awaited",
    program: 'for await (const a of al.loop("a", "hi")) al.log("x", a);',
    records: ["enter a#0", "log a=0 x h", "log a=1 x i", "exit a#0 exhausted 2"],
  },
  {
    what: "by break",
    program: `${A} { al.log("x", a); break; } al.log("after", 1);`,
    records: ["enter a#0", "log a=0 x 0", "exit a#0 closed 1", "log after 1"],
  },
  {
    what: "continue goes on",
    program: `${A} { if (a === 0) continue; al.log("x", a); }`,
    records: ["enter a#0", "log a=1 x 1", "exit a#0 exhausted 2"],
  },
  {
    what: "continue of the loop around it",
    program: `outer: ${A} { ${B} { al.log("x", b); continue outer; } }`,
    records: [
      "enter a#0",
      ...[0, 1].flatMap((a) => [
        `enter a=${a} b#0`,
        `log a=${a},b=0 x 0`,
        `exit a=${a} b#0 closed 1`,
      ]),
      "exit a#0 exhausted 2",
    ],
  },
  {
    what: "break of the loop around it",
    program: `outer: ${A} { ${B} { break outer; } }`,
    records: ["enter a#0", "enter a=0 b#0", "exit a=0 b#0 closed 1", "exit a#0 closed 1"],
  },
  {
    what: "by return, out of two loops",
    program: `function f() { ${A} ${B} if (b === 1) return b; } al.log("f", f());`,
    records: [
      "enter a#0",
      "enter a=0 b#0",
      "exit a=0 b#0 closed 2",
      "exit a#0 closed 1",
      "log f 1",
    ],
  },
  {
    what: "by an exception caught outside",
    program: `try { ${A} { throw new Error("x"); } } catch { al.log("caught", 1); } ${B};`,
    records: [
      "enter a#0",
      "exit a#0 closed 1",
      "log caught 1",
      "enter b#0",
      "exit b#0 exhausted 2",
    ],
  },
  {
    what: "an exception caught inside",
    program: `${A} { try { throw new Error("x"); } catch { al.log("caught", a); } }`,
    records: ["enter a#0", "log a=0 caught 0", "log a=1 caught 1", "exit a#0 exhausted 2"],
  },
  {
    what: "an exception of its iterator",
    program: `function* g() { yield 0; throw new Error("in next"); }
try { for (const a of al.loop("a", g())) al.log("x", a); } catch ({ message }) { al.log("m", message); }`,
    records: ["enter a#0", "log a=0 x 0", "exit a#0 throw 1", "log m in next"],
  },
  {
    what: "one after the other, and the first again",
    program: `${A}; ${B}; ${A};`,
    records: [
      "enter a#0",
      "exit a#0 exhausted 2",
      "enter b#0",
      "exit b#0 exhausted 2",
      "enter a#1",
      "exit a#1 exhausted 2",
    ],
  },
  {
    what: "entered twice in one iteration, and counted anew in the next",
    program: `${A} { ${B} break; ${B} al.log("x", b); }`,
    records: [
      "enter a#0",
      ...[0, 1].flatMap((a) => [
        `enter a=${a} b#0`,
        `exit a=${a} b#0 closed 1`,
        `enter a=${a} b#1`,
        `log a=${a},b#1=0 x 0`,
        `log a=${a},b#1=1 x 1`,
        `exit a=${a} b#1 exhausted 2`,
      ]),
      "exit a#0 exhausted 2",
    ],
  },
  {
    what: "five deep, of one name",
    program: `const f = (depth) => {
  for (const i of al.loop("r", al.range(1))) depth === 1 ? al.log("deep", 1) : f(depth - 1);
};
f(5);`,
    records: [
      "enter r#0",
      "enter r=0 r#0",
      "enter r=0,r=0 r#0",
      "enter r=0,r=0,r=0 r#0",
      "enter r=0,r=0,r=0,r=0 r#0",
      "log r=0,r=0,r=0,r=0,r=0 deep 1",
      "exit r=0,r=0,r=0,r=0 r#0 exhausted 1",
      "exit r=0,r=0,r=0 r#0 exhausted 1",
      "exit r=0,r=0 r#0 exhausted 1",
      "exit r=0 r#0 exhausted 1",
      "exit r#0 exhausted 1",
    ],
  },
  {
    what: "a generator that is abandoned inside a loop: closed when the loop goes on",
    program: `${A} { const i = al.loop("b", [0, 1])[Symbol.iterator](); i.next(); }`,
    records: [
      "enter a#0",
      ...[0, 1].flatMap((a) => [`enter a=${a} b#0`, `exit a=${a} b#0 closed 1`]),
      "exit a#0 exhausted 2",
    ],
  },
  {
    what: "an iterator used after its end",
    program: `const i = al.loop("a", [0])[Symbol.iterator]();
i.next(); i.next(); al.log("done", i.next().done); i.return();`,
    records: ["enter a#0", "exit a#0 exhausted 1", "log done true"],
  },
  {
    what: "destructuring takes the first items",
    program: `const [first] = al.loop("a", [7, 8, 9]); al.log("first", first);`,
    records: ["enter a#0", "exit a#0 closed 1", "log first 7"],
  },
  {
    what: "one generator in two loops: what the first left is the second's",
    program: `function* g() { yield* [0, 1, 2, 3]; }
const source = g();
source.return = undefined;
for (const x of al.loop("a", source)) { al.log("x", x); if (x === 1) break; }
for (const x of al.loop("b", source)) al.log("x", x);`,
    records: [
      "enter a#0",
      "log a=0 x 0",
      "log a=1 x 1",
      "exit a#0 closed 2",
      "enter b#0",
      "log b=0 x 2",
      "log b=1 x 3",
      "exit b#0 exhausted 2",
    ],
  },
  {
    what: "async, over an async generator and over promises",
    program: `async function* g() { yield 0; yield 1; }
for await (const a of al.loop("a", g())) al.log("x", a);
for await (const b of al.loop("b", [Promise.resolve(5)])) al.log("y", b);`,
    records: [
      "enter a#0",
      "log a=0 x 0",
      "log a=1 x 1",
      "exit a#0 exhausted 2",
      "enter b#0",
      "log b=0 y 5",
      "exit b#0 exhausted 1",
    ],
  },
  {
    what: "async, left by break, by a throw, and by a rejection",
    program: `for await (const a of al.loop("a", [0, 1])) break;
try { for await (const a of al.loop("a", [0, 1])) throw new Error("x"); } catch {}
try { for await (const a of al.loop("a", [Promise.reject(new Error("x"))])); } catch {}`,
    records: [
      "enter a#0",
      "exit a#0 closed 1",
      "enter a#1",
      "exit a#1 closed 1",
      "enter a#2",
      "exit a#2 throw 0",
    ],
  },
  {
    what: "a function that logs has the path of its caller",
    program: `const f = () => al.log("f", 1); f(); ${A} { f(); ${B} f(); }`,
    records: [
      "log f 1",
      "enter a#0",
      ...[0, 1].flatMap((a) => [
        `log a=${a} f 1`,
        `enter a=${a} b#0`,
        `log a=${a},b=0 f 1`,
        `log a=${a},b=1 f 1`,
        `exit a=${a} b#0 exhausted 2`,
      ]),
      "exit a#0 exhausted 2",
    ],
  },
  {
    what: "a loop inside the generator that feeds a loop",
    program: `function* items() { for (const f of al.loop("file", ["x", "y"])) { al.log("read", f); yield f; } }
for (const s of al.loop("step", items())) al.log("at", s);
al.log("after", 1);`,
    records: [
      "enter step#0",
      "enter step=0 file#0",
      "log step=0,file=0 read x",
      "log step=0 at x",
      "log step=1,file=1 read y",
      "log step=1 at y",
      "exit step=0 file#0 exhausted 2",
      "exit step#0 exhausted 2",
      "log after 1",
    ],
  },
  {
    what: "a loop inside a generator that is left early",
    program: `function* items() { for (const f of al.loop("file", ["x", "y"])) yield f; }
for (const s of al.loop("step", items())) break;
al.log("after", 1);`,
    records: [
      "enter step#0",
      "enter step=0 file#0",
      "exit step=0 file#0 closed 1",
      "exit step#0 closed 1",
      "log after 1",
    ],
  },
  {
    what: "at the same time: both go on unrecorded",
    program: `const wait = () => new Promise((resolve) => setTimeout(resolve, 1));
const run = async (name) => { for await (const i of al.loop(name, [0, 1, 2])) await wait(); };
await Promise.all([run("a"), run("b")]);
await Promise.all([run("a"), run("b")]);
for (const c of al.loop("c", [0])) al.log("last", c);`,
    records: [
      "enter a#0",
      "enter a=0 b#0",
      "exit a=0 b#0 closed 0",
      "exit a#0 exhausted 3",
      "enter a#1",
      "exit a#1 exhausted 3",
      "enter c#0",
      "log c=0 last 0",
      "exit c#0 exhausted 1",
    ],
    stderr: /warning: loop b turned off: it runs at the same time as another loop; await one after/,
  },
  {
    what: "by process.exit",
    program: `${A} { al.log("x", a); if (a === 1) process.exit(3); }`,
    records: ["enter a#0", "log a=0 x 0", "log a=1 x 1"],
    code: 3,
  },
];

describe("loops", () => {
  test.each(ROWS)("$what", async ({ program, records, code = 0, stderr = /./ }) => {
    using project = TestProject.apart({ fast: true });
    project.write("train.mjs", `import * as al from "afterlog";\n${program}\n`);
    const ended = await project.train({ env: WITHOUT_GIT });
    expect(ended.code, ended.stderr).toBe(code);
    expect(ended.stderr).toMatch(stderr);
    const log = readLog(project.onlyRun);
    expect(log.sealed).toBe(code === 0 ? "done" : "failed");
    expect(log.records.flatMap(describeRecord)).toEqual(records);
  });
});

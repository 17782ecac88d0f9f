/**
 * Loops of a program that never heard of Afterlog are recorded as `al.loop` would have recorded
 * them: the same entries, exits, iterations and paths of what is logged inside.
 */
import { describe, expect, it } from "vitest";
import type { Record as LogLine } from "../../src/format/index.ts";
import { formatPath, pathElement } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import type { Site } from "./rewritten.ts";
import {
  awaitLoop,
  BREAK,
  doLoop,
  forLoop,
  header,
  ofLoop,
  seenLoop,
  whileLoop,
} from "./rewritten.ts";

/** The same program, with `al.loop` and as the rewriting would have it. */
interface Row {
  readonly title: string;
  readonly api: string;
  readonly plain: string;
}

const SITES: readonly Site[] = [
  { name: "a", kind: "plain" },
  { name: "b", kind: "plain" },
  { name: "a", kind: "of" },
  { name: "b", kind: "of" },
  { name: "a", kind: "plain", trivial: true },
  { name: "c", kind: "plain" },
];

/** `for (const i of al.loop(name, al.range(n)))`, as the rows compare with it. */
const api = (name: string, items: string, body: string, head = "i"): string =>
  `for (const ${head} of al.loop("${name}", ${items})) {${body}}`;

const COUNT = ["let i = 0", "i < 3", "i++"] as const;
const MANY = ["let i = 0", "i < 5000", "i++"] as const;
const LOG = `al.log("x", i);`;

const ROWS: readonly Row[] = [
  {
    title: "for",
    api: api("a", "al.range(3)", LOG),
    plain: forLoop(0, COUNT, LOG),
  },
  {
    title: "while, logging after it too",
    api: `${api("a", "al.range(3)", LOG)} al.log("after", 1);`,
    plain: `{let i = 0; ${whileLoop(0, "i < 3", `${LOG} i++;`)}} al.log("after", 1);`,
  },
  {
    title: "do",
    api: api("a", "al.range(3)", LOG),
    plain: `{let i = 0; ${doLoop(0, "i < 3", `${LOG} i++;`)}}`,
  },
  {
    title: "do that is executed once",
    api: api("a", "al.range(1)", LOG),
    plain: `{let i = 0; ${doLoop(0, "false", LOG)}}`,
  },
  {
    title: "no iteration",
    api: api("a", "[]", LOG),
    plain: whileLoop(0, "false", `al.log("x", 1);`),
  },
  {
    title: "break",
    api: api("a", "al.range(9)", `${LOG} if (i === 2) break;`),
    plain: forLoop(0, ["let i = 0", "i < 9", "i++"], `${LOG} if (i === 2) ${BREAK}`),
  },
  {
    title: "continue",
    api: api("a", "al.range(4)", `if (i % 2) continue; ${LOG}`),
    plain: forLoop(0, ["let i = 0", "i < 4", "i++"], `if (i % 2) continue; ${LOG}`),
  },
  {
    title: "continue in do",
    api: api("a", "al.range(4)", `if (i % 2) continue; ${LOG}`),
    plain: `{let i = -1; ${doLoop(0, "i < 3", `i++; if (i % 2) continue; ${LOG}`)}}`,
  },
  {
    title: "a loop left by return, and one around it",
    api: `(() => {${api("a", "al.range(3)", api("b", "al.range(3)", `al.log("y", j); if (j === 1) return;`, "j"))}})();`,
    plain: `(() => {${forLoop(0, COUNT, forLoop(1, ["let j = 0", "j < 3", "j++"], `al.log("y", j); if (j === 1) return;`))}})();`,
  },
  {
    title: "a loop left by an exception",
    api: `try {${api("a", "al.range(3)", `${LOG} if (i === 1) throw new Error("x");`)}} catch {}`,
    plain: `try {${forLoop(0, COUNT, `${LOG} if (i === 1) throw new Error("x");`)}} catch {}`,
  },
  {
    title: "many short iterations, logging in a few",
    api: api("a", "al.range(5000)", `if (i % 999 === 0) ${LOG}`),
    plain: forLoop(4, MANY, `if (i % 999 === 0) ${LOG}`),
  },
  {
    title: "many short iterations, left by break",
    api: api("a", "al.range(5000)", `if (i === 4321) break;`),
    plain: forLoop(4, MANY, `if (i === 4321) ${BREAK}`),
  },
  {
    title: "many short iterations, some with a loop in them",
    api: api(
      "a",
      "al.range(5000)",
      `if (i % 1999 === 1) ${api("b", "al.range(2)", `al.log("y", j);`, "j")}`,
    ),
    plain: forLoop(
      0,
      MANY,
      `if (i % 1999 === 1) ${forLoop(1, ["let j = 0", "j < 2", "j++"], `al.log("y", j);`)}`,
    ),
  },
  {
    title: "many short iterations, logging in the test",
    api: api(
      "a",
      '(function* () { for (let i = 0; i < 5000; i++) { if (i % 2000 === 7) al.log("t", i); yield i; } al.log("t", -1); })()',
      "",
    ),
    plain: `{let i = 0; ${whileLoop(4, `(i % 2000 === 7 && al.log("t", i), i < 5000 || (al.log("t", -1), false))`, "i++;")}}`,
  },
  {
    title: "entered again",
    api: api(
      "a",
      "al.range(2)",
      `for (const k of [0, 1]) ${api("b", "al.range(2)", `al.log("y", j);`, "j")}`,
    ),
    plain: forLoop(
      0,
      COUNT_OF(2),
      `for (const k of [0, 1]) ${forLoop(1, ["let j = 0", "j < 2", "j++"], `al.log("y", j);`)}`,
    ),
  },
  {
    title: "head variables that closures have captured",
    api: `{const f = []; ${api("a", "al.range(3)", `${LOG} f.push(() => i);`)} al.log("seen", f.map((g) => g()));}`,
    plain: `{const f = []; ${seenLoop(0, COUNT, `${LOG} f.push(() => i);`, ["", `["t:1:i",()=>i,v=>{i=v}]`])} al.log("seen", f.map((g) => g()));}`,
  },
  {
    title: "for of an array",
    api: api("a", "[1, 2, 3]", LOG),
    plain: ofLoop(2, "i", "[1, 2, 3]", LOG),
  },
  {
    title: "for of a string, a Map and a Set",
    api:
      api("a", `"xyz"`, LOG) +
      api("a", "new Map([[1, {}]])", 'al.log("x", i[0]);') +
      api("b", "new Set([{}])", ""),
    plain:
      ofLoop(2, "i", `"xyz"`, LOG) +
      ofLoop(2, "i", "new Map([[1, {}]])", 'al.log("x", i[0]);') +
      ofLoop(3, "i", "new Set([{}])", ""),
  },
  {
    title: "for of objects, many",
    api: api(
      "a",
      "Array.from({ length: 5000 }, (_, i) => ({ i }))",
      `if (i % 777 === 0) ${LOG}`,
      "{ i }",
    ),
    plain: ofLoop(
      2,
      "{ i }",
      "Array.from({ length: 5000 }, (_, i) => ({ i }))",
      `if (i % 777 === 0) ${LOG}`,
    ),
  },
  {
    title: "for of a generator that draws and logs, its body drawing too",
    api: api(
      "a",
      "source()",
      `if (item.i > 1500) Math.random(); if (item.i === 1600) al.log("x", 1);`,
      "item",
    ),
    plain: ofLoop(
      2,
      "item",
      "source()",
      `if (item.i > 1500) Math.random(); if (item.i === 1600) al.log("x", 1);`,
    ),
  },
  {
    title: "for of that throws in its iterator",
    api: `try {${api("a", "failing()", "", "item")}} catch {}`,
    plain: `try {${ofLoop(2, "item", "failing()", "")}} catch {}`,
  },
  {
    title: "for await of promises and of an async generator",
    api: `for await (const i of al.loop("a", [Promise.resolve(1), 2])) {${LOG}} for await (const i of al.loop("b", later())) {${LOG}}`,
    plain: awaitLoop(2, "i", "[Promise.resolve(1), 2]", LOG) + awaitLoop(3, "i", "later()", LOG),
  },
  {
    title: "await in body and test",
    api: `for await (const i of al.loop("a", [0, 1, 2])) { await null; ${LOG} }`,
    plain: `{let i = 0; ${whileLoop(0, "await Promise.resolve(i < 3)", `await null; ${LOG} i++;`)}}`,
  },
];

function COUNT_OF(n: number): readonly [string, string, string] {
  return ["let i = 0", `i < ${n}`, "i++"];
}

const HELPERS = `
function* source() { for (let i = 0; i < 3000; i++) { if (i < 1200) Math.random(); if (i === 2000) al.log("s", i); yield { i }; } }
function* failing() { for (let i = 0; i < 2000; i++) yield { i }; throw new Error("x"); }
async function* later() { yield 1; await null; yield 2; }
`;

/** All rows in one program, each in an iteration of its own. */
function program(bodies: readonly string[], head: string): string {
  const rows = bodies.map((body) => `async () => {${body}}`);
  return `import * as al from "afterlog";\n${head}\n${HELPERS}
for (const row of al.loop("row", [${rows.join(",\n")}])) await row();`;
}

/** What happened in each row: loops and logged values, without numbers, times and places. */
function happened(records: readonly LogLine[]): string[][] {
  const rows: string[][] = [];
  for (const record of records) {
    const [first] = "path" in record ? record.path : [];
    if (!first || first[1] === "end") continue;
    const line = lineOf(record);
    if (line !== undefined) (rows[first[1]] ??= []).push(line);
  }
  return rows;
}

function lineOf(record: LogLine): string | undefined {
  if (record.k === "log") {
    return `log ${formatPath(record.path)} ${record.name} ${JSON.stringify(record.value)}`;
  }
  if (record.k !== "enter" && record.k !== "exit") return undefined;
  const path = formatPath([...record.path, pathElement(record.loop, "end", record.entry)]);
  const how = record.k === "exit" ? ` ${record.how} ${record.iterations}` : "";
  return `${record.k} ${path}${how}`;
}

describe("loops of a program that does not call us", async () => {
  using expected = new TestProject({
    "train.mjs": program(
      ROWS.map((row) => row.api),
      "",
    ),
  });
  using plain = new TestProject({
    "train.mjs": program(
      ROWS.map((row) => row.plain),
      header("train.mjs", SITES),
    ),
  });
  const ran = [
    await expected.afterlog("run", "train.mjs"),
    await plain.afterlog("run", "train.mjs"),
  ];
  const [wanted, got] = [happened(expected.records), happened(plain.records)];
  const draws = [drawsOf(expected.records), drawsOf(plain.records)];
  it("run to their end", () => expect(ran.map(({ code }) => code)).toEqual([0, 0]));
  for (const [index, { title }] of ROWS.entries()) {
    it(`are recorded as al.loop records them: ${title}`, () => {
      expect(got[index]).toEqual(wanted[index]);
    });
  }
  it("tell of a generator when it was drawn from", () => expect(draws[1]).toEqual(draws[0]));
});

/** Draws of the row whose iterator draws. */
function drawsOf(records: readonly LogLine[]): unknown {
  const row = ROWS.findIndex(({ title }) => title.includes("draws"));
  return records.flatMap((record) => {
    return record.k === "exit" && record.path[0]?.[1] === row ? [record.draws] : [];
  });
}

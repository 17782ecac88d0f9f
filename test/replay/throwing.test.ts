/**
 * A loop that an exception ends: how many iterations are counted does not depend on whether the run
 * was told of each, and a replay takes the same way.
 */
import { describe, expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS } from "../support/python.ts";
import { logged, replay } from "../support/replay.ts";

interface Row {
  readonly title: string;
  /** Executes its body with `n` from 0 to `N - 1`; then `fail` throws. */
  readonly loop: string;
  readonly how: "throw" | "jump";
  /** A test that threw counts as an iteration: what it logs has the path of one. */
  readonly counted: "bodies" | "test too";
}

const ROWS: readonly Row[] = [
  {
    title: "the test of a while",
    loop: "let n = 0; while (n < N || fail(n)) { BODY n++; }",
    how: "jump",
    counted: "test too",
  },
  {
    title: "the test of a do",
    loop: "let n = 0; do { BODY n++; } while (n < N || fail(n));",
    how: "jump",
    counted: "test too",
  },
  {
    title: "the test of a for",
    loop: "for (let n = 0; n < N || fail(n); n++) { BODY }",
    how: "jump",
    counted: "test too",
  },
  {
    title: "the test of a for whose variable a closure has",
    loop: "for (let n = 0; n < N || fail(n); n++) { kept = () => n; BODY }",
    how: "jump",
    counted: "test too",
  },
  {
    title: "the update of a for",
    loop: "for (let n = 0; ; n + 1 < N ? n++ : fail(n)) { BODY }",
    how: "jump",
    counted: "bodies",
  },
  {
    title: "the body",
    loop: "for (let n = 0; ; n++) { BODY if (n + 1 === N) fail(n); }",
    how: "jump",
    counted: "bodies",
  },
  {
    title: "the iterator of a for of",
    loop: "for (const { n } of items(N)) { BODY }",
    how: "throw",
    counted: "bodies",
  },
  {
    title: "the iterator of a for await",
    loop: "for await (const { n } of items(N)) { BODY }",
    how: "throw",
    counted: "bodies",
  },
];

/** Few iterations with a log call in each are told one by one; of many quick ones most are not. */
const SIZES = [
  { size: "told one by one", count: 4, body: 'console.log("n", n); total += Math.random();' },
  { size: "in batches", count: 3000, body: "total += Math.random();" },
];

const program = (rows: readonly string[]): string => `
let [total, kept] = [0, undefined];
const fail = (n) => { console.log("failing", n); throw new Error("at " + n); };
function* items(N) { for (let n = 0; n < N; n++) yield { n }; fail(N); }
${rows.map((row) => `try { ${row} } catch (error) { console.log("total", total); }`).join("\n")}
for (let last = 0; last < 2; last++) console.log("end", total);
`;

const exitsOf = (records: readonly Record[]): string[] =>
  records.flatMap((record) => (record.k === "exit" ? [`${record.how} ${record.iterations}`] : []));

describe.each(SIZES)("an exception in a loop whose iterations are $size", async (size) => {
  const loops = ROWS.map(({ loop }) =>
    loop.replaceAll("N", String(size.count)).replace("BODY", size.body),
  );
  using project = new TestProject({ "train.mjs": program(loops) });
  const ran = await project.afterlog("run", "train.mjs");
  const exits = exitsOf(project.records);
  const recorded = logged(project.records);
  const { outcome, values } = await replay(project, "train.mjs", []);

  test.each(ROWS)("$title", (row) => {
    const { how, counted } = row;
    expect(ran.code, ran.stderr).toBe(0);
    expect(exits[ROWS.indexOf(row)]).toBe(`${how} ${size.count + (counted === "bodies" ? 0 : 1)}`);
  });

  test("is thrown again in a replay", () => {
    expect(outcome).toMatchObject({ kind: "done" });
    expect(values).toEqual(recorded);
  });
});

const PYTHON = `
import afterlog as al

def items():
    yield from range(4)
    raise KeyError

total = 0
for epoch in al.loop("epoch", range(2)):
    try:
        for n in al.loop("n", items()):
            total += n
            al.log("total", total)
    except KeyError:
        al.log("caught", total)
`;

test.each(INTERPRETERS.slice(0, 1))("an exception in an iterator, by %s", async (interpreter) => {
  using project = new TestProject({ "train.py": PYTHON });
  const ran = await project.afterlog("run", "--python", interpreter, "train.py");
  expect(ran.code, ran.stderr).toBe(0);
  expect(exitsOf(project.records)).toEqual(["throw 4", "throw 4", "exhausted 2"]);
  const recorded = logged(project.records);
  const { outcome, values } = await replay(project, "train.py", [], { interpreter });
  expect(outcome).toMatchObject({ kind: "done" });
  expect(values).toEqual(recorded);
});

/**
 * @file A statement that was changed and asked for again: what was filled before it does not count for
 * it, and where both stay in one column it says so. And a condition on what only some versions have.
 */
import { expect, it } from "vitest";
import { needs } from "../support/needs.ts";
import { History } from "./history.ts";

const program = (statement: string, before = ""): string => `import * as al from "afterlog";
let w = 0.5;
${before}for (const epoch of al.loop("epoch", al.range(2))) {
  w *= 0.9;
  al.log("w", w);
${statement}}
`;

it("tells that a name holds values of two statements, and of one it does not", async () => {
  using history = new History();
  await history.record({ files: { "train.ts": program("") } });
  history.put({ "train.ts": program('  al.log("q", w * 10);\n') });
  await history.afterlog("replay", "q", "--yes");
  expect((await history.afterlog("frame", "q")).stderr).not.toContain("statements");

  history.put({ "train.ts": program('  al.log("q", w * 20);\n') });
  await history.afterlog("replay", "q", "--yes", "--where", "epoch = 1");
  const mixed = await history.afterlog("frame", "q");
  expect(mixed.stderr).toContain("q holds values of 2 statements");
  expect(await history.values("q")).toEqual([[0.45 * 10, 0.45 * 0.9 * 20]]);

  await history.afterlog("replay", "q", "--yes");
  expect((await history.afterlog("frame", "q")).stderr).not.toContain("statements");
  expect(await history.values("q")).toEqual([[0.45 * 20, 0.45 * 0.9 * 20]]);

  // As it was at first: those values are there still, and are not the ones that are shown.
  history.put({ "train.ts": program('  al.log("q", w * 10);\n') });
  await history.afterlog("replay", "q", "--yes");
  expect(await history.values("q")).toEqual([[0.45 * 10, 0.45 * 0.9 * 10]]);
}, 60_000);

it("keeps with each value how it landed, and tells what its version has otherwise", async () => {
  using history = new History();
  const scaled = (by: number, asked = ""): string =>
    `let w = 1;\nfor (let epoch = 0; epoch < 2; epoch++) {\n  w /= 2;\n  const v = w * ${by};\n` +
    `  console.log("w", w);\n${asked && '  console.log("q", v);\n'}}\n`;
  const older = await history.record({ files: { "train.js": scaled(3) }, program: "train.js" });
  await history.record({ files: { "train.js": scaled(5) }, program: "train.js" });
  history.put({ "train.js": scaled(5, "q") });
  expect(await history.afterlog("replay", "q", "--yes")).toMatchObject({ code: 0 });
  expect(await history.values("q")).toEqual([
    [1.5, 0.75],
    [2.5, 1.25],
  ]);
  const said = "`v` differs from yours: the version's own is used";
  const frame = await history.afterlog("frame", "q");
  expect(frame.stderr).toBe(`! q in 1 run: ${said}\n`);
  expect((await history.afterlog("why", older, "q")).stdout).toContain(said);
  const sql = "select distinct landing, differs from logs where name = 'q' order by differs";
  const rows = await history.afterlog("query", "--json", sql);
  expect(JSON.parse(rows.stdout)).toEqual([
    { landing: "exact", differs: [] },
    { landing: "exact", differs: [said] },
  ]);
}, 60_000);

it("does not take the values of a statement for those of one that cannot land", async () => {
  using history = new History();
  for (const _ of [1, 2]) await history.record({ files: { "train.ts": program("") } });
  const [older = "", newer = ""] = history.names;
  const other = '  al.log("p", w + 1);\n';
  history.put({ "train.ts": program(`${other}  al.log("q", w * 10);\n`) });
  expect(await history.afterlog("replay", "p", "q", "--yes")).toMatchObject({ code: 0 });
  const filled = { why: "it has the values already", filled: true };
  expect(await history.plan("p", "q")).toMatchObject({
    runs: [],
    left_out: [
      { run: older, ...filled },
      { run: newer, ...filled },
    ],
  });

  // What gives `v` its value gives the run's `w` another one: it is no addition.
  const scaled = program(`${other}  al.log("q", w * v);\n`);
  history.put({ "train.ts": scaled.replace("w *= 0.9", "const v = 2;\n  w *= 0.8 + v") });
  await history.afterlog("replay", "p", "--yes");
  const { runs, left_out: leftOut } = await history.plan("p", "q");
  expect(runs).toEqual([]);
  expect(leftOut.map(({ run }) => run)).toEqual([older, newer]);
  for (const { why, filled: is } of leftOut) {
    expect({ why, is }).toEqual({ why: expect.stringContaining("q is not logged there: "), is });
    expect(is).toBeUndefined();
  }
  expect(await history.afterlog("replay", "p", "q", "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("AL034"),
  });
  const bisected = await history.afterlog("bisect", "q < 5", "--yes");
  expect(bisected.code).toBe(1);
  expect(bisected.stderr).toContain("no run can say whether q < 5");
  expect(bisected.stderr).toContain(`${older}: `);
}, 60_000);

/** A loop `epoch` that only the newer version has, a value in it, and one behind it. */
const LOOPED = [
  {
    file: "train.py",
    once: "w = 1.0\nfor step in range(3):\n    w = w / 2\nprint('w', w)\n",
    often: (inner: string, behind: string): string =>
      "w = 1.0\nfor epoch in range(3):\n    for step in range(3):\n        w = w / 2\n" +
      `    print('w', w)\n${inner && "    print('sq', w * w)\n"}${behind && "print('end', -w)\n"}`,
  },
  {
    file: "train.js",
    once: 'let w = 1;\nfor (let step = 0; step < 3; step++) w /= 2;\nconsole.log("w", w);\n',
    often: (inner: string, behind: string): string =>
      "let w = 1;\nfor (let epoch = 0; epoch < 3; epoch++) {\n" +
      '  for (let step = 0; step < 3; step++) w /= 2;\n  console.log("w", w);\n' +
      `${inner && '  console.log("sq", w * w);\n'}}\n${behind && 'console.log("end", -w);\n'}`,
  },
];

it.each(LOOPED)(
  "in $file asks by a loop that the oldest run has not",
  { ...needs("python"), timeout: 60_000 },
  async ({ file, once, often }) => {
    using history = new History();
    await history.record({ files: { [file]: once }, program: file });
    await history.record({ files: { [file]: often("", "") }, program: file });
    history.put({ [file]: often("sq", "end") });
    const asked = await history.afterlog("replay", "sq", "end", "--yes", "--where", "epoch = 1");
    expect(asked.code, asked.stderr).toBe(0);
    expect(asked.stdout + asked.stderr).toMatch(/`end` at \S+ was not reached/);
    expect(await history.values("sq")).toEqual([[], [2 ** -12]]);
    const behind = await history.afterlog("plan", "end", "--where", "epoch = 1");
    expect(behind).toMatchObject({ code: 0, stderr: "no run has what is asked for\n" });
    const unknown = await history.afterlog("plan", "sq", "--where", "epohc = 1");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("mean epoch?") });
  },
);

const LIMITED = [
  {
    file: "train.py",
    program: (limit: number, asked = "") =>
      `LIMIT = ${limit}\nw = 1.0\nfor epoch in range(3):\n    w /= 2\n    print("w", w)\n` +
      `    if epoch > LIMIT:\n        w += 1\n${asked && '        print("q", w)\n'}`,
  },
  {
    file: "train.js",
    program: (limit: number, asked = "") =>
      `const LIMIT = ${limit};\nlet w = 1;\nfor (let epoch = 0; epoch < 3; epoch++) {\n  w /= 2;\n  console.log("w", w);\n` +
      `  if (epoch > LIMIT) {\n    w += 1;\n${asked && '    console.log("q", w);\n'}  }\n}\n`,
  },
];

it.each(LIMITED)(
  "in $file says in which version nothing is logged",
  { ...needs("python"), timeout: 60_000 },
  async ({ file, program }) => {
    using history = new History();
    const older = await history.record({ files: { [file]: program(9) }, program: file });
    await history.record({ files: { [file]: program(1) }, program: file });
    history.put({ [file]: program(1, "q") });
    const asked = await history.afterlog("replay", "q", "--yes");
    expect(asked.code, asked.stderr).toBe(0);
    expect(await history.values("q")).toEqual([[], [1.125]]);
    expect(asked.stderr).toMatch(
      /`q` logs nothing in version \w{7}: `if \(?epoch > LIMIT\)?` was false/,
    );
    const { left_out: left } = await history.plan("q");
    const why = expect.stringContaining("nothing was logged where a value is missing");
    expect(left).toContainEqual(expect.objectContaining({ run: older, why }));
  },
);

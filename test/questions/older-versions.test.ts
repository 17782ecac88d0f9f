/**
 * What people add to a program to see more, asked of an older version in which names are others and
 * `evaluate` is another function: all that was added together lands together. The truth is the older
 * program with the question put in by hand.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { History } from "../versions/history.ts";
import { after, before } from "./programs.ts";
import { LANDING_PROGRAMS, older, otherwise } from "./older-programs.ts";

describe.each(LANDING_PROGRAMS)("$file", needs("python"), (program) => {
  const { file, asks } = program;
  const past = { ...program, text: older(program) };
  let truth: History;
  let recorded: History;

  beforeAll(async () => {
    truth = new History();
    await truth.record({ files: { [file]: after(past) }, program: file });
    recorded = new History();
    await recorded.record({ files: { [file]: before(past) }, program: file });
    await recorded.record({ files: { [file]: before(program) }, program: file });
    recorded.put({ [file]: otherwise(program) });
  });

  afterAll(() => {
    truth[Symbol.dispose]();
    recorded[Symbol.dispose]();
  });

  test.each([...program.alone.map((name) => [name]), asks])("%s", async (...names) => {
    using history = new History();
    history.copyFrom(recorded);
    const { code, stdout, stderr } = await history.afterlog("replay", ...names, "--yes");
    expect(code, stderr + stdout).toBe(0);
    for (const name of names) {
      const own = await hindsight(history, [name], recorded.names[0]);
      expect(own.map(({ value }) => Number(value))).toEqual(truth.logged(name).map(Number));
      const marks = [...new Set(own.map(({ check }) => check))];
      // Behind the last loop no state is compared any more.
      expect(marks, name).toEqual([name === "ask_seen" ? "unchecked" : "verified"]);
    }
  });
});

/** Statements that were added together, and a line that only the older version has and that changes what they read. */
const SPOILED = [
  {
    file: "train.py",
    program: (lines: string) => `import random
for epoch in range(4):
    total = 0.0
    for step in range(6):
        total += random.random()
${lines}    print("loss", total)
`,
    old: "    total = total / 6\n",
    part: '    root = total ** 0.5\n    print("root", root / total)\n',
  },
  {
    file: "train.js",
    program: (lines: string) => `for (let epoch = 0; epoch < 4; epoch++) {
  let total = 0;
  for (let step = 0; step < 6; step++) total += Math.random();
${lines}  console.log("loss", total);
}
`,
    old: "  total /= 6;\n",
    part: '  const root = Math.sqrt(total);\n  console.log("root", root / total);\n',
  },
];

test.each(SPOILED)(
  "in $file one part is not torn, and a person is asked",
  needs("python"),
  async ({ file, program, old, part }) => {
    using truth = new History();
    await truth.record({ files: { [file]: program(old + part) }, program: file });
    using history = new History();
    await history.record({ files: { [file]: program(old) }, program: file });
    await history.record({ files: { [file]: program("") }, program: file });
    history.put({ [file]: program(part) });
    const [oldest = ""] = history.names;
    await history.afterlog("replay", "root", "--yes");
    expect((await history.values("root")).map((own) => own.length)).toEqual([0, 4]);
    const { stdout } = await history.afterlog("where", "root", oldest);
    expect(stdout).toMatch(/line \d, which only that version has, gives total another value/);
    expect((await history.afterlog("where", "root", oldest, "--accept")).code).toBe(0);
    expect((await history.afterlog("replay", "root", "--yes")).code).toBe(0);
    expect((await history.values("root"))[0]).toEqual(truth.logged("root"));
  },
);

/** The same, where only the older version calls something that changes it. */
const CLIPPED = [
  {
    file: "train.py",
    program: (lines: string) => `def clip(g, most):
    for i in range(len(g)):
        g[i] = max(-most, min(most, g[i]))

w = [0.1, 0.2]
for step in range(4):
    err = w[0] * step + w[1] - 3
    g = [err * step, err]
${lines}    w = [a - 0.1 * b for a, b in zip(w, g)]
    print("loss", err * err)
`,
    old: "    clip(g, 0.5)\n",
    part: '    gn = sum(v * v for v in g) ** 0.5\n    print("gn", gn)\n',
  },
  {
    file: "train.js",
    program: (lines: string) => `const model = { w: [0.1, 0.2], g: [0, 0] };
const clip = (m, most) => {
  for (let i = 0; i < 2; i++) m.g[i] = Math.max(-most, Math.min(most, m.g[i]));
};
for (let step = 0; step < 4; step++) {
  const err = model.w[0] * step + model.w[1] - 3;
  model.g = [err * step, err];
${lines}  model.w = model.w.map((v, i) => v - 0.1 * model.g[i]);
  console.log("loss", err * err);
}
`,
    old: "  clip(model, 0.5);\n",
    part: '  const gn = Math.hypot(...model.g);\n  console.log("gn", gn);\n',
  },
];

test.each(CLIPPED)(
  "in $file a call that only the older version has is asked about",
  needs("python"),
  async ({ file, program, old, part }) => {
    using history = new History();
    await history.record({ files: { [file]: program(old) }, program: file });
    await history.record({ files: { [file]: program("") }, program: file });
    history.put({ [file]: program(part) });
    await history.afterlog("replay", "gn", "--yes");
    expect((await history.values("gn")).map((own) => own.length)).toEqual([0, 4]);
    const { stdout } = await history.afterlog("where", "gn", history.names[0] ?? "");
    expect(stdout).toMatch(/gn: line \d+, which only that version has, may change what is logged/);
  },
);

/** A function that was added where nothing has changed, and a line with other names that is sent through it. */
const LOOKED_AT = [
  {
    file: "train.py",
    program: (w: string, look = "", step = `mix(${w})`) => `def mix(v):
    return v * 0.9 + 0.1
${look}def scale(v):
    return v * 2
${w} = 1.0
for epoch in range(3):
    ${w} = ${step}
    print("loss", scale(${w}))
`,
    look: 'def look(v):\n    print("seen", v)\n    return v\n',
  },
  {
    file: "train.mjs",
    program: (
      w: string,
      look = "",
      step = `mix(${w})`,
    ) => `function mix(v) { return v * 0.9 + 0.1; }
${look}function scale(v) { return v * 2; }
let ${w} = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  ${w} = ${step};
  console.log("loss", scale(${w}));
}
`,
    look: 'function look(v) {\n  console.log("seen", v);\n  return v;\n}\n',
  },
];

test.each(LOOKED_AT)(
  "in $file what is added comes with the line that it is called in",
  needs("python"),
  async ({ file, program, look }) => {
    using history = new History();
    await history.record({ files: { [file]: program("weight") }, program: file });
    await history.record({ files: { [file]: program("w") }, program: file });
    history.put({ [file]: program("w", look, "look(mix(w))") });
    const { code, stdout, stderr } = await history.afterlog("replay", "seen", "--yes");
    expect(code, stderr + stdout).toBe(0);
    const [then, now] = await history.values("seen");
    expect(then).toHaveLength(3);
    expect(then).toEqual(now);
  },
);

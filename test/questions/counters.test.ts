/**
 * Numbers of a question that count iterations, in no checkpoint: what they are follows from how many
 * iterations were recorded, so a replay need not execute those. The truth is the program with all of it
 * in from the start.
 */
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { makePlan } from "../../src/app/read.ts";
import type { Cell } from "../truth/reference-sdk.ts";
import { ask, byPlace, costOf, edit, hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";
import { slowDown } from "../support/slow-down.ts";
import { History } from "../versions/history.ts";

/** Where something is added, by the text that it stands behind. */
type Places = { readonly [place: string]: string };
type Question = readonly (readonly [place: string, added: string])[];

interface Program {
  readonly file: string;
  readonly text: string;
  readonly places: Places;
  /** By name: each is counted. */
  readonly counted: { readonly [name: string]: Question };
  /** Each looks so, and all of the run is executed for it. */
  readonly executed: { readonly [name: string]: Question };
  /** The names that an older version has for others. */
  readonly renamed: { readonly [name: string]: string };
}

const PYTHON: Program = {
  file: "train.py",
  text: `w = [1.0]
def grow(x, at):
    if at == 7:
        raise ValueError(at)
    w.append(w.pop() + x)
for epoch in range(4):
    for step in range(3 + epoch):
        grow(0.5, 0)
        if step == 3:
            continue
        grow(0.25, 0)
        if step == 5:
            break
    try:
        for part in range(3):
            grow(1, part + 5 * epoch)
            grow(2, 0)
    except ValueError:
        pass
    left = 2 + epoch
    while left > 0:
        grow(0.125, 0)
        left -= 1
    print("w", w[0])
print("last", w[0])
`,
  places: {
    start: "w = [1.0]\n",
    epochStart: "for epoch in range(4):\n",
    stepStart: "    for step in range(3 + epoch):\n",
    grown: "        grow(0.5, 0)\n",
    step: "        grow(0.25, 0)\n",
    part: "            grow(1, part + 5 * epoch)\n",
    while: "    while left > 0:\n",
    epoch: '    print("w", w[0])\n',
    end: 'print("last", w[0])\n',
  },
  counted: {
    steps: [
      ["start", "n = 0\n"],
      ["stepStart", "        n += 1\n"],
      ["epoch", '    print("steps", n)\n'],
    ],
    every: [
      ["start", "m = 5\n"],
      ["grown", '        m += 2\n        if m % 3 == 0:\n            print("every", m * w[0])\n'],
    ],
    anew: [
      ["epochStart", "    k = 0\n"],
      ["stepStart", "        k += 1\n"],
      ["step", '        if k > 2:\n            print("anew", k + w[0])\n'],
      ["epoch", '    print("anew", k)\n'],
    ],
    twice: [
      ["start", "again = 100\n"],
      ["epochStart", "    again = 0\n"],
      ["stepStart", "        again -= 1\n"],
      ["epoch", '    print("twice", again)\n'],
    ],
    epochs: [
      ["start", "e = 0\n"],
      ["epochStart", "    e += 1\n"],
      ["step", '        print("epochs", e * w[0])\n'],
    ],
    whiles: [
      ["start", "u = 0\n"],
      ["while", "        u += 1\n"],
      ["epochStart", '    print("whiles", u)\n'],
    ],
    all: [
      ["start", "total = 0\n"],
      ["stepStart", "        total += 1\n"],
      ["end", 'print("all", total)\n'],
    ],
  },
  executed: {
    behind: [
      ["start", "b = 0\n"],
      ["step", "        b += 1\n"],
      ["epoch", '    print("behind", b)\n'],
    ],
    thrown: [
      ["start", "t = 0\n"],
      ["part", "            t += 1\n"],
      ["epoch", '    print("thrown", t)\n'],
    ],
    tenths: [
      ["start", "f = 0.0\n"],
      ["stepStart", "        f += 0.1\n"],
      ["epoch", '    print("tenths", f)\n'],
    ],
    sometimes: [
      ["start", "s = 0\n"],
      ["stepStart", "        if step > 0:\n            s += 1\n"],
      ["epoch", '    print("sometimes", s)\n'],
    ],
  },
  renamed: { epoch: "round_", step: "batch", grow: "train" },
};

const JAVASCRIPT: Program = {
  file: "train.mjs",
  text: `const w = [1];
function grow(x, at) {
  if (at === 7) throw new Error("at");
  w.push(w.pop() + x);
}
for (let epoch = 0; epoch < 4; epoch++) {
  for (const step of Array.from({ length: 3 + epoch }).keys()) {
    grow(0.5, 0);
    if (step === 3) continue;
    grow(0.25, 0);
    if (step === 5) break;
  }
  try {
    for (const part of [0, 1, 2]) {
      grow(1, part + 5 * epoch);
      grow(2, 0);
    }
  } catch {}
  let left = 2 + epoch;
  while (left > 0) {
    grow(0.125, 0);
    left--;
  }
  console.log("w", w[0]);
}
console.log("last", w[0]);
`,
  places: {
    start: "const w = [1];\n",
    epochStart: "epoch++) {\n",
    stepStart: "3 + epoch }).keys()) {\n",
    grown: "    grow(0.5, 0);\n",
    step: "    grow(0.25, 0);\n",
    part: "      grow(1, part + 5 * epoch);\n",
    while: "  while (left > 0) {\n",
    epoch: '  console.log("w", w[0]);\n',
    end: 'console.log("last", w[0]);\n',
  },
  counted: {
    steps: [
      ["start", "let n = 0;\n"],
      ["stepStart", "    n++;\n"],
      ["epoch", '  console.log("steps", n);\n'],
    ],
    every: [
      ["start", "let m = 5;\n"],
      ["grown", '    m += 2;\n    if (m % 3 === 0) console.log("every", m * w[0]);\n'],
    ],
    anew: [
      ["epochStart", "  let k = 0;\n"],
      ["stepStart", "    ++k;\n"],
      ["step", '    if (k > 2) console.log("anew", k + w[0]);\n'],
      ["epoch", '  console.log("anew", k);\n'],
    ],
    twice: [
      ["start", "let again = 100;\n"],
      ["epochStart", "  again = 0;\n"],
      ["stepStart", "    again--;\n"],
      ["epoch", '  console.log("twice", again);\n'],
    ],
    epochs: [
      ["start", "let e = 0;\n"],
      ["epochStart", "  e += 1;\n"],
      ["step", '    console.log("epochs", e * w[0]);\n'],
    ],
    whiles: [
      ["start", "let u = 0;\n"],
      ["while", "    u++;\n"],
      ["epochStart", '  console.log("whiles", u);\n'],
    ],
    all: [
      ["start", "let total = 0;\n"],
      ["stepStart", "    total += 1;\n"],
      ["end", 'console.log("all", total);\n'],
    ],
  },
  executed: {
    behind: [
      ["start", "let b = 0;\n"],
      ["step", "    b++;\n"],
      ["epoch", '  console.log("behind", b);\n'],
    ],
    thrown: [
      ["start", "let t = 0;\n"],
      ["part", "      t++;\n"],
      ["epoch", '  console.log("thrown", t);\n'],
    ],
    tenths: [
      ["start", "let f = 0;\n"],
      ["stepStart", "    f += 0.1;\n"],
      ["epoch", '  console.log("tenths", f);\n'],
    ],
    sometimes: [
      ["start", "let s = 0;\n"],
      ["stepStart", "    if (step > 0) s++;\n"],
      ["epoch", '  console.log("sometimes", s);\n'],
    ],
  },
  renamed: { epoch: "round", step: "batch", grow: "train" },
};

/** The text with some questions in it. */
function withQuestions(
  { text, places, counted, executed }: Program,
  names: readonly string[],
): string {
  const asks = { ...counted, ...executed };
  let result = text;
  for (const [place, added] of names.flatMap((name) => asks[name] ?? []).toReversed()) {
    const behind = places[place] ?? "";
    const at = result.indexOf(behind) + behind.length;
    result = result.slice(0, at) + added + result.slice(at);
  }
  return result;
}

function olderText({ renamed }: Program, text: string): string {
  return Object.entries(renamed).reduce((older, [now, then]) => {
    return older.replaceAll(new RegExp(`\\b${now}\\b`, "g"), then);
  }, text);
}

describe.each([
  ["Python", PYTHON],
  ["JavaScript", JAVASCRIPT],
])("%s", (_, program) => {
  describe("a counter of a question", needs("python"), () => {
    const { file } = program;
    const counted = Object.keys(program.counted);
    const executed = Object.keys(program.executed);
    let run: TestProject;
    let truth: TestProject;

    beforeAll(async () => {
      run = new TestProject({ [file]: program.text });
      truth = new TestProject({ [file]: withQuestions(program, [...counted, ...executed]) });
      for (const project of [run, truth]) {
        const { code, stderr } = await project.afterlog("run", "--overhead", "inf", file);
        assert(code === 0, stderr);
      }
      slowDown(run);
    });

    afterAll(() => {
      run[Symbol.dispose]();
      truth[Symbol.dispose]();
    });

    /** The values of some names, in an epoch if it is asked for. */
    const truthOf = (names: readonly string[], isAsked: (epoch: number) => boolean): Cell[] =>
      logged(truth.records)
        .filter(({ name, path }) => {
          return names.includes(name) && isIn(path, isAsked);
        })
        .map((one) => ({ ...one, value: String(one.value) }));

    /** What is executed for one question, as a share. */
    const planOf = async (
      project: TestProject,
      names: readonly string[],
      where?: string,
    ): Promise<number> => {
      const ports = { cwd: project.folder, env: process.env, now: () => new Date() };
      const { runs } = await makePlan(ports, { names, where, canary: false, control: false });
      return runs[0]?.share ?? Number.NaN;
    };

    const inEpochs = counted.filter((name) => name !== "all");
    const outer = counted.filter((name) => /^(?:steps|twice|whiles|all)$/.test(name));
    test.each([
      { names: inEpochs, where: "epoch > 0", workers: 3, isAsked: (e: number) => e > 0 },
      { names: outer, where: undefined, workers: 1, isAsked: () => true },
    ])("$names, $where, $workers workers", async ({ names, where, workers, isAsked }) => {
      using project = new TestProject();
      project.copyFrom(run);
      edit(project, { [file]: withQuestions(program, names) });
      // Of the others the next question tells.
      const inner = names.filter((name) => where !== undefined && !outer.includes(name));
      for (const name of inner) {
        const alone = await planOf(project, [name]);
        expect([name, alone < 1]).toEqual([name, true]);
      }
      const answer = await ask(project, names, { where, workers, env });
      const found = answer.cells.map((one) => ({ ...one, value: String(Number(one.value)) }));
      expect(byPlace(found.filter(({ path }) => isIn(path, isAsked))), answer.stderr).toEqual(
        byPlace(truthOf(names, isAsked)),
      );
      // Before the first loop, and behind the last one, nothing is compared.
      const isCompared = ({ name }: Cell): boolean =>
        where !== undefined || !/^(?:all|whiles)$/.test(name);
      const marks = found.filter(isCompared).map(({ check }) => check);
      expect(new Set(marks)).toEqual(new Set(["verified"]));
      const { share, notes, iterations } = costOf(answer);
      expect(share, notes.join()).toBeLessThan(1);
      // The last iteration of the loop that threw.
      if (where === undefined) expect(iterations, notes.join()).toBeLessThan(3);
    });

    test("those that only look so", async () => {
      using project = new TestProject();
      project.copyFrom(run);
      edit(project, { [file]: withQuestions(program, executed) });
      for (const name of executed) {
        expect([name, await planOf(project, [name], "epoch = 3")]).toEqual([name, 1]);
      }
      const answer = await ask(project, executed, { where: "epoch = 3", env });
      const found = answer.cells.map((one) => ({ ...one, value: String(Number(one.value)) }));
      expect(byPlace(found), answer.stderr).toEqual(
        byPlace(truthOf(executed, (epoch) => epoch === 3)),
      );
    });

    test("of an older version, with other names", async () => {
      const names = ["steps", "every", "anew"];
      using history = new History();
      await history.record({ files: { [file]: olderText(program, program.text) }, program: file });
      await history.record({ files: { [file]: program.text }, program: file });
      history.put({ [file]: withQuestions(program, names) });
      const { code, stdout, stderr } = await history.afterlog(
        "replay",
        ...names,
        "--yes",
        "--no-canary",
      );
      expect(code, stderr + stdout).toBe(0);
      for (const name of names) {
        const own = await hindsight(history, [name], history.names[0]);
        const expected = truthOf([name], () => true).map(({ value }) => Number(value));
        expect(own.map(({ value }) => Number(value))).toEqual(expected);
      }
    });
  });
});

/** All of it at once: no part first. */
const env = { AFTERLOG_CANARY: "false" };

/** Whether a place is in an asked epoch, or in none. */
function isIn(path: string, isAsked: (epoch: number) => boolean): boolean {
  const [, epoch] = /epoch=(\d+)/.exec(path) ?? [];
  return epoch === undefined || isAsked(Number(epoch));
}

/** The harness of the gallery (`npm run bench -- programs`): two programs of it, and what it must notice. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { measureProgram } from "../../bench/programs/asking.js";
import { interpreterFor } from "../../bench/programs/executing.js";
import type { Program } from "../../bench/programs/program.js";
import {
  filesAsking,
  filesSaving,
  readProgram,
  readPrograms,
} from "../../bench/programs/program.js";
import { withRows } from "../../bench/programs/report.js";
import { needs } from "../support/needs.ts";
import { ROOT } from "../support/project.ts";

const PROGRAMS = ["python", "javascript"].flatMap((language) =>
  readPrograms(join(ROOT, "bench/programs", language)),
);
/** Two that are quick, and the arguments that make them quicker. */
const CHEAP = [
  ["genetic_algorithm", "6"],
  ["perceptron", "4"],
] as const;

const SUM = `#: about adds
#: needs math torch>=99
#: quick 3
total = 0
for i in range(3):
    total += i
    #: ask step part = total / 2 where i = 1
    print("i", i)
    #: save save(total, f"epoch-{i}")
#: ask suffix twice = total * 2
`;

test("every program says what it is, how long it takes, and asks at each depth", () => {
  for (const { name, about, quick, full, questions } of PROGRAMS) {
    const depths = new Set(questions.map(({ depth }) => depth));
    const names = new Set(questions.map((question) => question.name));
    expect({ name, said: about !== "", quick: quick.length > 0, full: full.length > 0 }).toEqual({
      name,
      said: true,
      quick: true,
      full: true,
    });
    expect([...depths].toSorted(), name).toEqual(["outer", "step", "suffix"]);
    expect(names.size, name).toBe(questions.length);
  }
  expect(new Set(PROGRAMS.map(({ name }) => name)).size).toBe(PROGRAMS.length);
});

test("markers become log calls where they stand, and are gone elsewhere", () => {
  const program = readProgram("sum", { "sum.py": SUM });
  const plain = "total = 0\nfor i in range(3):\n    total += i\n";
  expect(filesAsking(program, [])["sum.py"]).toBe(`${plain}    print("i", i)\n`);
  expect(filesAsking(program, ["part", "twice"], true)["sum.py"]).toBe(
    `${plain}    if i == 1: print("part", total / 2)\n    print("i", i)\nprint("twice", total * 2)\n`,
  );
  expect(filesAsking(program, ["part"])["sum.py"]).toContain('\n    print("part", total / 2)\n');
  expect(filesSaving(program)["sum.py"]).toBe(
    `${plain}    print("i", i)\n    save(total, f"epoch-{i}")\n`,
  );
});

test("what is missing is named", needs("python"), () => {
  const program = readProgram("sum", { "sum.py": SUM });
  expect(interpreterFor(program, ["python3"])).toEqual({ missing: ["torch>=99"] });
  expect(interpreterFor({ ...program, needs: ["math"] }, ["no-such-python", "python3"])).toEqual({
    interpreter: "python3",
  });
});

const RECORDED_AND_ASKED = { ...needs("python"), timeout: 180_000 };

test.each(CHEAP)("%s is right at every depth", RECORDED_AND_ASKED, async (name, argument) => {
  const program = PROGRAMS.find((one) => one.name === name);
  if (!program) throw new Error(`no ${name}`);
  const { wrong, answers } = await measure(program, [argument]);
  expect(wrong).toBeUndefined();
  expect(answers.map(({ depth, wrong: one, share }) => [depth, one, share >= 0])).toEqual(
    program.questions.map(({ depth }) => [depth, undefined, true]),
  );
});

test(
  "a value that is not the truth's is seen, and so is other output",
  needs("python"),
  async () => {
    const text = SUM.replace("where i = 1", "where i = 1 when i == 2").replace(
      /.*suffix.*/,
      "print(__import__('sys').argv, 'afterlog' in __import__('sys').modules)",
    );
    const { wrong, answers } = await measure(readProgram("sum", { "sum.py": text }), []);
    expect(wrong).toContain("printed something else");
    expect(answers[0]?.wrong).toContain("is 1.5");
  },
);

test("rows are renewed by name, and others stay", () => {
  const once = withRows(
    "a\n<!-- measured -->\n<!-- end of measured -->\nb\n",
    ["program", "seconds"],
    [
      ["`b` text", "1"],
      ["`a`", "2"],
    ],
  );
  const twice = withRows(once, ["program", "seconds"], [["`b` other", "3"]]);
  expect(twice.split("\n").filter((line) => line.startsWith("| `"))).toEqual([
    expect.stringContaining("| `a` | 2 |"),
    expect.stringContaining("| `b` other | 3 |"),
  ]);
  expect(twice.startsWith("a\n") && twice.endsWith("\nb\n")).toBe(true);
});

function measure(program: Program, argv: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-gallery-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const found = interpreterFor(program, ["python3"]);
  const interpreter = "interpreter" in found ? found.interpreter : "python3";
  return measureProgram({ program, interpreter, argv, folder, rounds: 1 });
}

import { expect, test } from "vitest";
import type { Plan, PlannedLanding } from "../../format/index.ts";
import { failureText } from "./failure-view.ts";

/** What a person reads of a statement that failed at line 2 of a landed text. */
function shown(file: string, statement: string, stderr: readonly string[]): string {
  const landing = {
    id: 0,
    versions: ["dec6c4f0000"],
    statements: [{ name: "inner", file, line: 2 }],
    overlays: [{ file, text: `first\n    ${statement}\n` }],
  } as unknown as PlannedLanding;
  const plan = { names: ["inner"], runs: [{ run: "r", landing: 0 }], landings: [landing] };
  const failure = {
    run: "r",
    unit: 0,
    why: "it ended",
    notes: [],
    stderr: stderr.join("\n"),
    first_difference: null,
    likely_cause: null,
  };
  const about = { replay: "r2", plan: plan as unknown as Plan, color: false };
  return failureText([failure], about);
}

const HELP = `
  help: give this version its own expression:  afterlog where inner dec6c4f --edit
  help: leave it out:  afterlog resume r2 --skip r`;

test.each([
  [
    "AttributeError: 'Sequential' object has no attribute 'a'",
    'print("inner", net.a.weight)',
    `    train.py:2  print("inner", net.a.weight)
                                   ^`,
  ],
  [
    "NameError: name 'gain' is not defined",
    'al.log("inner", gain)',
    `    train.py:2  al.log("inner", gain)
                                ^^^^`,
  ],
  [
    "UnboundLocalError: cannot access local variable 'gain' where it is not associated with a value",
    'al.log("inner", gain)',
    `    train.py:2  al.log("inner", gain)
                                ^^^^`,
  ],
  [
    "ZeroDivisionError: division by zero",
    'al.log("inner", 1 / n)',
    '    train.py:2  al.log("inner", 1 / n)',
  ],
])("an error of Python is shown where it was made: %s", (error, statement, expected) => {
  const text = shown("train.py", statement, [
    "Traceback (most recent call last):",
    '  File "/p/.afterlog/trees/r2-0/train.py", line 9, in <module>',
    "    main()",
    '  File "/p/.afterlog/trees/r2-0/train.py", line 2, in main',
    `    ${statement}`,
    '  File "/usr/lib/python3/dist-packages/torch/nn/modules/module.py", line 1269, in __getattr__',
    `    raise ${error.split(":")[0]}`,
    error,
  ]);
  expect(text).toBe(`✘ r (dec6c4f): ${error}\n${expected}${HELP}`);
});

test("an error of JavaScript is shown where it was made", () => {
  const error = "TypeError: Cannot read properties of undefined (reading 'ped')";
  const text = shown("train.ts", 'al.log("inner", by.ped);', [
    error,
    "    at file:///p/.afterlog/trees/r2-0/train.ts:2:5",
    "    at file:///p/.afterlog/trees/r2-0/train.ts:9:1",
  ]);
  const place = `    train.ts:2  al.log("inner", by.ped);
                                ^^`;
  expect(text).toBe(`✘ r (dec6c4f): ${error}\n${place}${HELP}`);
});

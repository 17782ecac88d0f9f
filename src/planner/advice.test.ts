import { expect, test } from "vitest";
import { withAdvice } from "./advice.ts";

/** What stands behind `changes in loop "epoch" and could not be captured: `, and the advice. */
const ROWS: Record<string, RegExp> = {
  "AL070: g cannot be captured: it is a generator": /; go through it in the head of a loop/,
  "AL070: d.it._sampler_iter cannot be captured: it is a generator": /; go through the loader/,
  "AL070: f cannot be captured: it is a file that was opened after the loop began": /; close it/,
  "it is a tensor whose history backward() may need": /; use \.detach\(\)/,
  "AL070: h cannot be captured: it is a HASH": /HASH$/,
};

test.each(Object.entries(ROWS))("a reason with what would mend it: %s", (why, expected) => {
  const reason = `x (t.py:3) changes in loop "epoch" and could not be captured: ${why}`;
  expect(withAdvice(reason)).toMatch(expected);
});

test("what cannot be followed", () => {
  const hidden = "does what the source does not tell";
  expect(withAdvice(`t.py:3: exec() ${hidden}`)).toMatch(/; import what it executes/);
  const loaded = "src/models.py was loaded by an import that cannot be followed";
  expect(withAdvice(loaded)).toMatch(/; name it in an import/);
});

test("what is changed beside all variables", () => {
  const where = '(t.py:3) changes in loop "epoch" and cannot be captured';
  expect(withAdvice(`an attribute of the function f is changed ${where}`)).toMatch(/; keep it in/);
  expect(withAdvice(`Cost ${where}`)).toMatch(/; keep what changes in a variable/);
  expect(withAdvice(`the state of lib ${where}`)).toMatch(/captured$/);
});

/** A changed return may spread an array, and nothing that going through it would use up. */
import { beforeAll, expect, test } from "vitest";
import { between } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.ts"]));

const program = (xs: string, value: string, more = ""): string => `const f = fit(${xs});
function fit(xs) {
  let t = 0;
  for (const x of xs) t += x;
  return ${value};
}
${more}`;
const after = (xs: string, more?: string): string =>
  program(xs, "{ t, worst: Math.max(...xs) }", more).replace("const f ", "const { t: f, worst } ");

test.each([
  ["an array that is made", "Array.from({ length: 8 }, rnd)", "", true],
  ["one that is written out", "[1, 2]", "", true],
  ["of numbers of a width", "new Float64Array(3)", "", true],
  ["by a name", "data", "const data = [3, 1].map((x) => 2 * x);", true],
  ["what nobody knows", "load()", "", false],
  ["a generator", "gen()", "function* gen() { yield 1; }", false],
  ["methods of an iterator", "[1].values().map((x) => x)", "", false],
  ["a name that is given another value", "data", "let data = [3]; data = gen();", false],
  ["another call that gives something else", "[1]", "fit(gen());", false],
  ["a function that is handed on", "[1]", "gen(fit);", false],
  ["one that others may call", "[1]", "export { fit };", false],
  ["a class of its own", "new Float64Array(3)", "class Float64Array {}", false],
])("%s", (_, xs, more, isSame) => {
  const edit = between("a.ts", program(xs, "t", more), after(xs, more));
  expect(edit.gaps.flatMap((gap) => gap.lost).length === 0).toBe(isSame);
});

test("what the run gave counts, too", () => {
  const edit = between("a.ts", program("gen()", "t"), after("[1]"));
  expect(edit.gaps.flatMap((gap) => gap.lost).length).toBeGreaterThan(0);
});

/** Which texts parse, and as what. */
import { expect, test } from "vitest";
import { parseSource } from "./parse.ts";

test.each([
  ["a module that waits", "train.mjs", "await 1;", true],
  ["a module that imports", "train.ts", 'import x from "x"; await x;', true],
  ["CommonJS that returns", "train.cjs", "if (x) return; with (x) y = 010;", true],
  ["both names in functions", "train.js", "async () => await 1; () => { return 2; };", true],
  ["a module that returns", "train.mjs", 'import x from "x"; return x;', false],
  ["what waits and returns", "train.js", "await 1; return 2;", false],
])("%s", (_, file, text, parses) => {
  expect(parseSource(file, text).problem === null).toBe(parses);
});

import { expect, test } from "vitest";
import { likelyCause } from "./likely-cause.ts";

test.each<[string, string, string | null]>([
  ["a clock", "const a = 1;\nconst t = Date.now();\n", "Date.now() at a.ts:2"],
  ["a date", "f(new Date());", "new Date() at a.ts:1"],
  ["a date of something known", "f(new Date(0));", null],
  ["a comment", "// Date.now()\n/* Date.now()\nDate.now() */ f();", null],
  ["a string", "log('Date.now()', \"Date.now()\", `Date.now()`);", null],
  ["an escaped quote", String.raw`log("\"", Date.now());`, "Date.now() at a.ts:1"],
  ["code in a template", "log(`at\n${Date.now()} ms`);", "Date.now() at a.ts:2"],
  [
    "code after a template",
    "f(`a ${b} c`); g(`${h({ i: `${1}` })} Date.now()`);\nfetch(x);",
    "fetch() at a.ts:2",
  ],
  ["a quote in a regular expression", "const r = /['\"]/;\nfetch(x);", "fetch() at a.ts:2"],
  ["a division", "const r = a / b / Date.now();", "Date.now() at a.ts:1"],
  [
    "the likelier one first",
    "performance.now();\ncrypto.getRandomValues(x);",
    "crypto.getRandomValues() at a.ts:2",
  ],
  ["a directory", "for (const f of readdirSync(d)) {}", "reading a directory at a.ts:1"],
  ["seeded randomness", "Math.random();", null],
])("the likely cause is %s", (_, text, expected) => {
  const first = { path: [], name: "loop epoch", recorded: 4, replayed: 3 };
  const sources = [{ file: "a.ts", text }];
  expect(likelyCause(sources, first, { isFollowed: true })).toBe(expected);
  const value = { ...first, name: "loss" };
  expect(likelyCause(sources, value, { isFollowed: false })).toBe(expected);
});

test("a clock is no cause of a value: what may come from it is not compared", () => {
  const sources = [{ file: "a.ts", text: "f(Date.now());\nreaddirSync(d);" }];
  const first = { path: [], name: "loss", recorded: 1, replayed: 2 };
  expect(likelyCause(sources, first, { isFollowed: true })).toBe("reading a directory at a.ts:2");
});

test("a clock is no cause where the run's own results were given again", () => {
  const sources = [{ file: "a.ts", text: "f(Date.now());\ng();\nf(Date.now());" }];
  const first = { path: [], name: "loss", recorded: 1, replayed: 2 };
  const causeWithout = (...lines: number[]): string | null =>
    likelyCause(sources, first, { isFollowed: false, isGiven: (_, line) => lines.includes(line) });
  expect(causeWithout(1)).toBe("Date.now() at a.ts:3");
  expect(causeWithout(1, 3)).toBeNull();
});

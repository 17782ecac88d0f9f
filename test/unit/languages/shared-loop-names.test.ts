/** What loops of a program that names none are called, by the rules of the run (decision 0051). */
import { describe, expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";

const BATCHES = "for (const [batch, x] of data.entries()) f(x);";
const LOOP = "for (let i = 0; i < 2; i++) f(i);";

const PROGRAMS: readonly (readonly [
  what: string,
  text: string,
  byFunction: readonly string[],
  byNumber: readonly string[],
])[] = [
  ["one", `function train() { ${LOOP} }`, ["i"], ["i"]],
  [
    "two functions",
    `function train() { ${BATCHES} } function test() { ${BATCHES} }`,
    ["train.batch", "test.batch"],
    ["batch", "batch_2"],
  ],
  [
    "three in one function",
    `function main() { ${LOOP} ${LOOP} ${LOOP} }`,
    ["main.i", "main.i.2", "main.i.3"],
    ["i", "i_2", "i_3"],
  ],
  ["outside of all functions", `${LOOP} ${LOOP}`, ["i", "i.2"], ["i", "i_2"]],
  ["a method", `class A { fit() { ${LOOP} } } ${LOOP}`, ["fit.i", "i"], ["i", "i_2"]],
  [
    "a name that a person gave",
    `/* afterlog: loop i */\nfor (const e of [1]) f(e);\nfunction g() { ${LOOP} }`,
    ["i", "g.i"],
    ["i", "i_2"],
  ],
];

describe.each(PROGRAMS)("%s", (_, text, ...expected) => {
  test.each([2, 1])("by rules %i", (loopRules) => {
    const read = (file: string): string | undefined => (file === "t.cjs" ? text : undefined);
    const { loops } = analyzeProgram("t.cjs", read, { handsFree: true, loopRules });
    expect(loops.map(({ name }) => name)).toEqual(expected[2 - loopRules]);
  });
});

import { describe, expect, it } from "vitest";
import type { SourceDifference } from "../../inserted-source.ts";
import { compareInserted } from "./compare-sources.ts";
import { insertLog } from "../../../landing/index.ts";

const differenceOf = (before: string, after: string, file: string): SourceDifference =>
  compareInserted(before, after, file, { handsFree: false, also: [] }).difference;

const HEAD = 'import * as al from "afterlog";\n';

describe("texts that differ by added log statements", () => {
  it.each<[string, string, string, readonly (string | null)[]]>([
    ["comments and layout", "let a = 1;\nf( a );", "// x\nlet a=1\n;f(a)", []],
    ["one statement", "f();", 'f();\nal.log("x", 1);', ["x"]],
    [
      "in nested blocks",
      "for (;;) { if (a) { g(); } }",
      'for (;;) { if (a) { al.log("x", a); g(); } }',
      ["x"],
    ],
    ["awaited", "f();", 'f();\nawait al.log("x", g());', ["x"]],
    ["a computed name", "f();", "f(); al.log(`x${1}`, 2);", [null]],
    ["beside one that was there", 'al.log("a", 1);', 'al.log("b", 2);\nal.log("a", 1);', ["b"]],
    ["twice the same", 'al.log("a", 1);', 'al.log("a", 1);\nal.log("a", 1);', ["a"]],
    [
      "in a case",
      "switch (a) { case 1: f(); }",
      'switch (a) { case 1: al.log("x", a); f(); }',
      ["x"],
    ],
    [
      "in a method",
      "class A { m() { return 1; } }",
      'class A { m() { al.log("x", this); return 1; } }',
      ["x"],
    ],
    ["in an arrow", "g(() => { f(); });", 'g(() => { f(); al.log("x", 1); });', ["x"]],
    [
      "with types",
      "const a: number = 1;",
      'const a: number = 1;\nal.log("x", a as number);',
      ["x"],
    ],
  ])("%s", (_, before, after, names) => {
    const result = differenceOf(HEAD + before, HEAD + after, "train.ts");
    if (names.length === 0) expect(result).toEqual({ kind: "same" });
    else {
      expect(result).toMatchObject({ kind: "logs" });
      const added = result.kind === "logs" ? result.added : [];
      expect(added.map(({ name }) => name)).toEqual(names);
      for (const { place, text } of added) {
        const line = (HEAD + after).split("\n")[place.line - 1] ?? "";
        expect(line.slice(place.column - 1)).toContain(text);
      }
    }
  });

  it.each([
    [
      "an import of all",
      'import "./a.ts";\nf();',
      `${HEAD}import "./a.ts";\nf();\nal.log("x", 1);`,
    ],
    [
      "one more name",
      'import { loop } from "afterlog";\nf();',
      'import { log, loop } from "afterlog";\nf();\nlog("x", 1);',
    ],
    [
      "a renamed one",
      'import { loop } from "afterlog";\nf();',
      'import { loop, log as keep } from "afterlog";\nkeep("x", 1);\nf();',
    ],
  ])("with %s", (_, before, after) => {
    expect(differenceOf(before, after, "train.ts")).toMatchObject({ kind: "logs" });
  });

  it("with require", () => {
    const after = 'const al = require("afterlog");\nf();\nal.log("x", 1);';
    expect(differenceOf("f();", after, "train.cjs")).toMatchObject({ kind: "logs" });
  });
});

describe("texts that differ by more", () => {
  it.each<[string, string, string, number, RegExp]>([
    ["a number", "f();\nconst lr = 0.1;", "f();\nconst lr = 0.2;", 3, /it was const lr = 0\.1/],
    ["an added call", "f();", "f();\ng();", 3, /g\(\); is new/],
    ["a statement gone", "f();\ng();", "f();", 2, /g\(\); is gone/],
    ["a log statement gone", 'al.log("a", 1);\nf();', "f();", 2, /al\.log|f\(\)/],
    ["a log statement changed", 'al.log("a", 1);', 'al.log("a", 2);', 2, /gone|was/],
    [
      "a log that is no statement",
      "const a = f();",
      'const a = al.log("x", f());',
      2,
      /it was const a = f\(\)/,
    ],
    ["another's log", "f();", 'f();\nconsole.log("x");', 3, /is new/],
    ["braces", "if (a) f();", 'if (a) { f(); al.log("x", 1); }', 2, /it was/],
    ["an operator", "a += 1;", "a -= 1;", 2, /it was a \+= 1/],
    ["order", "f();\ng();", "g();\nf();", 2, /it was f\(\)/],
    ["text that is none", "f();", "f(;", 2, /cannot be parsed/],
    ["optional", "a.b();", "a?.b();", 2, /it was/],
    ["a regular expression", "f(/a/);", "f(/a/g);", 2, /it was/],
  ])("%s", (_, before, after, line, why) => {
    const result = differenceOf(HEAD + before, HEAD + after, "train.ts");
    expect(result).toMatchObject({ kind: "differs", line });
    expect(result.kind === "differs" ? result.why : "").toMatch(why);
  });
});

const PROGRAM = `import * as al from "afterlog";

const lr = 0.1;
for (const epoch of al.loop("epoch", al.range(3))) {
  // a comment
  step(
    epoch,
    lr,
  );

}
function step(a: number, b: number) {
  return a * b;
}
`;

describe("logpoints", () => {
  it.each<[number, number, string]>([
    [3, 3, 'al.log("x", lr);'],
    [4, 4, 'al.log("x", lr);'],
    [5, 6, '  al.log("x", lr);'],
    [6, 6, '  al.log("x", lr);'],
    [8, 6, '  al.log("x", lr);'],
    [10, 10, '  al.log("x", lr);'],
    [11, 10, '  al.log("x", lr);'],
    [13, 13, '  al.log("x", lr);'],
  ])("at line %i stand in line %i", (line, at, expected) => {
    const result = insertLog(PROGRAM, "train.ts", line, { assignment: "x = lr", handsFree: false });
    if ("problem" in result) throw new Error(result.problem);
    expect(result.place).toMatchObject({ file: "train.ts", line: at });
    expect(result.text.split("\n")[at - 1]).toBe(expected);
    const difference = differenceOf(PROGRAM, result.text, "train.ts");
    expect(difference).toMatchObject({ kind: "logs", added: [{ name: "x", place: result.place }] });
  });

  it.each<[string, string, string]>([
    ["another name for the SDK", 'import * as log from "afterlog";\nf();\n', 'log.log("x", 1);'],
    ["its log alone", 'import { log as keep } from "afterlog";\nf();\n', 'keep("x", 1);'],
    ["no import", "f();\ng();\n", 'al.log("x", 1);'],
    ["line ends of Windows", "f();\r\ng();\r\n", 'al.log("x", 1);\r'],
    ["several on a line", "f(); g();\nh();", 'al.log("x", 1);'],
  ])("keep to the file: %s", (_, text, expected) => {
    const result = insertLog(text, "train.mts", 2, { assignment: "x = 1", handsFree: false });
    if ("problem" in result) throw new Error(result.problem);
    expect(result.text.split("\n")).toContain(expected);
    expect(differenceOf(text, result.text, "train.mts")).toMatchObject({ kind: "logs" });
  });

  it.each<[string, number, RegExp]>([
    ["lr", 3, /not {2}name = expression/],
    ["x == 3", 3, /not {2}name = expression/],
    ["x = ", 3, /not {2}name = expression/],
    ["x = 1 +", 3, /not an expression/],
    ["x = 1; g()", 3, /its last statement is not/],
    ["x = lr", 99, /has 16 lines|has 15 lines/],
    ["x = lr", 0, /lines/],
  ])("%s at line %i is refused", (assignment, line, problem) => {
    const result = insertLog(PROGRAM, "train.ts", line, { assignment, handsFree: false });
    expect("problem" in result ? result.problem : "").toMatch(problem);
  });
});

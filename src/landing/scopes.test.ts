/** What names mean. `«name»` is asked; `n` is the line of the declaration that it means, 0 for none. */
import { describe, expect, test } from "vitest";
import { resolveVisibleName } from "./pairing/visible-name.ts";
import type { Scope } from "../languages/index.ts";
import { parsed } from "../../test/support/parsed.ts";

function check(marked: string): number {
  const at = marked.indexOf("«");
  const source = parsed("a.tsx", marked.replaceAll(/[«»]/g, ""))!;
  const { references } = source.scopes;
  const found = references.find(({ node }) => node.start === at)!;
  const declaration = found.binding?.declarations[0];
  return declaration ? source.lines.at(declaration.start).line : 0;
}

describe("a name means", () => {
  test.each([
    ["a global", "log(«x»)", 0],
    ["the innermost block", "let x = 1;\n{\nlet x = 2;\nlog(«x»); }", 3],
    ["not what a block beside declares", "{ let x = 1; }\nlog(«x»)", 0],
    ["a var of a block", "{\nvar x = 1; }\nlog(«x»)", 2],
    ["no var of another function", "function f() { var x; }\nlog(«x»)", 0],
    ["a function that is declared later", "log(«x»());\nfunction x() {}", 2],
    ["a parameter", "const x = 0;\nfunction f(a,\nx = a) { return «x»; }", 3],
    ["a default that reads another parameter", "function f(\nx, b = «x») {}", 2],
    ["what is caught", "try {} catch (\nx) { log(«x») }", 2],
    ["a part of a pattern", "const { a: [\nx = 1], ...r } = f();\nlog(«x»)", 2],
    ["the variable of a loop", "for (const\nx of y) log(«x»)", 2],
    ["nothing after its loop", "for (const x of y) {}\nlog(«x»)", 0],
    ["a class in itself", "const A = class\nx { m() { return «x»; } }", 2],
    ["an import", "import {\nx } from 'm';\n() => «x»", 2],
    ["an enum", "enum x { A }\nlog(«x».A)", 1],
    ["a namespace", "namespace x { export const a = 1 }\nlog(«x».a)", 1],
    ["what is used up", "using x = f();\nlog(«x»)", 1],
    ["a case's own", "switch (a) { case 1:\nlet x = 1; break; case 2: log(«x») }", 2],
    ["a shorthand", "const\nx = 1;\nlog({ «x» })", 2],
    ["what is assigned", "let\nx;\n[«x»] = f()", 2],
  ])("%s", (_, text, line) => {
    expect(check(text)).toBe(line);
  });

  test.each([
    ["a property", "log(a.x)"],
    ["a key", "log({ x: 1 })"],
    ["a label", "x: for (;;) break x"],
    ["a type", "let a: x = 1 as x"],
    ["a method", "class A { x() {} }"],
  ])("%s is no use of a name", (_, text) => {
    const { references } = parsed("a.tsx", text)!.scopes;
    expect(references.filter(({ name }) => name === "x")).toEqual([]);
  });
});

/** What `x` is at `‸`. */
function reached(marked: string): string {
  const offset = marked.indexOf("‸");
  const source = parsed("a.ts", marked.replace("‸", ""))!;
  const { scopes } = source;
  return resolveVisibleName(scopes, "x", { scope: scopeAt(scopes.root, offset), offset }).kind;
}

/** The innermost scope at an offset between statements. */
function scopeAt(root: Scope, offset: number): Scope {
  const inner = root.inner.find(({ node }) => node.start < offset && offset < node.end);
  return inner ? scopeAt(inner, offset) : root;
}

describe("at a place a name is", () => {
  test.each([
    ["there after its declaration", "const x = 1;\n‸", "visible"],
    ["not there before it", "‸\nconst x = 1;", "later"],
    ["there in a function that runs later", "function f() {\n‸\n}\nconst x = 1;", "visible"],
    ["not there before it gets a value", "let x;\n‸\nx = 1;", "later"],
    [
      "there if the loop gave it one in the round before",
      "let x;\nfor (;;) {\n‸\nx = 1; }",
      "visible",
    ],
    ["not there before its declaration in a loop", "for (;;) {\n‸\nconst x = 1; }", "later"],
    ["not there outside of its block", "{ const x = 1; }\n‸", "elsewhere"],
    ["there as a parameter", "function f(x) {\n‸\n}", "visible"],
    ["there as a function from the beginning", "‸\nfunction x() {}", "visible"],
    ["there as a global that is used", "log(x);\n‸", "visible"],
    ["missing if nothing has the name", "log(y);\n‸", "missing"],
    ["missing if only a type has it", "type x = 1;\n‸", "elsewhere"],
  ])("%s", (_, text, kind) => {
    expect(reached(text)).toBe(kind);
  });
});

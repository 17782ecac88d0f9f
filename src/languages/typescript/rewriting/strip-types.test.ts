/** Imports that only types need are blanked where they stand. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stripTypes } from "./strip-types.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "afterlog-strip-"));
  writeFileSync(
    join(folder, "t.ts"),
    "export interface A {}\ntype L = 1;\nexport { L };\nexport const a = 1;\nexport interface M {}\nexport const M = 2;\nexport default interface D {}",
  );
  writeFileSync(join(folder, "u.ts"), 'export * from "./t";\nexport * from "./u";');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The text with runs of blanks as one. */
const check = (text: string): string => {
  const stripped = stripTypes(text, join(folder, "x.ts"));
  expect(stripped.split("\n").map(({ length }) => length)).toEqual(
    text.split("\n").map(({ length }) => length),
  );
  return stripped.replaceAll(/ +/g, " ").trim();
};

test.each([
  ['import { A, a } from "p"; a();', 'import { a } from "p"; a();'],
  ['import { a, A } from "p"; a();', 'import { a, } from "p"; a();'],
  ['import { A } from "p"; let x: A;', "export{} let x ;"],
  ['import "p";', 'import "p";'],
  ['import D, { a } from "p"; a();', 'import { a } from "p"; a();'],
  ['import d, { A } from "p"; d();', 'import d, { } from "p"; d();'],
  ['import d, * as N from "p"; d(); let x: N.T;', 'import d from "p"; d(); let x ;'],
  ['import D, * as n from "p"; n.f();', 'import * as n from "p"; n.f();'],
  ['import { x as A, y as b } from "p"; b();', 'import { y as b } from "p"; b();'],
  ['import { A } from "p"; // A(1)\nlet x: A;', "export{} // A(1)\nlet x ;"],
  ['import { A } from "p"; f("new A(1)");', 'export{} f("new A(1)");'],
  ['import { A } from "p"; f(`${A}`);', 'import { A } from "p"; f(`${A}`);'],
  ['import { A } from "p"; x.A = { A: 1 };', "export{} x.A = { A: 1 };"],
  ['import { A } from "p"; x = { A };', 'import { A } from "p"; x = { A };'],
  ['import { $a } from "p"; $a();', 'import { $a } from "p"; $a();'],
  ['import { type A, b } from "p"; b();', 'import { b } from "p"; b();'],
  ['import { A } from "p"; export { A };', 'import { A } from "p"; export { A };'],
  ['export { A, a } from "./t";', 'export { a } from "./t";'],
  ['export { L, M, A as B } from "./u";', 'export { M, } from "./u";'],
  ['import D, { A, a } from "./t"; export { D, A, a };', 'import { a } from "./t"; export { a };'],
  [
    'import { A } from "./u"; function f(A: number) { return A; }',
    "export{} function f(A ) { return A; }",
  ],
  ['class C { m(x: A) {} } import { A } from "./gone";', "class C { m(x ) {} } export{}"],
])("%s", (text, expected) => {
  expect(check(text)).toBe(expected);
});

/** Which differences of the text the neutral tree sees, and which it does not. */
import { describe, expect, test } from "vitest";
import { Interner, matchTrees } from "../../tree/index.ts";
import { neutralTree } from "./version-tree.ts";
import { parsed } from "../../../test/support/parsed.ts";

function hashes(...texts: readonly string[]): number[] {
  const interner = new Interner();
  return texts.map((text) => {
    const source = parsed("a.tsx", text) ?? parsed("a.ts", text)!;
    return neutralTree(source, interner).root.hash;
  });
}

test.each([
  ["quotes", `log('a')`, `log("a")`],
  ["a template without values", "log(`a`)", `log("a")`],
  ["semicolons and layout", "a()\nb()", "a();b();"],
  ["comments", "a(/* x */ 1); // y", "a(1)"],
  ["parentheses", "x = (a + b) * c", "x = ((a + b)) * c"],
  ["types", "const f = (a: number): string => g<A>(a as B)!", "const f = (a) => g(a)"],
  ["satisfies", "x = { a: 1 } satisfies T", "x = { a: 1 }"],
  ["export", "export function f() {}", "function f() {}"],
  ["braces", "if (a) b(); else c();", "if (a) { b(); } else { c(); }"],
  ["an arrow function's body", "f = (x) => g(x)", "f = (x) => { return g(x); }"],
  ["keys in quotes", `x = { "a": 1 }`, "x = { a: 1 }"],
  ["shorthand", "x = { a }", "x = { a: a }"],
  ["empty statements", "a();;b()", "a();b()"],
])("%s say nothing", (_, one, other) => {
  const [a, b] = hashes(one, other);
  expect(a).toBe(b);
});

test.each([
  ["operators", "x = a + b", "x = a - b"],
  ["optional access", "a.b()", "a?.b()"],
  ["await", "await a()", "a()"],
  ["a computed member", "a.b", "a[b]"],
  ["kinds of loops", "for (const a of b) c()", "for (const a in b) c()"],
  ["async functions", "async () => {}", "() => {}"],
  ["numbers and texts", "log(1)", `log("1")`],
  ["cases", "switch (a) { case 1: b() }", "switch (a) { default: b() }"],
])("%s say something", (_, one, other) => {
  const [a, b] = hashes(one, other);
  expect(a).not.toBe(b);
});

describe("unusual syntax", () => {
  test.each([
    `@sealed class A { @log accessor x = 1; static { init(); } #p = 2; get q() { return this.#p; } }`,
    `outer: for (const a of b) { for (;;) { continue outer; } }`,
    `using file = open(); for await (await using x of y) { z(x); }`,
    `enum E { A, B = A << 1 } namespace N { export const x = 1; } declare const g: number;`,
    `export default class extends B<C> { constructor(private readonly x: number) { super(); } }`,
    `const [a = 1, , ...r] = f?.(x) ?? g\`t\${1}\`; do { r.pop(); } while (r.length);`,
    `import x, { type T, y as z } from "m"; export * from "n"; export { z as w };`,
  ])("%s is paired with itself", (text) => {
    const interner = new Interner();
    const source = parsed("a.tsx", text)!;
    const [a, b] = [neutralTree(source, interner), neutralTree(source, interner)];
    const mapping = matchTrees(a, b);
    expect(a.nodes.filter((node) => mapping.partnerOf(node)?.id !== node.id)).toEqual([]);
    expect(a.nodes.length).toBeGreaterThan(5);
  });
});

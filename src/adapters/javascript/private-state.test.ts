import { expect, test } from "vitest";
import { declaresPrivateState } from "./private-state.ts";

const ROWS: readonly [source: string, expected: boolean][] = [
  ["class A { #x; }", true],
  ["class A { #x = 1 }", true],
  ["class A { y = 1\n #x = 2\n }", true],
  ["class A extends B({ k: 1 }) { #x = 1 }", true],
  ["class A { constructor() { this.x = '#y' } }", false],
  ["class A { #method() { return 1 } m() { return this.#method() } }", false],
  ["class A { static #count = 0; n() { return A.#count } }", false],
  ["class A { get #p() { return 1 } set #p(v) {} }", false],
  ["class A { async #m() {} *#g() {} static async #s() {} }", false],
  ["class A { // #x = 1\n y = 1 }", false],
  ['class A { y = "#x"; z = `#q`; }', false],
  ["class A { y = /#x{2}/; }", false],
  ["class A { has(o) { return #x in o } #x = 1 }", true],
  [
    "class A { constructor() { _A_x.set(this, void 0); __classPrivateFieldSet(this, _A_x, 1, 'f'); } }",
    true,
  ],
  ["class A { q = /`/; #x = 1; m() { return this.#x + `a` } }", true],
  // Unclear text counts as private: better an error than a checkpoint that lacks something.
  ["class A { q = /[{]/; #m() {} n() { this.#m() } }", true],
  ["class A { static async #s() {} static { A.#s() } }", false],
  ["function A() { this.x = '#y' }", false],
];

test.each(ROWS)("%s", (source, expected) => {
  expect(declaresPrivateState(source)).toBe(expected);
});

/** What a loop may change of variables that a program declares nowhere, and by what it puts on prototypes of the language. */
import { expect, test } from "vitest";
import type { Sources } from "./check.ts";
import { changesOf, LOOP } from "./check.ts";

const ROWS: { readonly [what: string]: readonly [sources: Sources, changes: string] } = {
  "a property of the global object": [`${LOOP} { globalThis.count = e; }`, "count:out-of-reach"],
  "an undeclared name": [`${LOOP} { count = e; }`, "count:out-of-reach"],
  "one that stays": [`list = [1]; let n = 0; ${LOOP} { n += list[0]; }`, "n"],
  "what one holds": [
    `list = [1]; const all = [list]; ${LOOP} { list.push(e); }`,
    "all list:out-of-reach",
  ],
  "what only a function holds that one is": [
    `function make() { let n = 0; return () => n++; } inc = make(); ${LOOP} inc();`,
    "n:bound",
  ],
  "what a property of the global object holds": [
    `const b = [1]; globalThis.list = [2]; global.other = b; ${LOOP} { list.push(e); other.push(e); }`,
    "b list:out-of-reach other:out-of-reach",
  ],
  "one that packages look for": [
    `import lib from "some-lib"; let n = 0; document = { on: () => n++ }; ${LOOP} lib.step();`,
    "n the state of some-lib:out-of-reach",
  ],
  "one that no package knows": [
    `import lib from "some-lib"; let n = 0; mine = { on: () => n++ }; ${LOOP} lib.step();`,
    "the state of some-lib:out-of-reach",
  ],
  "a method of numbers": [
    `let n = 0; Number.prototype.up = function () { n++; }; ${LOOP} (5).up();`,
    "n",
  ],
  "a method of numbers that have a name": [
    `let n = 0; Number.prototype.up = function () { n++; }; const five = 5; ${LOOP} five.up();`,
    "n",
  ],
  "a method of all": [
    `let n = 0; Object.prototype.up = function () { n++; }; ${LOOP} ({}).up();`,
    "n",
  ],
  "a method of arrays": [
    `let n = 0; const { prototype } = Array; prototype.up = () => n++; ${LOOP} [1].up();`,
    "n",
  ],
  "a method of functions": [
    `let n = 0; Function.prototype.up = function () { n++; }; ${LOOP} (() => 0).up();`,
    "n",
  ],
  "a method of the language that is replaced": [
    `let n = 0; const m = new Map(); Map.prototype.set = () => n++; ${LOOP} m.set(1, 1);`,
    "m n",
  ],
  "a method that others have too": [
    `let n = 0; String.prototype.up = () => n++; const o = { k: 0, up() { this.k++; } }; ${LOOP} o.up();`,
    "n o",
  ],
  "a method of what has no name": [
    `let n = 0; Object.getPrototypeOf([].values()).up = () => n++; ${LOOP} [1].values().up();`,
    "n",
  ],
  "a method of what an object inherits from": [
    `let n = 0; [].__proto__.up = () => n++; ${LOOP} [1].up();`,
    "n",
  ],
  "a method of what nobody knows": [
    `let n = 0; (function () { return this; }).call(1).up = () => n++; ${LOOP} {}`,
    "uncertain",
  ],
  "methods that are defined": [
    `let n = 0; Object.defineProperty(String.prototype, "up", { value: () => n++ }); ${LOOP} "a".up();`,
    "uncertain",
  ],
  "methods that are assigned": [
    `let n = 0; Object.assign(Array.prototype, { up: () => n++ }); ${LOOP} [].up();`,
    "uncertain",
  ],
  "those of another file": [
    {
      "train.ts": `const al = require("afterlog"); Net = require("./net.cjs"); net = new Net();
      const m = new Net(); ${LOOP} { m.step(rate); }`,
      "net.cjs": "rate = 2; class Net { w = 0; step(by) { this.w += by; } } module.exports = Net;",
    },
    "m",
  ],
};

test.each(Object.entries(ROWS))("%s", (_, [sources, changes]) => {
  if (changes !== "uncertain") expect(changesOf(sources)).toBe(changes);
  else expect(changesOf(sources)).toContain("?");
});

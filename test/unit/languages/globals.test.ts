/** What a loop may change of variables that a program declares nowhere, which all its files share. */
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
  expect(changesOf(sources)).toBe(changes);
});

/** What loops change that call functions of described packages: each function is known by its name. */
import { describe, expect, test } from "vitest";
import { changesOf, LOOP } from "./check.ts";

type Row = readonly [what: string, program: string, changes: string];

const OUT = "out-of-reach";

const ROWS: readonly Row[] = [
  [
    "a function that keeps nothing",
    `import _ from "lodash"; const xs = [1, 2]; let s = 0; ${LOOP} s += _.sum(xs);`,
    "s",
  ],
  [
    "one that counts",
    `import _ from "lodash"; let s = 0; ${LOOP} s += Number(_.uniqueId());`,
    `s the state of lodash.uniqueId:${OUT}`,
  ],
  [
    "one that counts, by its name",
    `import { uniqueId as next } from "lodash"; let s = ""; ${LOOP} s = next();`,
    `s the state of lodash.uniqueId:${OUT}`,
  ],
  [
    "one that counts, as a file",
    `import next from "lodash/uniqueId"; let s = ""; ${LOOP} s = next();`,
    `s the state of lodash/uniqueId:${OUT}`,
  ],
  [
    "one that counts, handed on",
    `import _ from "lodash"; let s = []; ${LOOP} s = [1, 2].map(_.uniqueId);`,
    `s the state of lodash.uniqueId:${OUT}`,
  ],
  [
    "one that counts, called by another of the package",
    `import _ from "lodash"; let s = []; ${LOOP} s = _.times(3, _.uniqueId);`,
    `s the state of lodash.uniqueId:${OUT}`,
  ],
  [
    "a file of the package",
    `import sum from "lodash-es/sum.js"; let s = 0; ${LOOP} s += sum([1, 2]);`,
    "s",
  ],
  [
    "a function that nobody has described",
    `import _ from "lodash"; let s = 0; ${LOOP} s += _.newest([1]);`,
    `s the state of lodash.newest:${OUT}`,
  ],
  [
    "the package as a function",
    `import _ from "lodash"; let s = 0; ${LOOP} s += _([1]).sum();`,
    `s the state of a package:${OUT} the state of lodash:${OUT}`,
  ],
  [
    "what remembers its calls",
    `import _ from "lodash"; const f = _.memoize((x) => x * 2); let s = 0; ${LOOP} s += f(1);`,
    `f s the state of a package:${OUT}`,
  ],
  [
    "what remembers its calls, handed on",
    `import _ from "lodash"; const f = _.memoize((x) => x * 2); let s = []; ${LOOP} s = [1].map(f);`,
    `f s the state of a package:${OUT}`,
  ],
  [
    "what remembers its calls, in another",
    `import _ from "lodash"; const f = _.flow([_.once(Math.random), Math.abs]); let s = 0;
    ${LOOP} s += f(1);`,
    `f s the state of a package:${OUT} the state of lodash:${OUT}`,
  ],
  [
    "a function that calls back",
    `import _ from "lodash"; let n = 0; ${LOOP} { const ys = _.map([1], (x) => { n += x; }); }`,
    "n",
  ],
  [
    "a function that gives what it was given",
    `import _ from "lodash"; const xs = [{ n: 1 }]; ${LOOP} _.last(xs).n += 1;`,
    "xs",
  ],
  [
    "a function that gives what is deep inside",
    `import _ from "lodash"; const c = { a: { b: { n: 1 } } }; ${LOOP} _.get(c, "a.b").n += 1;`,
    "c",
  ],
  [
    "a function that changes its first argument",
    `import _ from "lodash"; const to = {}; const from = { a: 1 }; ${LOOP} _.assign(to, from);`,
    "to",
  ],
  [
    "a function that puts one into the other",
    `import _ from "lodash"; const to = {}; const from = { n: 1 };
    _.set(to, "a.b", from); ${LOOP} to.a.b.n += 1;`,
    "from to",
  ],
  [
    "a function of the package's functions",
    `import * as R from "ramda"; const xs = [{ n: 1 }]; let s = 0; const f = R.map(R.prop("n"));
    ${LOOP} s += R.sum(f(xs));`,
    "s",
  ],
  [
    "items that a function of it gives",
    `import * as R from "ramda"; const xs = [{ n: 1 }]; const f = R.filter((x) => x.n > 0);
    ${LOOP} f(xs)[0].n += 1;`,
    "f xs",
  ],
  [
    "a function of it that calls back",
    `import * as R from "ramda"; let n = 0; const f = R.pipe(R.map((x) => { n += x; }), R.sum);
    ${LOOP} f([1, 2]);`,
    "n",
  ],
  [
    "own methods that it may call",
    `import * as R from "ramda"; class Box { n = 0; map(f) { this.n++; return this; } }
    const box = new Box(); ${LOOP} R.map((x) => x, box);`,
    `the state of a package:${OUT}`,
  ],
  [
    "a generator that it goes over",
    `import { mean } from "d3-array"; function* g() { yield 1; yield 2; } const it = g(); let s = 0;
    ${LOOP} s += mean(it);`,
    "it s",
  ],
  [
    "a shuffle in place",
    `import { shuffle } from "d3-array"; const order = [1, 2, 3]; ${LOOP} shuffle(order);`,
    "order",
  ],
  [
    "a shuffle of a copy",
    `import _ from "lodash"; const order = [1, 2]; let s = []; ${LOOP} s = _.shuffle(order);`,
    "s",
  ],
  [
    "an object with hidden settings",
    `import { scaleLinear } from "d3-scale"; const lr = scaleLinear().range([0.1, 0]); let s = 0;
    ${LOOP} { lr.domain([0, e]); s += lr(e); }`,
    `lr s the state of a package:${OUT}`,
  ],
];

describe("calls of described packages", () => {
  test.each(ROWS)("%s", (_, program, changes) => {
    expect(changesOf(program)).toBe(changes);
  });
});

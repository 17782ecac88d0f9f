/**
 * Functions of packages that keep something, and of such that do not: what is asked is what the
 * program logs that has the question in it from the start, and what keeps nothing is skipped.
 */
import { expect, test } from "vitest";
import { ask, costOf, edit } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";

/** Small packages of known names: some functions of each, written as the real ones work. */
const MODULES = {
  lodash: `let counter = 0;
const random = Math.random;
const _ = (value) => ({ value: () => ++counter + value });
_.uniqueId = () => String(++counter);
_.sum = (list) => list.reduce((a, b) => a + b, 0);
_.map = (list, f) => list.map((x, i) => (typeof f === "function" ? f(x, i, list) : x[f]));
_.times = (n, f) => Array.from({ length: n }, (_, i) => f(i));
_.shuffle = (list) => {
  const copy = [...list];
  for (let i = 0; i < copy.length; i++) {
    const j = i + Math.floor(random() * (copy.length - i));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
};
_.memoize = (f) => {
  const cache = new Map();
  const memoized = (x) => (cache.has(x) || cache.set(x, f(x)), cache.get(x));
  return Object.assign(memoized, { cache });
};
_.after = (n, f) => (...args) => (--n < 1 ? f(...args) : 0);
_.flow = (fs) => (x) => fs.reduce((value, f) => f(value), x);
_.set = (to, key, value) => ((to[key] = value), to);
_.last = (list) => list[list.length - 1];
_.mixin = (more) => Object.assign(_, more);
module.exports = _;
`,
  ramda: `exports.map = (f) => (list) => list.map((x) => f(x));
exports.sum = (list) => list.reduce((a, b) => a + b, 0);
exports.pipe = (...fs) => (x) => fs.reduce((value, f) => f(value), x);
`,
  "d3-random": `let source = 7;
exports.next = () => (source = (source * 16807) % 2147483647) / 2147483647;
`,
};

interface Row {
  readonly before?: string;
  readonly step: string;
  /** Whether loops with it are skipped. */
  readonly skipped: boolean;
}

const ROWS: { readonly [what: string]: Row } = {
  "functions that keep nothing": {
    before: `const o = { n: 0 }, xs = [{ n: 0 }];
let n = 0;
const f = R.pipe(R.map((x) => x / 3), R.sum);`,
    step: `w = w / 2 + _.sum(_.map([w, e], (x) => x / 7)) + _.shuffle([1, 2, 3, 4])[0];
    _.set(o, "n", o.n + s);
    _.last(xs).n += s;
    _.map([1, 2], () => n++);
    w += o.n / 9 + xs[0].n / 8 + n / 7 + f([e, s]);`,
    skipped: true,
  },
  "a counter that is handed on": {
    step: "w += _.sum(_.times(2, _.uniqueId).map(Number));",
    skipped: false,
  },
  "a chain": { step: "w += _(1).value();", skipped: false },
  "a cache that is asked how large it is": {
    before: "const f = _.memoize((x) => x * 2);",
    step: "f(e * 10 + s); w += f.cache.size;",
    skipped: false,
  },
  "a function that counts its calls, in another": {
    before: "const f = _.flow([_.after(7, (x) => x), (x) => x + 1]);",
    step: "w += [s].map(f)[0];",
    skipped: false,
  },
  "another generator in the place of Math.random": {
    before: `let seed = 3;
Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;`,
    step: "w += Math.random();",
    skipped: false,
  },
  "a function that the program put in": {
    before: "let n = 0;\n_.mixin({ next: () => ++n });",
    step: "w += _.next() + d3.next();",
    skipped: false,
  },
};

function programOf({ before = "", step }: Row, asked: boolean): string {
  return `const _ = require("lodash");
const R = require("ramda");
const d3 = require("d3-random");
let w = 0.5;
${before}
for (let e = 0; e < 4; e++) {
  for (let s = 0; s < 6; s++) {
    ${step}
    ${asked ? 'console.log("inner", w);' : ""}
    let z = 0;
    for (let q = 0; q < 60_000; q++) z += Math.sqrt(q);
    if (z < 0) w++;
  }
  console.log("w", w);
  ${asked ? 'console.log("outer", w * 2);' : ""}
}
${asked ? 'console.log("end", w * 3);' : ""}
`;
}

const files = {
  "package.json": "{}",
  ".gitignore": "node_modules\n",
  ...Object.fromEntries(
    Object.entries(MODULES).flatMap(([name, text]) => [
      [`node_modules/${name}/index.js`, text],
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0" })],
    ]),
  ),
};

const QUESTIONS = [
  { names: ["inner"], where: "e = 2 and s > 3", logged: [16, 17] },
  { names: ["outer", "end"], logged: [0, 1, 2, 3, 4] },
];

test.each(Object.entries(ROWS))("%s", { timeout: 300_000 }, async (_, row) => {
  using project = new TestProject({ "train.js": programOf(row, false), ...files });
  const run = ["run", "--overhead", "inf", "--seed", "5"];
  const recorded = await project.afterlog(...run, "train.js");
  expect(recorded.code, recorded.stderr).toBe(0);
  const edited = { "train.js": programOf(row, true) };
  using other = new TestProject({ ...edited, ...files });
  const truth = await other.afterlog(...run, "train.js");
  edit(project, edited);
  for (const { names, where, logged } of QUESTIONS) {
    const answer = await ask(project, names, { where });
    const all = new RegExp(`^(?:${names.join("|")}) (.+)$`, "gm");
    const values = [...truth.stdout.matchAll(all)].map(([, value]) => Number(value));
    const found = answer.cells.map(({ value }) => Number(value));
    expect(found, names.join()).toEqual(logged.map((at) => values[at]));
    const { share, notes } = costOf(answer);
    if (row.skipped) expect(share, notes.join("\n")).toBeLessThan(0.5);
    else
      expect(notes.join("\n")).toMatch(
        /(?:the state of .* cannot be|Math\.random .* was not) captured/,
      );
  }
});

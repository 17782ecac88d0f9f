/** What a question mentions, and something else than the question gives. */
import { expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { editBetween } from "./align.ts";
import { differencesSeen, givenElsewhere } from "./differences.ts";

const ASKED = 'console.log("q", net.stats.worst);';

test.each([
  ["a key more", "net.stats = { n: 0 };", "net.stats = { n: 0, worst: 0 };", ["worst"]],
  ["a property more", "net.n = 0;", "net.n = 0;\nnet.stats.worst = 0;", ["worst"]],
  [
    "a variable more in a namespace",
    "namespace Stats { export let n = 0; }",
    "namespace Stats { export let n = 0; export let worst = 0; }",
    ["worst"],
  ],
  ["nothing of it", "net.n = 0;", "net.n = 0;\nnet.m = 0;", []],
  ["what the run has", "net.stats = { worst: 0 };", "net.stats = { worst: 0, m: 0 };", []],
])("%s", (_, then, now, names) => {
  const [old, own] = [`${then}\n`, `${now}\n${ASKED}\n`].map((text) => parsed("a.ts", text));
  if (!old || !own) throw new Error("it does not parse");
  const edits = new Map([["a.ts", editBetween(old, own)]]);
  const starts = new Map([["a.ts", new Set([own.text.indexOf(ASKED)])]]);
  expect(givenElsewhere(edits, starts).map(({ name }) => name)).toEqual(names);
});

const CALL = 'console.log("q", f(1));';

/** What is named, with what has to be brought for the question to use the newer one. */
test.each([
  ["a function", "function f(x) { return x; }", "function f(x) { return x + 1; }", [["f", "f"]]],
  [
    "one that another calls",
    "const g = (x) => x;\nfunction f(x) { return g(x); }",
    "const g = (x) => x + 1;\nfunction f(x) { return g(x); }",
    [["g", "f g"]],
  ],
  [
    "a value",
    "let rate = 1;\nfunction f(x) { return x * rate; }",
    "let rate = 2;\nfunction f(x) { return x * rate; }",
    [["rate", ""]],
  ],
  [
    "no module whose functions are called otherwise",
    "import * as al from 'x';\nal.set(1);\nconst f = () => al.get();",
    "import * as al from 'x';\nal.set(2);\nconst f = () => al.get();",
    [],
  ],
  [
    "a function that gives what is asked",
    "const h = (x) => x;\nconst f = h(1);\n",
    "const h = (x) => x / 3;\nconst f = h(1);\n",
    [["h", ""]],
  ],
  [
    "what a method changes",
    "const f = [];\nf.unshift(1);\n",
    "const f = [];\nf.push(1);\n",
    [["f", ""]],
  ],
  [
    "a function that reads another key",
    'function f(o) { return o["gain"]; }',
    'function f(o) { return o["scale"]; }',
    [["f", "f"]],
  ],
  [
    "one that was called otherwise",
    "function old(x) { return x; }",
    "function f(y) { return y; }",
    [],
  ],
  [
    "and says something else",
    "function old(x) { return x; }",
    "function f(y) { return y * 2; }",
    [["f", "f"]],
  ],
])("%s differs", (_, then, now, seen) => {
  const [old, own] = [`${then}\n`, `${now}\n${CALL}\n`].map((text) => parsed("a.ts", text));
  if (!old || !own) throw new Error("it does not parse");
  const edits = new Map([["a.ts", editBetween(old, own)]]);
  const starts = new Map([["a.ts", new Set([own.text.indexOf(CALL)])]]);
  const found = differencesSeen(edits, starts, [{ from: "f", to: "old" }]);
  expect(found.map(({ name, bring }) => [name, bring.join(" ")])).toEqual(seen);
});

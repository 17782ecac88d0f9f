/** Names of a question that an older version has for something else. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { otherMeanings } from "./other-meanings.ts";
import { recognitionBetween } from "./recognise.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

/** The older text, the newer one with lines of the question marked `+`, and what is said. */
type Row = readonly [file: string, then: string, now: string, said: readonly string[]];

const ROWS: { readonly [about: string]: Row } = {
  "a function of the question that there does something else": [
    "a.py",
    "def size(v):\n    return len(v)\nfor e in r:\n    w = size(w)\n",
    "def size(v): #+\n    return sum(v)\nfor e in r:\n    w = len(w)\n    print('q', size(w)) #+\n",
    ["size"],
  ],
  "the same in one line of JavaScript": [
    "a.mjs",
    "function size(v) { return v.length; }\nfor (const e of r) {\n  w = size(w);\n}\n",
    "function size(v) { return v.at(0); } //+\nfor (const e of r) {\n  w = w.length;\n  console.log('q', size(w)); //+\n}\n",
    ["size"],
  ],
  "a number of the question": [
    "a.py",
    "k = 3\nw = 1\nfor e in range(k):\n    w = f(w)\n",
    "k = 100 #+\nw = 1\nfor e in range(3):\n    w = f(w)\n    print('q', w * k) #+\n",
    ["k"],
  ],
  "a function that is the same there": [
    "a.py",
    "def size(v):\n    return len(v)\nfor e in r:\n    w = size(w)\n",
    "def size(v): #+\n    return len(v)\nfor e in r:\n    w = len(w)\n    print('q', size(w)) #+\n",
    [],
  ],
  "variables that were exchanged": [
    "a.py",
    "a = 1.0\nb = 2.0\nfor e in r:\n    f(a, b)\n",
    "b = 1.0\na = 2.0\nfor e in r:\n    f(b, a)\n    print('q', a) #+\n",
    ["a: b"],
  ],
  "parts of the data that were exchanged": [
    "a.mjs",
    "const train = data.slice(0, 5);\nconst test = data.slice(5);\nfor (const e of r) {\n  f(test);\n}\n",
    "const test = data.slice(0, 5);\nconst train = data.slice(5);\nfor (const e of r) {\n  f(train);\n  console.log('q', test); //+\n}\n",
    ["test: train"],
  ],
  "attributes of which one has the name of another": [
    "a.py",
    "class N:\n    def __init__(self):\n        self.w = 1.0\n        self.d = 0.1\nnet = N()\nfor e in r:\n    net.step()\n",
    "class N:\n    def __init__(self):\n        self.weight = 1.0\n        self.w = 0.1\nnet = N()\nfor e in r:\n    net.step()\n    print('q', net.w) #+\n",
    ["w: d"],
  ],
  "a name that has another value": [
    "a.py",
    "lr = 0.1\nk = 2\nfor e in r:\n    f(lr)\n",
    "lr = 0.2\nk = 2\nfor e in r:\n    f(lr)\n    print('q', lr) #+\n",
    [],
  ],
  "a name that was renamed": [
    "a.py",
    "weight = 1.0\nd = 0.1\nfor e in r:\n    f(weight)\n",
    "w = 1.0\nd = 0.1\nfor e in r:\n    f(w)\n    print('q', w) #+\n",
    [],
  ],
};

test.each(Object.entries(ROWS))("%s", (_, [file, before, after, said]) => {
  const marks = [...after.matchAll(/^.*(?:#|\/\/)\+$/gm)];
  const starts = new Set(marks.map(({ index, 0: line }) => index + line.search(/\S/)));
  const [then, now] = [parsed(file, before), parsed(file, after)];
  if (!then || !now) throw new Error("it does not parse");
  const edit = editBetween(then, now, recognitionBetween(then, now, { handsFree: true }));
  const found = otherMeanings(new Map([[file, edit]]), new Map([[file, starts]]));
  expect(
    found.map(({ name, then: old }) => (old === undefined ? name : `${name}: ${old}`)),
  ).toEqual(said);
});

/** Parts that a question takes by number or key, and that the older version gives in other places. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { exchangedPlaces } from "./exchanged-places.ts";
import { recognitionBetween } from "./recognise.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

/** The older text, the newer one with lines of the question marked `+`, and what is said. */
type Row = readonly [file: string, then: string, now: string, said: readonly string[]];

const PY_EVALUATE = "def f(w):\n    return loss(w), acc(w)\nfor e in r:\n    res = f(e)\n";
const JS_EVALUATE = "const f = (w) => {\n  return [loss(w), acc(w)];\n};\nfor (const e of r) {\n";

const ROWS: { readonly [about: string]: Row } = {
  "an index of what a function gives": [
    "a.py",
    PY_EVALUATE.replace("loss(w), acc(w)", "acc(w), loss(w)"),
    `${PY_EVALUATE}    print('q', res[0]) #+\n`,
    ["0 (a.py:2)"],
  ],
  "a call that is taken apart in the question": [
    "a.py",
    PY_EVALUATE.replace("loss(w), acc(w)", "acc(w), loss(w)"),
    `${PY_EVALUATE}    a, b = f(2) #+\n    print('q', a) #+\n`,
    ["0 (a.py:2)"],
  ],
  "one part more before it": [
    "a.mjs",
    `${JS_EVALUATE.replace("loss(w), acc(w)", "acc(w), n")}  show(e);\n}\n`,
    `${JS_EVALUATE}  show(e);\n  console.log('q', f(e)[1]); //+\n}\n`,
    ["1 (a.mjs:2)"],
  ],
  "an index of what a loop goes over, which is taken apart beside it": [
    "a.py",
    "for d in data:\n    y, x = d\n    w -= x * y\n",
    "for d in data:\n    x, y = d\n    print('q', d[0]) #+\n    w -= x * y\n",
    ["0 (a.py:2)"],
  ],
  "a key": [
    "a.mjs",
    `${JS_EVALUATE.replace("[loss(w), acc(w)]", "{ a: loss(w), b: acc(w) }")}  show(e);\n}\n`,
    `${JS_EVALUATE.replace("[loss(w), acc(w)]", "{ a: acc(w), b: loss(w) }")}  show(e);\n  console.log('q', f(e).a); //+\n}\n`,
    ["a (a.mjs:2)"],
  ],
  "a part behind all that were there": [
    "a.py",
    PY_EVALUATE,
    `${PY_EVALUATE.replace("acc(w)", "acc(w), n")}    print('q', res[0]) #+\n`,
    [],
  ],
  "another place than those that were exchanged": [
    "a.py",
    PY_EVALUATE.replace("loss(w), acc(w)", "acc(w), loss(w), n"),
    `${PY_EVALUATE.replace("acc(w)", "acc(w), n")}    print('q', res[2]) #+\n`,
    [],
  ],
  "sizes of layers": [
    "a.py",
    "net = build([64, 128])\nfor e in r:\n    net.step()\n",
    "net = build([128, 64])\nfor e in r:\n    net.step()\n    print('q', net.w[0]) #+\n",
    [],
  ],
};

test.each(Object.entries(ROWS))("%s", (_, [file, before, after, said]) => {
  const marks = [...after.matchAll(/^.*(?:#|\/\/)\+$/gm)];
  const starts = new Set(marks.map(({ index, 0: line }) => index + line.search(/\S/)));
  const [then, now] = [parsed(file, before), parsed(file, after)];
  if (!then || !now) throw new Error("it does not parse");
  const edit = editBetween(then, now, recognitionBetween(then, now, { handsFree: true }));
  const found = exchangedPlaces(new Map([[file, edit]]), new Map([[file, starts]]));
  expect(found.map((one) => `${one.place} (${one.file}:${one.line})`)).toEqual(said);
});

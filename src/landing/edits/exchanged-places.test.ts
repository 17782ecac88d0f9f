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
  "a layer put in front": [
    "a.py",
    "net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))\nfor e in r:\n    show(e)\n",
    "net = nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 4), nn.Linear(4, 1))\nfor e in r:\n    show(e)\n    print('q', net[1].bias) #+\n",
    ["1 (a.py:1)"],
  ],
  "an object put in front": [
    "a.mjs",
    "const layers = [{ w: rnd() }, { w: rnd() }];\nfor (const e of r) {\n  show(e);\n}\n",
    "const layers = [{ w: 1 }, { w: rnd() }, { w: rnd() }];\nfor (const e of r) {\n  show(e);\n  console.log('q', layers[1].w); //+\n}\n",
    ["1 (a.mjs:1)"],
  ],
  "a list that began empty": [
    "a.py",
    "hist = []\nfor e in r:\n    hist.append(e)\n",
    "hist = [w]\nfor e in r:\n    hist.append(e)\n    print('q', hist[1]) #+\n",
    ["1 (a.py:1)"],
  ],
  "an item behind a key": [
    "a.py",
    "opt = {'groups': [{'p': 'w'}, {'p': 'b'}]}\nfor e in r:\n    show(e)\n",
    "opt = {'groups': [{'p': 'b'}, {'p': 'w'}]}\nfor e in r:\n    show(e)\n    print('q', opt['groups'][0]['p']) #+\n",
    ["0 (a.py:1)"],
  ],
  "arguments exchanged": [
    "a.py",
    "for e in r:\n    x = Rec(loss(e), acc(e))\n    show(x)\n",
    "for e in r:\n    x = Rec(acc(e), loss(e))\n    show(x)\n    print('q', x[0]) #+\n",
    ["0 (a.py:2)"],
  ],
  "what a comprehension goes over": [
    "a.py",
    "pairs = list(zip(ys, xs))\nfor e in r:\n    show(e)\n",
    "pairs = list(zip(xs, ys))\nfor e in r:\n    show(e)\n    print('q', sum(p[1] for p in pairs)) #+\n",
    ["1 (a.py:1)"],
  ],
  "what is taken apart in the question": [
    "a.py",
    "pairs = zip(ys, xs)\nfor e in r:\n    show(e)\n",
    "pairs = zip(xs, ys)\nfor e in r:\n    show(e)\n    a, b = pairs #+\n    print('q', a) #+\n",
    ["0 (a.py:1)"],
  ],
  "a grid the other way round": [
    "a.mjs",
    "const Q = [[0, 0], [0, 0], [0, 0]];\nfor (const e of r) {\n  show(e);\n}\n",
    "const Q = [[0, 0, 0], [0, 0, 0]];\nfor (const e of r) {\n  show(e);\n  console.log('q', Q[0][1]); //+\n}\n",
    ["0 (a.mjs:1)"],
  ],
  "another name than that of the list": [
    "a.py",
    "net = nn.Sequential(a, b)\nfor e in r:\n    show(e)\n",
    "net = nn.Sequential(c, a, b)\nfor e in r:\n    show(e)\n    print('q', e[1]) #+\n",
    [],
  ],
  "a layer put behind, and other sizes": [
    "a.py",
    "net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))\nfor e in r:\n    show(e)\n",
    "net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4), nn.Linear(4, 1))\nfor e in r:\n    show(e)\n    print('q', net[1].bias) #+\n",
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

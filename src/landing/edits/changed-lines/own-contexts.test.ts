/** Which `with` of a question's own leaves the lines in it as they are. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../../test/support/parsed.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { editBetween } from "../align.ts";

beforeAll(() => prepareLanguages(["a.py"]));

const ENTER = "    def __enter__(self):\n        self.b = time.time()\n        return self\n";
const EXIT = "    def __exit__(self, *a):\n        self.s = time.time() - self.b\n";
const MADE = "@contextmanager\ndef T():\n    b = time.time()\n";

type Row = readonly [about: string, definition: string, head?: string];

const LOOKS: readonly Row[] = [
  ["a class", `class T:\n${ENTER}${EXIT}`],
  [
    "that is given something",
    `class T:\n    n = 0\n    def __init__(self, n):\n        self.n = n\n${ENTER}${EXIT}`,
    "T(x)",
  ],
  ["that prints", `class T:\n${ENTER}${EXIT}        print("s", self.s)\n        return None\n`],
  [
    "with a method for the question",
    `class T:\n${ENTER}${EXIT}    def rate(self):\n        return 1 / self.s\n`,
  ],
  [
    "that gathers in itself",
    `class T:\n    def __init__(self):\n        self.t = []\n${ENTER}    def __exit__(self, *a):\n        self.t.append(time.time() - self.b)\n`,
  ],
  ["that was made before", `class T:\n${ENTER}${EXIT}w = T()\n`, "w"],
  ["a function", `${MADE}    yield\n    print("s", time.time() - b)\n`],
  [
    "that gives something",
    `${MADE}    t = {}\n    try:\n        yield t\n    finally:\n        t["s"] = time.time() - b\n`,
  ],
];

const DOES_MORE: readonly Row[] = [
  ["an object of the run", `class T:\n    def __enter__(self):\n        net.k = 1\n${EXIT}`],
  ["a method of the run's", `class T:\n    def __enter__(self):\n        net.eval()\n${EXIT}`],
  [
    "a variable of the run",
    `class T:\n    def __enter__(self):\n        global x\n        x = 2\n${EXIT}`,
  ],
  [
    "what it was given",
    `class T:\n    def __init__(self, n):\n        self.n = n\n${ENTER}    def __exit__(self, *a):\n        self.n += 1\n`,
    "T(net)",
  ],
  [
    "a part of what it was given",
    `class T:\n    def __init__(self, n):\n        self.n = n\n${ENTER}    def __exit__(self, *a):\n        self.n.k = 1\n`,
    "T(net)",
  ],
  [
    "a list that it was given",
    `class T:\n    def __init__(self, t):\n        self.t = t\n${ENTER}    def __exit__(self, *a):\n        self.t.append(1)\n`,
    "T(net)",
  ],
  [
    "a list that others gave it",
    `class T:\n    def __init__(self):\n        self.t = []\n${ENTER}    def __exit__(self, *a):\n        self.t.append(1)\nw = T()\nw.t = net\n`,
    "w",
  ],
  [
    "random numbers that it gathers",
    `class T:\n    def __init__(self):\n        self.t = []\n${ENTER}    def __exit__(self, *a):\n        self.t.append(random.random())\n`,
  ],
  ["what was made twice", `class T:\n${ENTER}${EXIT}w = T()\nw = net\n`, "w"],
  [
    "random numbers",
    `class T:\n    def __enter__(self):\n        self.r = random.random()\n${EXIT}`,
  ],
  ["what fails in it", `class T:\n${ENTER}${EXIT}        return True\n`],
  ["or may", `class T:\n${ENTER}${EXIT}        return self.s\n`],
  ["it raises", `class T:\n${ENTER}${EXIT}        raise ValueError\n`],
  ["another class", `class T(Base):\n${ENTER}${EXIT}`],
  [
    "attributes that do more",
    `class T:\n    def __setattr__(self, n, v):\n        net.k = v\n${ENTER}${EXIT}`,
  ],
  [
    "a property",
    `class T:\n    @property\n    def b(self):\n        return net.step()\n${ENTER}${EXIT}`,
  ],
  ["a decorator", `@add\nclass T:\n${ENTER}${EXIT}`],
  [
    "a call in its head",
    `class T:\n    def __init__(self, n):\n        self.n = n\n${ENTER}${EXIT}`,
    "T(f(x))",
  ],
  ["two classes", `class T:\n${ENTER}${EXIT}class T:\n${ENTER}${EXIT}`],
  ["another name for it", `class T:\n${ENTER}${EXIT}T = net\n`],
  ["another method for it", `class T:\n${ENTER}${EXIT}T.__enter__ = f\n`],
  ["another decorator", `@manager\ndef T():\n    yield\n`],
  [
    "a function that keeps what fails",
    `${MADE}    try:\n        yield\n    except ValueError:\n        pass\n`,
  ],
  ["one that may not execute it", `${MADE}    if x:\n        yield\n`],
  ["one that executes it in a with", `${MADE}    with no_grad():\n        yield\n`],
  ["one that changes the run", `${MADE}    yield\n    net.step()\n`],
  ["a mapping of the run", `${MADE}    t = net\n    yield t\n    t["s"] = b\n`],
];

const FILE = `import random\nimport time\nfrom contextlib import contextmanager\nx = 1\nnet = Net()\n`;

function wrapsOf(definition: string, head = "T()"): boolean[] {
  const then = parsed("a.py", `${FILE}f(x)\nend(x)\n`);
  const now = parsed("a.py", `${FILE}${definition}with ${head} as t:\n    f(x)\nend(x)\n`);
  if (!then || !now) throw new Error("it does not parse");
  const { gaps } = editBetween(then, now);
  const shaped = gaps.flatMap((gap) => [...gap.shaped.values()]);
  return shaped.flatMap(({ wraps }) => (wraps ? [wraps.isHarmless && wraps.canStay] : []));
}

test.each(LOOKS)("only looks: %s", (_, definition = "", head) => {
  expect(wrapsOf(definition, head)).toEqual([true]);
});

test.each(DOES_MORE)("may change: %s", (_, definition = "", head) => {
  expect(wrapsOf(definition, head)).toEqual([false]);
});

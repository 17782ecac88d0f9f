/** Which changes of a line are the same program with more to see. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Change } from "../../../../test/support/changed-lines.ts";
import { between, inLoop } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { keepPiece } from "../undo.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const SAME_PYTHON: readonly Change[] = [
  ["a result bound", "    clip(net)", "    h = clip(net)"],
  ["and computed with", "    clip(net)", "    h = float(clip(net))"],
  ["by a name of another function", "    clip(net)", "    local = clip(net)"],
  ["what was ignored named", "    _, y = pair()", "    z, y = pair()"],
  [
    "a loop that counts",
    "    for b in data:\n        f(b)",
    "    for i, b in enumerate(data):\n        f(b)",
  ],
  [
    "from one on",
    "    for b in data:\n        f(b)",
    "    for i, b in enumerate(data, start=1):\n        f(b)",
  ],
  [
    "of pairs",
    "    for a, b in data:\n        f(b)",
    "    for i, (a, b) in enumerate(data):\n        f(b)",
  ],
  [
    "by zip",
    "    for b in data:\n        f(b)",
    "    for i, b in zip(count(), data):\n        f(b)",
  ],
  [
    "that shows itself",
    "    for b in data:\n        f(b)",
    "    for b in tqdm(data, desc='x'):\n        f(b)",
  ],
  [
    "and counts",
    "    for b in data:\n        f(b)",
    "    for i, b in enumerate(tqdm(data)):\n        f(b)",
  ],
  ["a part named", "    x = ce(net(x), y)", "    out = net(x)\n    x = ce(out, y)"],
  [
    "with more between",
    "    x += ce(net(x)) + 1",
    "    out = net(x)\n    print(out)\n    x += ce(out) + 1",
  ],
  [
    "two parts",
    "    x = ce(net(x), f(y))",
    "    out = net(x)\n    aim = f(y)\n    x = ce(out, aim)",
  ],
  [
    "one in the other",
    "    x = ce(net(f(x)))",
    "    aim = f(x)\n    out = net(aim)\n    x = ce(out)",
  ],
  [
    "a condition named",
    "    if net(x) > y:\n        f(x)",
    "    out = net(x)\n    if out > y:\n        f(x)\n        print(out)",
  ],
  [
    "the first of two",
    "    if net(x) > y:\n        f(x)\n    elif f(y):\n        f(1)\n    else:\n        f(2)",
    "    out = net(x) > y\n    if out:\n        f(x)\n    elif f(y):\n        print(out)\n        f(1)\n    else:\n        f(2)",
  ],
  [
    "what a loop goes over",
    "    for b in net(x):\n        f(b)",
    "    out = net(x)\n    for b in out:\n        f(b)",
  ],
  ["inside try", "    clip(net)", "    try:\n        clip(net)\n    except E:\n        print(x)"],
  [
    "inside with, with more",
    "    x = ce(net(x), y)\n    f(x)",
    "    with a.b() as c:\n        out = net(x)\n        x = ce(out, y)\n        print(x)\n        f(x)",
  ],
  [
    "inside two",
    "    for b in data:\n        f(b)",
    "    with a:\n      try:\n        for b in data:\n            f(b)\n            print(b)\n      finally:\n        print(1)",
  ],
];

/** Definitions and calls of functions that give back more, and log calls. */
/** In Python, or in TypeScript where a function is one. */
const WIDER: readonly Change[] = [
  [
    "an object for a value, taken apart",
    "function t() {\n  return x;\n}\nconst a = t();",
    "function t() {\n  return { a: x, b: y };\n}\nconst { a, b } = t();",
  ],
  [
    "an object for a value, under another name",
    "function t() {\n  return x;\n}\nconst a = t();",
    "function t() {\n  return { loss: x, b: y };\n}\nconst { b, loss: a } = t();",
  ],
  [
    "a return and its call",
    "def t():\n    return x\na = t()",
    "def t():\n    return x, y\na, b = t()",
  ],
  ["at another place", "def t():\n    return x\na = t()", "def t():\n    return y, x\n_, a = t()"],
  [
    "of several",
    "def t():\n    return x, 1\na, c = t()",
    "def t():\n    return x, 1, y\na, c, b = t()",
  ],
  [
    "of a method",
    "class T:\n    def t(self):\n        return x\na = T().t()",
    "class T:\n    def t(self):\n        return x, y\na, b = T().t()",
  ],
  [
    "of what calling an object calls",
    "class T(Module):\n    def __init__(self):\n        super(T, self).__init__()\n    def forward(self, v):\n        return x\n" +
      "t = T().to(x)\nt.train()\na = t(y)\nb = t(y).data + 1",
    "class T(Module):\n    def __init__(self):\n        super(T, self).__init__()\n    def forward(self, v):\n        return x, y\n" +
      "t = T().to(x)\nt.train()\na, h = t(y)\nb = t(y)[0].data + 1",
  ],
  [
    "a parameter and a call",
    "def t(a):\n    return a\nb = t(x)\nc = t(y)",
    "def t(a, tag=0):\n    return a\nb = t(x, tag=2)\nc = t(y, y)",
  ],
  [
    "a look",
    "b = t(x)",
    'def look(v, tag=1):\n    n = 0\n    n += tag\n    w = v * 2\n    print("v", float(w))\n    return v\nb = look(t(x), tag=y)',
  ],
  [
    "taken by its place",
    "def t():\n    return x\na = t() + 1",
    "def t():\n    return x, y\na = t()[0] + 1",
  ],
  [
    "named before it is taken",
    "def t():\n    return x\na = t()\nb = t()",
    "def t():\n    return x, y\nc, d = t()\na = c\ne = t()\nb = e[0]",
  ],
  [
    "a mapping for a value",
    "def t():\n    return x\na = t()",
    'def t():\n    return {"k": x, "b": y}\nc = t()\na = c["k"]',
  ],
  [
    "something for nothing",
    "def t():\n    f(x)\nt()\nt()",
    "def t():\n    f(x)\n    return x\na = t()\nt()",
  ],
  [
    "of a method that may end before",
    "class T:\n    def t(self):\n        if x:\n            return\n        f(x)\nT().t()",
    "class T:\n    def t(self):\n        if x:\n            return y\n        f(x)\n        z = 1\n        return x\na = T().t()",
  ],
  [
    "a key that is returned",
    'def t():\n    return {"k": x}\na = t()\nb = a["k"] + t()["k"]',
    'def t():\n    return {"k": x, "l": y}\na = t()\nb = a["k"] + t()["k"]',
  ],
  [
    "a key that is given to a function",
    'c = {"k": 1}\ndef t(d, e):\n    return d["k"] + d.get("o", e)\na = t(c, x)',
    'c = {"k": 1, "l": 2}\ndef t(d, e):\n    return d["k"] + d.get("o", e)\na = t(c, x)',
  ],
  [
    "with what it computes",
    "def t():\n    return x\na = t()",
    "def t():\n    return x, x.item() / math.sqrt(len(y)), max(map(float, y))\na, b, c = t()",
  ],
  ["a log call", 'print("a", x)', 'print("a", x, "b", y)'],
  ["its text", 'print(f"a {x}")', 'print(f"a {x} b {y:.2f}")'],
];

/** An object that is called, and more that is done with it. */
const CALLED = (more: string, made = "t = T()"): Change => [
  `a called object: ${made}, ${more}`,
  `class T(Module):\n    def forward(self, v):\n        return x\n${made}\na = t(y)\n${more}`,
  `class T(Module):\n    def forward(self, v):\n        return x, y\n${made}\na, h = t(y)\n${more}`,
];

const NARROWER: readonly Change[] = [
  CALLED("evaluate(t)"),
  CALLED("b = t(x)"),
  CALLED("b = t.forward(x)"),
  CALLED("t = other"),
  CALLED("class U(T):\n    pass"),
  CALLED("pass", "t = wrapped(T())"),
  [
    "an object for a value, of which another part is taken",
    "function t() {\n  return x;\n}\nconst a = t();",
    "function t() {\n  return { b: x, a: y };\n}\nconst { a, b } = t();",
  ],
  [
    "another value returned",
    "def t():\n    return x\na = t()",
    "def t():\n    return x + 1, y\na, b = t()",
  ],
  [
    "a call that was forgotten",
    "def t():\n    return x\na = t()\nc = t()",
    "def t():\n    return x, y\na, b = t()\nc = t()",
  ],
  [
    "taken at another place",
    "def t():\n    return x\na = t()",
    "def t():\n    return x, y\nb, a = t()",
  ],
  [
    "in one of two returns",
    "def t():\n    if x:\n        return x\n    return y\na = t()",
    "def t():\n    if x:\n        return x\n    return y, 1\na, b = t()",
  ],
  [
    "with an effect",
    "def t():\n    return x\na = t()",
    "def t():\n    return x, step(y)\na, b = t()",
  ],
  ...[
    "y.add(x)",
    "y.item(z.pop())",
    "max(y, key=step)",
    "list(map(step, y))",
    "y.sum()\ndef sum(self):\n    step(self)",
  ].map((more): Change => [
    `with ${more}`,
    "def t():\n    return x\na = t()",
    `def t():\n    return x, ${more}\na, b = t()`,
  ]),
  [
    "a parameter that the run has a name for",
    "def t(a):\n    global x\n    return x",
    "def t(a, x=0):\n    return x",
  ],
  [
    "more given to another",
    "def t(a):\n    return a\nb = t(x)",
    "def t(a):\n    return a\nb = t(x, 2)",
  ],
  [
    "given at another place",
    "def t(a, b=1):\n    return a\nb = t(x)",
    "def t(a, b=1, c=0):\n    return a\nb = t(x, 2)",
  ],
  ["a look that changes it", "b = t(x)", "def look(v):\n    v += 1\n    return v\nb = look(t(x))"],
  [
    "a look that changes it by another name",
    "b = t(x)",
    "def look(v):\n    w = v\n    w += 1\n    return v\nb = look(t(x))",
  ],
  ["a look that does more", "b = t(x)", "def look(v):\n    step(v)\n    return v\nb = look(t(x))"],
  [
    "a look that may give nothing",
    "b = t(x)",
    "def look(v):\n    if x:\n        return v\nb = look(t(x))",
  ],
  [
    "something for nothing that was used",
    "def t():\n    f(x)\nb = t()",
    "def t():\n    f(x)\n    return x\nb = t()",
  ],
  [
    "something of a function that is handed over",
    "def t():\n    f(x)\nt()\nf(t)",
    "def t():\n    f(x)\n    return x\na = t()\nf(t)",
  ],
  [
    "something before the end",
    "def t():\n    f(x)\n    f(y)\nt()",
    "def t():\n    f(x)\n    return x\n    f(y)\na = t()",
  ],
  [
    "taken from another place",
    "def t():\n    return x\na = t()",
    "def t():\n    return x, y\na = t()[1]",
  ],
  ...[
    "for i in c:\n    f(i)",
    "f(**c)",
    "f(c)",
    "print(c)",
    "f(len(c))",
    "f(c.values())",
    "f(c[x])",
    'f(c.get("l"))',
    'f("l" in c)',
    "b.c = c",
    "def t():\n    return c\nf(t())",
    "def t(d):\n    f(d)\nt(c)",
  ].map((use): Change => [
    `a key that ${use} may see`,
    `c = {"k": 1}\n${use}`,
    `c = {"k": 1, "l": 2}\n${use}`,
  ]),
  ["a log call with an effect", 'print("a", x)', 'print("a", x, "b", step(y))'],
  ["of another value", 'print("a", x)', 'print("a", x + 1, "b", y)'],
  ["without what it logged", 'print(f"a {x} c {y}")', 'print(f"a {x} b {y}")'],
];

const OTHER_PYTHON: readonly Change[] = [
  ["a name of the run bound", "    clip(net)", "    g = clip(net)"],
  ["another call around it", "    clip(net)", "    h = net.step(clip(net))"],
  ["it may not be evaluated", "    clip(net)", "    h = x and clip(net)"],
  ["another argument", "    clip(net)", "    h = clip(net, 2)"],
  [
    "a loop over another",
    "    for b in data:\n        f(b)",
    "    for i, b in enumerate(others):\n        f(b)",
  ],
  [
    "by a function of the program",
    "    for b in data:\n        f(b)",
    "    for i, b in zip(f(), data):\n        f(b)",
  ],
  [
    "that counts in an attribute of the run",
    "    for b in data:\n        f(b)",
    "    for x.g, b in enumerate(data):\n        f(b)",
  ],
  [
    "other targets",
    "    for a, b in data:\n        f(b)",
    "    for i, (b, a) in enumerate(data):\n        f(b)",
  ],
  [
    "counted by Afterlog",
    "    for b in loop('s', data):\n        f(b)",
    "    for i, b in enumerate(loop('s', data)):\n        f(b)",
  ],
  [
    "another order",
    "    x = ce(net(x), f(y))",
    "    aim = f(y)\n    out = net(x)\n    x = ce(out, aim)",
  ],
  ["behind a call", "    x = ce(f(y), net(x))", "    out = net(x)\n    x = ce(f(y), out)"],
  ["behind what it may set", "    x = g + net(x)", "    out = net(x)\n    x = g + out"],
  [
    "evaluated once for twice",
    "    x = ce(net(x), net(x))",
    "    out = net(x)\n    x = ce(out, out)",
  ],
  ["evaluated though it was not", "    x = y and net(x)", "    out = net(x)\n    x = y and out"],
  [
    "in another function",
    "    x = (lambda: net(x))()",
    "    out = net(x)\n    x = (lambda: out)()",
  ],
];

const SAME_TYPESCRIPT: readonly Change[] = [
  [
    "a condition named",
    "  if (net(x) > y) { f(x); } else f(y);",
    "  const out = net(x);\n  if (out > y) { f(x); console.log(out); } else f(y);",
  ],
  [
    "what a loop goes over",
    "  for (const b of net(x)) f(b);",
    "  const out = net(x);\n  for (const b of out) { f(b); console.log(b); }",
  ],
  ["a result bound", "  clip(net);", "  const h = clip(net);"],
  ["a part of it", "  clip(net);", "  const h = clip(net).norm;"],
  ["and computed with", "  clip(net);", "  const h = clip(net).dataSync()[0] / 2;"],
  ["and taken apart", "  clip(net);", "  const { norm, ...rest } = clip(net);"],
  [
    "a loop that counts",
    "  for (const b of data) f(b);",
    "  for (const [i, b] of data.entries()) f(b);",
  ],
  [
    "of pairs",
    "  for (const [a, b] of data) { f(a, b); }",
    "  for (const [i, [a, b]] of data.entries()) { f(a, b); }",
  ],
  ["a part named", "  x = ce(net(x), y);", "  const out = net(x);\n  x = ce(out, y);"],
  [
    "a look",
    "  x = ce(net(x), y);",
    '  function look(v) { let n = 0; n += 1; console.log("v", v); return v; }\n  x = ce(look(net(x)), y);',
  ],
  [
    "a look by an arrow function",
    "  x = ce(net(x), y);",
    '  const look = (v: number) => { console.log("v", v); return v; };\n  x = ce(look(net(x)), y);',
  ],
  ["a key", "  const c = { a: x };\n  end(c.a);", "  const c = { a: x, b: g };\n  end(c.a);"],
  [
    "a key taken apart",
    "  const c = { a: x }; const { a } = c;",
    "  const c = { b: 1, a: x }; const { a } = c;",
  ],
  ["a declaration", "  let s = x;", "  let s = x, n = 0;"],
  ["more taken", "  const { a } = f(x);", "  const { a, b: c } = f(x);"],
  ["more of a list", "  const [a] = [x, y];", "  const [a, b] = [x, y];"],
  [
    "inside try",
    "  const h = clip(net);\n  x = h;",
    "  try { const h = clip(net); x = h; } catch { console.log(x); }",
  ],
];

const OTHER_TYPESCRIPT: readonly Change[] = [
  [
    "a condition that is evaluated again",
    "  while (net(x) > y) f(x);",
    "  const out = net(x);\n  while (out > y) f(x);",
  ],
  [
    "the end of a loop",
    "  for (let i = 0; i < net(x); i++) f(x);",
    "  const out = net(x);\n  for (let i = 0; i < out; i++) f(x);",
  ],
  [
    "a loop over another",
    "  for (const b of data) f(b);",
    "  for (const [i, b] of others.entries()) f(b);",
  ],
  [
    "a look by an arrow function that changes it",
    "  x = ce(net(x), y);",
    "  const look = (v) => { v += 1; return v; };\n  x = ce(look(net(x)), y);",
  ],
  [
    "a look by an arrow function that is another one later",
    "  x = ce(net(x), y);",
    "  let look = (v) => { return v; };\n  look = f;\n  x = ce(look(net(x)), y);",
  ],
  ["keys", "  for (const b of data) f(b);", "  for (const b of data.keys()) f(b);"],
  ["another order", "  x = ce(f(y), net(x));", "  const out = net(x);\n  x = ce(f(y), out);"],
  [
    "evaluated though it was not",
    "  x = y ? net(x) : 1;",
    "  const out = net(x);\n  x = y ? out : 1;",
  ],
  [
    "a name that is used behind try",
    "  const h = x;\n  f(h);",
    "  try { const h = x; } finally {}\n  f(h);",
  ],
  ["more of what may be made on the way", "  const [a] = f(x);", "  const [a, b] = f(x);"],
  [
    "a key that is copied",
    "  const c = { a: x }; const d = { ...c };",
    "  const c = { a: x, b: 1 }; const d = { ...c };",
  ],
  [
    "a key among the rest",
    "  const c = { a: x }; const { ...d } = c;",
    "  const c = { a: x, b: 1 }; const { ...d } = c;",
  ],
  ["a declaration that does more", "  let s = x;", "  let s = x, n = clip(net);"],
  ["a declaration of a name of the run", "  let s = x;", "  let s = x, g = 0;"],
  ["another taken", "  const { a } = f(x);", "  const { b, a: c } = f(x);"],
  ["a name hidden", "  g(1); clip(net);", "  g(1); const g = clip(net);"],
];

function betweenFiles(then: string, now: string): ReturnType<typeof between> {
  const isTypeScript = then.startsWith("function");
  const [file, head] = isTypeScript ? ["a.ts", "let x = 1, y = 1;"] : ["a.py", "x = y = 1"];
  return between(file, `${head}\n${then}\n`, `${head}\n${now}\n`);
}

test.each(WIDER)("the same with more: %s", (_, then, now) => {
  const edit = betweenFiles(then, now);
  expect(edit.gaps.flatMap((gap) => gap.lost)).toEqual([]);
  expect(keepPiece(edit, []) === undefined).toBe(false);
  const groups = edit.gaps.flatMap(({ shaped }) => [...shaped.values()].map(({ group }) => group));
  expect(new Set(groups).size).toBe(1);
});

test.each(NARROWER)("not the same: %s", (_, then, now) => {
  const edit = betweenFiles(then, now);
  const lost = edit.gaps.flatMap((gap) => [...gap.lost, ...gap.lostLogs]);
  const isShaped = edit.gaps.some(({ shaped }) => shaped.size > 0);
  expect({ isShaped, isLost: lost.length > 0 }).not.toEqual({ isShaped: true, isLost: false });
});

describe.each([
  ["a.py", "the same program", SAME_PYTHON, 0],
  ["a.py", "another program", OTHER_PYTHON, 1],
  ["a.ts", "the same program", SAME_TYPESCRIPT, 0],
  ["a.ts", "another program", OTHER_TYPESCRIPT, 1],
] as const)("%s: %s", (file, _, changes, lost) => {
  test.each(changes)("%s", (__, then, now) => {
    expect(inLoop(file, then, now)).toEqual({ lost, canBeUndone: true });
  });
});

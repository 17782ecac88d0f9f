/**
 * What belongs to a question of all that was added to a file, and the run's text with it in. Lines that
 * end in `+` marks were added since the run.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import type { ParsedFile } from "../../languages/index.ts";
import { prepareLanguages } from "../../languages/index.ts";
import type { FileEdit } from "./align.ts";
import { editBetween } from "./align.ts";
import type { FilePiece } from "./piece.ts";
import { pieceFor } from "./piece.ts";
import { keepPiece } from "./undo.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** A program with added lines, and for an asked text the first lines of all that belongs to it. */
type Row = readonly [about: string, text: string, asked: string, expected: readonly string[]];

const EVALUATION = `
for epoch in range(3):
    train(net)
    print("loss", loss)
    was = net.training #+
    net.eval() #+
    with no_grad(): #+
        out = net(x) #+
    net.train(was) #+
    print("clean", out) #+
    print("other", loss * 2) #+
    scheduler.step()
`;

const GATHERED = `
total = 0 #+
for epoch in range(3):
    norms = [] #+
    for step in range(9):
        w = train(w)
        norms.append(w) #+
        total += w #+
    print("mean", sum(norms)) #+
    print("total", total) #+
    print("w", w)
`;

/** What was done with a list before the run's loops, and a look at it in one of them. */
function handing(...lines: readonly string[]): string {
  const before = ["seen = [0]", ...lines].join("\n").replaceAll("\n", " #+\n");
  return `${before} #+\nfor epoch in range(3):\n    train(model)\n    print("q", max(seen)) #+\n`;
}

/** What was made before the run's loops, what the inner one does with it, and what the outer one shows. */
function filling(before: string, inside: string, shown: string): string {
  const added = (text: string): string => `${text} #+`.replaceAll("\n", " #+\n");
  const inner = added(`        ${inside.replaceAll("\n", "\n    ")}`);
  const start = `w = make()\n${added(before)}\nfor epoch in range(3):\n    for step in range(9):\n`;
  return `${start}        w = train(w)\n${inner}\n    print("q", ${shown}) #+\n    print("w", w)\n`;
}

const ROWS: readonly Row[] = [
  [
    "evaluation mode, and back",
    EVALUATION,
    '"clean"',
    [
      "was = net.training",
      "net.eval()",
      "with no_grad():",
      "net.train(was)",
      'print("clean", out)',
    ],
  ],
  [
    "what is computed beside it and not used",
    "a = 1\nb = a + 1 #+\nprint('q', a) #+\n",
    "'q'",
    ["print('q', a)"],
  ],
  [
    "a list that another loop fills",
    GATHERED,
    '"mean"',
    ["norms = []", "norms.append(w)", 'print("mean", sum(norms))'],
  ],
  [
    "a helper and an import",
    "x = 2\nimport math #+\ndef half(v): #+\n    return math.sqrt(v) / 2 #+\nfor i in range(3):\n    x += i\n    print('q', half(x)) #+\n",
    "'q'",
    ["import math", "def half(v):", "print('q', half(x))"],
  ],
  [
    "one line",
    "f(m)\nm.eval(); print('q', m(x)); m.train() #+\n",
    "'q'",
    ["m.eval()", "print('q', m(x))", "m.train()"],
  ],
  [
    "a condition that leaves the loop before it",
    "for i in range(3):\n    x = f(i)\n    if i == 1: #+\n        continue #+\n    print('q', x) #+\n",
    "'q'",
    ["if i == 1:", "print('q', x)"],
  ],
  [
    "a name that the run sets behind the loop before it reads it",
    "def f(): return [1, 2]\nfor i in range(3):\n    x = i * 2\n    a = i * 5 #+\n    print('q', a * 3 + x) #+\na = f()[0]\nprint('c', a + 1)\n",
    "'q'",
    ["a = i * 5", "print('q', a * 3 + x)"],
  ],
  [
    "a name that the run sets in a later loop before it reads it",
    "def f(): return [1, 2]\nfor i in range(3):\n    x = i * 2\n    a = i * 5 #+\n    print('q', a * 3 + x) #+\nfor i in range(2):\n    a, b = f()\n    print('c', a + i)\n",
    "'q'",
    ["a = i * 5", "print('q', a * 3 + x)"],
  ],
];

const TYPESCRIPT_ROWS: readonly Row[] = [
  [
    "a flag, and back",
    "for (const e of es) {\n  step(net);\n  net.training = false; //+\n  const c = net.forward(x); //+\n  console.log('q', c); //+\n  net.training = true; //+\n  console.log('r', e); //+\n}\n",
    "'q'",
    [
      "net.training = false;",
      "const c = net.forward(x);",
      "console.log('q', c);",
      "net.training = true;",
    ],
  ],
  [
    "a counter",
    "let n = 0; //+\nfor (const e of es) {\n  step(e);\n  n += 1; //+\n  console.log('q', n); //+\n}\n",
    "'q'",
    ["let n = 0;", "n += 1;", "console.log('q', n);"],
  ],
  [
    "a name of the run that nothing of it reads before it sets it",
    "function g(n) {\n  let s, _;\n  for (const i of x) {\n    [s, _] = f(i);\n    let t; //+\n    [t, _] = f(s); //+\n    console.log('q', t); //+\n    if (i % n === 0) h(s);\n  }\n}\n",
    "'q'",
    ["let t;", "[t, _] = f(s);", "console.log('q', t);"],
  ],
];

describe.each([
  ["a.py", ROWS],
  ["a.ts", TYPESCRIPT_ROWS],
] as const)("%s", (file, rows) => {
  test.each(rows)("%s", (_, text, asked, expected) => {
    const { edit, piece } = ask(file, text, asked);
    const lines = piece.statements.map(({ statement: { node } }) => {
      return edit.now.text.slice(node.start, node.end).split("\n")[0]?.trim();
    });
    expect(lines).toEqual(expected);
    expect(piece.intervention).toBeUndefined();
    const chosen = new Set(piece.statements.map(({ statement }) => statement));
    const others = edit.gaps.flatMap(({ added }) => added).filter((one) => !chosen.has(one));
    const wanted = others
      .map(({ node }) => edit.now.text.slice(node.start, node.end))
      .reduce((left, gone) => left.replace(gone, ""), edit.now.text);
    expect(said(keepPiece(edit, piece.statements)?.text)).toEqual(said(wanted));
  });
});

test("a result that is bound to a name is the same program with more to see", () => {
  const then = "for b in data:\n    clip(net, 1.0)\n    opt.step()\n";
  const now =
    "for b in data:\n    g = clip(net, 1.0)\n    print('q', g)\n    opt.step()\n    print('r', b)\n";
  const edit = between("a.py", then, now);
  const asked = (text: string): string | undefined => {
    const { statements, state } = pieceFor(edit, [now.indexOf(text)]);
    expect(state).toEqual([]);
    return keepPiece(edit, statements)?.text.replaceAll(/^ *\n/gm, "");
  };
  expect(asked("'q'")).toBe(now.replace("    print('r', b)\n", ""));
  expect(asked("'r'")).toBe(then + "    print('r', b)\n");
});

test.each([
  [
    "a.py",
    `import math
import random
class Net:
    rate: float = 0.5
    def step(self, x: int, y: int = 2) -> float:
        'Makes a step.'
        return (x + y) * self.rate
net = Net()
for epoch in range(3):
    print('loss', net.step(epoch), [1, 2])
`,
    `"""A training."""
import math
import random
import statistics


class Net:
    rate: float = 0.5

    def step(self, x, y=2):
        """
        Makes a step.
        """
        return (x + y) * self.rate


net = Net()
for epoch in range(3):
    print(
        "loss",
        (net.step(epoch)),
        [
            1,
            2,
        ],
    )
    print("q", statistics.mean([epoch, 1]))
`,
  ],
  [
    "a.ts",
    `import { a } from "node:path";
import b from "node:fs";
for (let i = 0; i < 3; i++) { console.log("loss", a(i)); }
`,
    `import { a } from 'node:path'
import b from 'node:fs'
import { join } from 'node:url'

for (let i = 0; i < 3; i++) {
  console.log(
    'loss',
    (a(i)),
  )
  console.log('q', join(i))
}
`,
  ],
])("%s laid out anew has only gained the question", (file, then, now) => {
  const edit = between(file, then, now);
  const { statements } = pieceFor(edit, [now.search(/["']q["']/)]);
  const text = keepPiece(edit, statements)?.text;
  expect(text).toMatch(/["']q["']/);
  expect(text).toMatch(/statistics|node:url/);
});

test.each([
  [EVALUATION, '"clean"', []],
  [GATHERED, '"mean"', []],
  [GATHERED, '"total"', ["total"]],
  [handing("model.register_forward_hook(lambda m, i, o: seen.append(o))"), '"q"', ["seen"]],
  [
    handing("def count(m):\n    seen.append(m)", "model.register_forward_hook(count)"),
    '"q"',
    ["seen"],
  ],
  [handing("hook = seen.append", "model.register_forward_hook(hook)"), '"q"', ["seen"]],
  [
    handing("own = opt.step", "def step():\n    seen.append(1)\n    own()", "opt.step = step"),
    '"q"',
    ["seen", "opt.step"],
  ],
  [handing("model.hooks.append(Watch(seen))"), '"q"', ["seen"]],
  [handing("model.hooks['watch'] = seen"), '"q"', ["seen", "model.hooks['watch']"]],
  [handing("first = seen[0]"), '"q"', []],
  [filling("prev = [0]", "for q in prev:\n        q.copy_(w)", "prev[0]"), '"q"', ["prev"]],
  [filling("acc = [0]", "torch.add(acc, w, out=acc)", "acc[0]"), '"q"', ["acc"]],
  [filling("seen = [0]\nkeep = seen.append", "keep(w)", "max(seen)"), '"q"', ["seen", "keep"]],
  [filling("u = 1", "w.by.update(e=2)", "w.by['e']"), '"q"', ["by", "w"]],
  [
    filling("def note(o):\n    o.by['e'] = 2", "note(w)", "w.by['e']"),
    '"q"',
    ["by", "o.by['e']", "w"],
  ],
  [
    filling("seen = []\ndef keep(v):\n    seen.append(v)", "keep(w)", "max(seen)"),
    '"q"',
    ["seen", "keep"],
  ],
  [filling("n = 0\ndef count():\n    global n\n    n += 1", "count()", "n"), '"q"', ["n", "count"]],
  [filling("a = b = [0]", "b[0] = max(b[0], w)", "a[0]"), '"q"', ["b"]],
  [
    filling("sums = [zeros()]", "for t in sums:\n        t += w", "sums[0]"),
    '"q"',
    ["`for t in sums:`"],
  ],
  [filling("put, get = counter()", "put(w)", "get()"), '"q"', ["put", "get"]],
  [
    filling(
      "def note(v, seen=[]):\n    seen.append(v)\n    return seen",
      "note(w)",
      "len(note(0))",
    ),
    '"q"',
    ["note"],
  ],
  [filling("meta = w.meta", "meta.update(e=2)", "w.meta['e']"), '"q"', ["meta", "w"]],
  [filling("out = StringIO()", "print(w, file=out)", "len(out.getvalue())"), '"q"', ["out"]],
  [
    filling("out = StringIO()", "with redirect_stdout(out):\n        print(w)", "out.tell()"),
    '"q"',
    ["out"],
  ],
  [filling("u = 1", "net.hist.append(w)", "w.hist[-1]"), '"q"', ["hist"]],
  [filling("probe = batch()", "w.eval()\n    w.train()", "w(probe)"), '"q"', []],
  [handing("seen.extend([1, 2])", "print('other', evaluate(seen))"), '"q"', []],
])("what a question gathers on the way %#", (text, asked, state) => {
  expect(ask("a.py", text, asked).piece.state).toEqual(state);
});

/** What was added to the head of an epoch, to its steps, and to its end. */
function inEpoch(head: string, step: string, shown: string): string {
  const added = (text: string, by: string): string =>
    `${by}${text} #+`.replaceAll("\n", ` #+\n${by}`);
  return `w = make()
for epoch in range(3):
${added(head, "    ")}
    for step in range(9):
        w = train(w)
${added(step, "        ")}
    print("q", ${shown}) #+
    print("w", w)
`;
}

test.each<[text: string, gathered: readonly string[], state: readonly string[]]>([
  [inEpoch("n = []", "n.append(w)", "sum(n)"), ["n"], []],
  [inEpoch("n = []", "v = w * 2\nn.append(v)", "sum(n)"), ["n"], []],
  [inEpoch("n = []\nkeep = n.append", "keep(w)", "sum(n)"), ["n", "keep"], []],
  [inEpoch("own = Random(3)", "own.random()", "own.random()"), ["own"], []],
  [inEpoch("if epoch == 0:\n    n = []", "n.append(w)", "sum(n)"), [], ["n"]],
  [inEpoch("with f() as g:\n    n = [g]", "n.append(w)", "sum(n)"), ["n"], []],
  [inEpoch("n = []", "n.append(w)\nw.seen = 1", "sum(n) + w.seen"), ["n"], ["seen", "w.seen", "w"]],
  [`kept = [] #+\n${inEpoch("n = kept", "n.append(w)", "sum(n)")}`, ["n"], ["kept", "n"]],
])("what begins anew in an epoch %#", (text, gathered, state) => {
  const { piece, edit } = ask("a.py", text, '"q"');
  expect(piece.state).toEqual(state);
  expect(piece.gathered.map(({ name }) => name).sort()).toEqual([...gathered].sort());
  for (const { within } of piece.gathered)
    expect(edit.now.text.slice(within.start)).toMatch(/^for epoch/);
});

test.each([
  "outer: for (let e = 0; e < 3; e++) {",
  "outer: for (const e of data) {",
  "a: b: while (e++ < 3) {",
  "for (let e = 0; e < 3; e++) {",
])("what is gathered in a loop with a label: %s", (head) => {
  const text = `let best = 0; //+\n${head}\n  best = Math.max(best, w); //+\n  console.log("q", best); //+\n  f(w);\n}\n`;
  expect(ask("a.ts", text, '"q"').piece.state).toEqual(["best"]);
});

test("nothing of what a changed line of the run had is given away by it", () => {
  const then = "for e in r:\n    for b in data:\n        f(b)\n";
  const now =
    "for e in r:\n    for i, b in enumerate(data):\n        f(b)\n        print('q', g(i))\n";
  expect(pieceFor(between("a.py", then, now), [now.indexOf("'q'")]).state).toEqual([]);
});

/** Statements of which texts are drawn, some nested. */
const PYTHON_STATEMENTS = fc.letrec<{ block: readonly string[]; statement: readonly string[] }>(
  (tie) => ({
    statement: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(["a = 1"], ["f(a)"], ["b = f(", "    a)"], ["a; b"]),
      },
      fc
        .tuple(fc.constantFrom("if a:", "for i in b:", "def g(x):", "with c:"), tie("block"))
        .map(([head, inside]) => [head, ...inside.map((line) => `    ${line}`)]),
    ),
    block: fc.array(tie("statement"), { minLength: 1, maxLength: 4 }).map((all) => all.flat()),
  }),
).block;

test("undoing everything gives what the older version says", () => {
  fc.assert(
    fc.property(PYTHON_STATEMENTS, PYTHON_STATEMENTS, (then, now) => {
      const edit = between("a.py", `${then.join("\n")}\n`, `${now.join("\n")}\n`);
      expect(keepPiece(edit, [])).toBeDefined();
    }),
  );
});

/** The lines that say something. */
function said(text: string | undefined): string[] {
  return (text ?? "").split("\n").filter((line) => line.trim() !== "");
}

function ask(file: string, text: string, asked: string): { edit: FileEdit; piece: FilePiece } {
  const then = text.split("\n").filter((line) => !/(?:#|\/\/)\+$/.test(line));
  const edit = between(file, then.join("\n"), text.replaceAll(/ *(?:#|\/\/)\+$/gm, ""));
  return { edit, piece: pieceFor(edit, [edit.now.text.indexOf(asked)]) };
}

function between(file: string, then: string, now: string): FileEdit {
  const versions = [parsed(file, then), parsed(file, now)];
  const [old, own] = versions.map((one): ParsedFile => one ?? fail());
  return editBetween(old ?? fail(), own ?? fail());
}

function fail(): never {
  throw new Error("it does not parse");
}

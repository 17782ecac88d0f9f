/**
 * The statements whose values may reach a log call, in both versions: where another one gives the value in the older
 * version, somebody is asked; where the same one does, whatever it says there, nobody is.
 */
import { beforeAll, expect, test } from "vitest";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const PY = "# A model\nw = 0.1\ndata = [1, 2]\nval = [3]";
const TS = "let w = 0.1;\nlet out;\nconst data = [1, 2];\nconst val = [3];";
const PY_TRAIN = ["for x in data:", "    loss = w * x", "    w -= loss"];
const TS_TRAIN = ["for (const x of data) {", "  out = w * x;", "  w -= out;", "}"];
const PY_SUM = ["total = 0.0", "for x in data:", "    w -= x", "    total += w * x"];
const TS_SUM = ["let sum = 0;", "for (const x of data) {", "  w -= x;", "  sum += w * x;", "}"];

/** The lines of a loop, in the older version and in the newer one. */
type Row = readonly [head: string, then: readonly string[], now: readonly string[]];

const q = (head: string, value: string): string =>
  head.startsWith("#") ? `print("q", ${value})  # asked` : `console.log("q", ${value}); // asked`;

const asked: Record<string, Row> = {
  "the older version assigns it in a loop of its own, in Python": [
    PY,
    [...PY_TRAIN, "vl = 0.0", "for x in val:", "    loss = w * x", "    vl += loss", "print(vl)"],
    [...PY_TRAIN, "vl = sum(w * x for x in val)", "print(vl)", q(PY, "loss")],
  ],
  "the same, in TypeScript": [
    TS,
    [
      ...TS_TRAIN,
      "let vl = 0;",
      "for (const x of val) {",
      "  out = w * x;",
      "  vl += out;",
      "}",
      "show(vl);",
    ],
    [...TS_TRAIN, "const vl = sum(val, w);", "show(vl);", q(TS, "out")],
  ],
  "a loop of its own became a function": [
    PY,
    [...PY_TRAIN, "vl = 0.0", "for x in val:", "    loss = w * x", "    vl += loss", "print(vl)"],
    [
      "def test(w):",
      "    vl = 0.0",
      "    for x in val:",
      "        vl += w * x",
      "    return vl",
      ...PY_TRAIN,
      "print(test(w))",
      q(PY, "loss"),
    ],
  ],
  "in a branch of the older version": [
    PY,
    [
      ...PY_SUM,
      "if epoch % 2 == 0:",
      "    total = 0.0",
      "    for x in val:",
      "        total += x",
      "print(w)",
    ],
    [...PY_SUM, "if epoch % 2 == 0:", "    print(play(w))", "print(w)", q(PY, "total")],
  ],
  "in a `try`": [
    PY,
    [...PY_TRAIN, "try:", "    loss = read(w)", "except OSError:", "    pass", "print(w)"],
    [...PY_TRAIN, "print(w)", q(PY, "loss")],
  ],
  "in a `switch`": [
    TS,
    [
      ...TS_TRAIN,
      "switch (epoch) {",
      "  case 1:",
      "    out = 0;",
      "    break;",
      "  default:",
      "}",
      "show(w);",
    ],
    [...TS_TRAIN, "show(w);", q(TS, "out")],
  ],
  "by what is handed over": [
    TS,
    [...TS_TRAIN, "val.forEach((x) => {", "  out = w * x;", "});", "show(w);"],
    [...TS_TRAIN, "show(w);", q(TS, "out")],
  ],
  "by a function of the file": [
    `${TS}\nfunction check(x) {\n  out = w * x;\n}`,
    [...TS_TRAIN, "check(1);", "show(w);"],
    [...TS_TRAIN, "show(w);", q(TS, "out")],
  ],
  "an attribute": [
    "# Settings\nimport nets\nargs = nets.args()",
    ["args.lr = 0.1", "fit(epoch)", "for k in range(3):", "    args.lr = k", "print(epoch)"],
    ["args.lr = 0.1", "fit(epoch)", "print(epoch)", q("#", "args.lr")],
  ],
  "the newer version has the loop that gives it, in Python": [
    PY,
    [...PY_SUM, 'print("loss", total)'],
    [
      ...PY_SUM,
      'print("loss", total)',
      "total = 0.0",
      "for x in val:",
      "    total += w * x",
      q(PY, "total"),
    ],
  ],
  "the same, in TypeScript, with another loop": [
    TS,
    [...TS_SUM, "show(sum);"],
    [
      ...TS_SUM,
      "show(sum);",
      "sum = 0;",
      "for (const x of val) {",
      "  sum += w * x;",
      "}",
      q(TS, "sum"),
    ],
  ],
  "the newer version adds to it": [
    PY,
    [...PY_SUM, "print(w)"],
    [...PY_SUM, "for x in val:", "    total += x", "print(w)", q(PY, "total")],
  ],
  "what gives it stands behind the place": [
    PY,
    ["print(epoch)", "show(epoch)", "for x in data:", "    w = w * x"],
    ["for x in data:", "    w = w * x", "print(epoch)", q(PY, "w"), "show(epoch)"],
  ],
  "the parameter of a function": [
    "# A function",
    [
      "def fit(rate):",
      "    for k in range(2):",
      "        rate = rate / 2",
      "    step(rate)",
      "    return rate",
    ],
    ["def fit(rate):", "    step(rate)", `    ${q("#", "rate")}`, "    return rate"],
  ],
};

test.each(Object.entries(asked))("somebody is asked: %s", (_, [head, then, now]) => {
  const { verdict, warnings } = landed({ then: loop(head, ...then), now: loop(head, ...now) });
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/\bline \d+\b/);
});

const TS_ERROR = ["  for (const x of rows) {", "    const err = w * x - 2 * x;"];
const TS_MOVE = ["    w -= lr * err;", "  }"];
const TS_ASKED = [...TS_ERROR, `    ${q(TS, "err")}`, ...TS_MOVE];
const TS_PLAIN = [...TS_ERROR, ...TS_MOVE];

/** Each value would be right, and some would be missing, or be of what the newer version does not log. */
const lessOften: Record<string, Row> = {
  "two loops became a function that is called twice": [
    TS,
    [
      "for (const x of data) {",
      "  const err = w * x - 2 * x;",
      "  w -= 0.6 * err;",
      "}",
      "for (const x of data) {",
      "  const err = w * x - 2 * x;",
      "  w -= 0.1 * err;",
      "}",
    ],
    [
      "function train(lr) {",
      "  for (const x of data) {",
      "    const err = w * x - 2 * x;",
      "    w -= lr * err;",
      `    ${q(TS, "err")}`,
      "  }",
      "}",
      "train(0.6);",
      "train(0.1);",
    ],
  ],
  "a function became two arrow functions": [
    TS,
    ["function run(rows, lr) {", ...TS_PLAIN, "}", "run(data, 0.1);", "run(val, 0);"],
    [
      "const train = (rows, lr) => {",
      ...TS_ASKED,
      "};",
      "const test = (rows, lr) => {",
      ...TS_PLAIN,
      "};",
      "train(data, 0.1);",
      "test(val, 0);",
    ],
  ],
  "two arrow functions became one": [
    TS,
    [
      "const train = (rows, lr) => {",
      ...TS_PLAIN,
      "};",
      "const test = (rows, lr) => {",
      ...TS_PLAIN,
      "};",
      "train(data, 0.1);",
      "test(val, 0);",
    ],
    ["const run = (rows, lr) => {", ...TS_ASKED, "};", "run(data, 0.1);", "run(val, 0);"],
  ],
  "one of two functions is called for both": [
    PY,
    [
      "def train(rows):",
      "    for x in rows:",
      "        e = w * x - 2 * x",
      "        w -= e",
      "def test(rows):",
      "    for x in rows:",
      "        e = w * x - 2 * x",
      "        w -= e",
      "train(data)",
      "test(val)",
    ],
    [
      "def train(rows):",
      "    for x in rows:",
      "        e = w * x - 2 * x",
      `        ${q(PY, "e")}`,
      "        w -= e",
      "train(data)",
      "train(val)",
    ],
  ],
  "a method moved into the class that both extend": [
    "# Steps\nw = 0.1",
    [
      "class Sgd:",
      "    def step(self, w):",
      "        n = abs(w - 1)",
      "        return w - 0.2 * (w - 1)",
      "class Normed:",
      "    def step(self, w):",
      "        n = abs(w - 1)",
      "        return w - 0.1 * (w - 1) / (n + 1)",
      "w = run((Sgd(), Normed()), w)",
    ],
    [
      "class Optimizer:",
      "    def step(self, w):",
      "        n = abs(w - 1)",
      `        ${q("#", "n")}`,
      "        return w - self.scale(n) * (w - 1)",
      "class Sgd(Optimizer):",
      "    def scale(self, n):",
      "        return 0.2",
      "class Normed(Optimizer):",
      "    def scale(self, n):",
      "        return 0.1 / (n + 1)",
      "w = run((Sgd(), Normed()), w)",
    ],
  ],
  "what it stands beside is executed under a condition": [
    PY,
    [
      "for x in data:",
      "    e = w * x - 2 * x",
      "    if training:",
      "        w -= 0.5 * e * x",
      "    total += e * e",
    ],
    [
      "for x in data:",
      "    e = w * x - 2 * x",
      "    w -= 0.5 * e * x",
      `    ${q(PY, "e")}`,
      "    total += e * e",
    ],
  ],
  "the loop is left before it": [
    PY,
    [
      "while True:",
      "    s += 1 if epoch else -1",
      "    r = 1.0 if s == 4 else 0.0",
      "    if s in (0, 4):",
      "        break",
      "    v = s * 2",
    ],
    [
      "done = False",
      "while not done:",
      "    s += 1 if epoch else -1",
      "    r = 1.0 if s == 4 else 0.0",
      "    done = s in (0, 4)",
      `    ${q(PY, "r")}`,
      "    v = s * 2",
    ],
  ],
  "what is left over has its own copy": [
    TS,
    [
      "let batch = [];",
      "for (const x of data) {",
      "  batch.push(x);",
      "  if (batch.length === 2) {",
      "    const loss = sum(batch, (v) => (w * v - v) ** 2);",
      "    w += 0.1 * loss;",
      "    batch = [];",
      "  }",
      "}",
      "if (batch.length > 0) {",
      "  const loss = sum(batch, (v) => (w * v - v) ** 2);",
      "  w += 0.1 * loss;",
      "}",
      "show(w);",
    ],
    [
      "for (let i = 0; i < data.length; i += 2) {",
      "  const batch = data.slice(i, i + 2);",
      "  const loss = sum(batch, (v) => (w * v - v) ** 2);",
      "  w += 0.1 * loss;",
      `  ${q(TS, "loss")}`,
      "}",
      "show(w);",
    ],
  ],
};

test.each(Object.entries(lessOften))("somebody is asked: %s", (_, [head, then, now]) => {
  const { verdict } = landed({ then: loop(head, ...then), now: loop(head, ...now) });
  expect(verdict).toBe("review");
});

const answered: Record<string, Row> = {
  "a function more does the same": [
    TS,
    ["function train(rows, lr) {", ...TS_PLAIN, "}", "train(data, 0.1);"],
    [
      "const train = (rows, lr) => {",
      ...TS_ASKED,
      "};",
      "const test = (rows, lr) => {",
      ...TS_PLAIN,
      "};",
      "train(data, 0.1);",
      "test(val, 0);",
    ],
  ],
  "a loop more is around all of it": [
    PY,
    ["for x in data:", "    e = w * x", "    w -= e", "print(w)"],
    [
      "for seed in (1, 2):",
      "    for x in data:",
      "        e = w * x",
      "        w -= e",
      `        ${q(PY, "e")}`,
      "print(w)",
    ],
  ],
  "the loop is left before it in both": [
    PY,
    ["for x in data:", "    e = w * x", "    if e > 9:", "        break", "    w -= e"],
    [
      "for x in data:",
      "    e = w * x",
      "    if e > 8:",
      "        break",
      `    ${q(PY, "e")}`,
      "    w -= e",
    ],
  ],
  "all of it is executed under a condition": [
    PY,
    ["if training:", "    for x in data:", "        e = w * x", "        w -= e"],
    ["for x in data:", "    e = w * x", `    ${q(PY, "e")}`, "    w -= e"],
  ],
  "what gives it says something else": [
    PY,
    ["for x in data:", "    loss = w * x * x", "    w -= loss", "print(w)"],
    [...PY_TRAIN, "print(w)", q(PY, "loss")],
  ],
  "a loop of its own that gives another name": [
    PY,
    [...PY_TRAIN, "for x in val:", "    other = w * x", "print(w)"],
    [...PY_TRAIN, "print(w)", q(PY, "loss")],
  ],
  "a loop of its own behind the place": [
    TS,
    [...TS_TRAIN, "show(w);", "for (const x of val) {", "  out = w * x;", "}"],
    [...TS_TRAIN, q(TS, "out"), "show(w);"],
  ],
  "a loop of its own before what gives it": [
    PY,
    ["for x in val:", "    loss = w * x", "print(epoch)", ...PY_TRAIN, "loss = w", "print(w)"],
    ["print(epoch)", ...PY_TRAIN, "loss = w", "print(w)", q(PY, "loss")],
  ],
  "the newer loop gives another name": [
    TS,
    [...TS_SUM, "show(sum);"],
    [
      ...TS_SUM,
      "show(sum);",
      "let other = 0;",
      "for (const x of val) {",
      "  other += x;",
      "}",
      q(TS, "sum"),
    ],
  ],
  "it is given in two branches there": [
    PY,
    [
      "if epoch > 1:",
      "    loss = fit(epoch)",
      "else:",
      "    loss = 0",
      "report(epoch)",
      "save(epoch)",
    ],
    ["loss = fit(epoch)", "report(epoch)", q(PY, "loss"), "save(epoch)"],
  ],
  "a function with a variable of that name": [
    PY,
    ["def test(v):", "    loss = v * 2", "    return loss", ...PY_TRAIN, "print(test(w))"],
    ["def test(v):", "    return v * 2", ...PY_TRAIN, "print(test(w))", q(PY, "loss")],
  ],
  "what gives it lies between gaps that are as good": [
    PY,
    ["fit(epoch)", "print(epoch)", "for x in data:", "    w = w * x", "show(epoch)"],
    ["fit(epoch)", "for x in data:", "    w = w * x", "print(epoch)", q(PY, "w"), "show(epoch)"],
  ],
  "it is given to a function that changes what else it is given": [
    PY,
    ["best = fit(epoch)", "for x in data:", "    data[0] = best * x", "print(w)"],
    [
      "def train(best, rows):",
      "    for x in rows:",
      "        rows[0] = best * x",
      "best = fit(epoch)",
      "train(best, data)",
      "print(w)",
      q(PY, "best"),
    ],
  ],
  "both versions have both loops": [
    PY,
    [...PY_TRAIN, "for x in val:", "    loss = w * x", "print(w)"],
    [...PY_TRAIN, "for x in val:", "    loss = w * x", "print(w)", q(PY, "loss")],
  ],
  "its method is called on what is made of it": [
    PY,
    ["loss = fit(epoch)", "loss.backward()", "w += loss.item()"],
    ["loss = fit(epoch)", "(loss / 2).backward()", "w += loss.item()", q(PY, "loss.item()")],
  ],
  "gradients are cleared elsewhere": [
    PY,
    ["opt.zero_grad()", "loss = data.fit(epoch)", "loss.backward()", "opt.step()", "w += 1"],
    [
      "loss = data.fit(epoch)",
      "loss.backward()",
      "opt.step()",
      q(PY, "data.weight, loss.item()"),
      "opt.zero_grad()",
      "w += 1",
    ],
  ],
  "both versions have both loops, in TypeScript": [
    TS,
    [...TS_TRAIN, "for (const x of val) {", "  out = w * x;", "}", "show(w);"],
    [...TS_TRAIN, "for (const x of val) {", "  out = w * x;", "}", "show(w, epoch);", q(TS, "out")],
  ],
};

test.each(Object.entries(answered))("nobody is asked: %s", (_, [head, then, now]) => {
  const { verdict, warnings } = landed({ then: loop(head, ...then), now: loop(head, ...now) });
  expect(verdict, warnings.map(({ text }) => text).join()).toMatch(/^(?:exact|moved)$/);
});

/** Two statements that changed places are asked about only if one has to do with what the other one changes. */
import { beforeAll, expect, test } from "vitest";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** What both versions begin with, two statements that changed places, and what is shown behind them. */
type Row = readonly [head: string, one: string, other: string, shown: string];

const NET = "# A net\nimport nets\nnet = nets.Net()\n";
const TS_NET = "const net = new Net();\n";

function verdictOf([head, one, other, shown]: Row): { verdict: string; texts: string } {
  const [log, last] = head.startsWith("#")
    ? [`print("q", ${shown})  # asked`, 'print("e", epoch)']
    : [`console.log("q", ${shown}); // asked`, 'console.log("e", epoch);'];
  const { verdict, warnings } = landed({
    then: loop(head, one, other, last),
    now: loop(head, other, one, log, last),
  });
  return { verdict, texts: warnings.map(({ text }) => text).join() };
}

const APART: { readonly [about: string]: Row } = {
  "two variables": [
    "# A\nw = 0.0\nb = 0.0\ng = 1.0",
    "w = w - 0.1 * g",
    "b = b - 0.1 * g",
    "w + b",
  ],
  "two variables that are counted up": [
    "# A\nimport nets\nn = 0\ntotal = 0.0\nloss = nets.loss()",
    "n += 1",
    "total += loss",
    "total / n",
  ],
  "two variables, in TypeScript": [
    "let w = 0;\nlet b = 0;\nlet g = 1;",
    "w -= 0.1 * g;",
    "b = b - g;",
    "w + b",
  ],
  "a list of losses, and a net": [
    `${NET}losses = []\nloss = 0.0`,
    "losses.append(loss)",
    "net.step()",
    "net.norm()",
  ],
  "two lists": ["# A\na = []\nb = []", "a.append(epoch)", "b.append(epoch)", "a[-1] + b[-1]"],
  "a list of losses, in TypeScript": [
    `${TS_NET}const losses: number[] = [];\nlet loss = 0;`,
    "losses.push(loss);",
    "net.step();",
    "net.norm()",
  ],
};

test.each(Object.entries(APART))("they do the same in either order: %s", (_, row) => {
  const { verdict, texts } = verdictOf(row);
  expect(texts).not.toContain("in another order");
  expect(verdict).not.toBe("review");
});

const TOGETHER: { readonly [about: string]: Row } = {
  "one reads what the other one gives": [
    "# A\nw = 0.0\nb = 0.0",
    "w = w - 0.1 * b",
    "b = b - 0.1",
    "w + b",
  ],
  "one object by two names": [
    "# A\nimport nets\nw = nets.zeros(4)\nv = w.view(2)",
    "w -= 0.1",
    "n = v * 2",
    "w[0] * n",
  ],
  "parts of one object": [
    `${NET}w = net.first\nb = net.last`,
    "w -= 0.1 * epoch",
    "b *= 0.9",
    "w + b",
  ],
  "parts of a list": [
    "# A\nw = [0.0, 0.0]\ni = 1\nj = 1",
    "w[i] = w[i] + 1",
    "w[j] = w[j] * 2",
    "w[0]",
  ],
  "a function of the file that reads it": [
    "# A\nw = 0.0\nn = 1\ndef f():\n    return w * 2",
    "w = w + 1",
    "n = f()",
    "w * n",
  ],
  "what is put into the list is computed of what the other one changes": [
    `${NET}losses = []`,
    "losses.append(net.k)",
    "net.step()",
    "losses[-1]",
  ],
  "a name that the other one gives": [
    `${NET}losses = []\nloss = 0.0`,
    "losses.append(loss)",
    "loss = net.step()",
    "losses[-1]",
  ],
  "a list that somebody else holds": [
    `${NET}losses = []\nloss = 0.0\nnet.keep(losses)`,
    "losses.append(loss)",
    "net.step()",
    "net.norm()",
  ],
  "a list by another name": [
    `${NET}losses = []\nother = losses\nloss = 0.0`,
    "losses.append(loss)",
    "net.step(other)",
    "net.norm()",
  ],
  "a list that a function reads": [
    `${NET}losses = []\nloss = 0.0\ndef step():\n    net.step(losses)`,
    "losses.append(loss)",
    "step()",
    "net.norm()",
  ],
  "a list in a closure, in TypeScript": [
    `${TS_NET}const losses: number[] = [];\nlet loss = 0;\nnet.on(() => losses.length);`,
    "losses.push(loss);",
    "net.step();",
    "net.norm()",
  ],
  "a value that a function gives": [
    `${NET}losses = []\nloss = 0.0\ndef step():\n    global loss\n    loss = net.step()`,
    "losses.append(loss)",
    "step()",
    "net.norm() + losses[-1]",
  ],
  "a list of which the method has another name": [
    `${NET}losses = []\nloss = 0.0\nadd = losses.append`,
    "losses.append(loss)",
    "net.step(add)",
    "net.norm()",
  ],
};

test.each(Object.entries(TOGETHER))("they may do something else: %s", (_, row) => {
  const { verdict, texts } = verdictOf(row);
  expect(verdict).toBe("review");
  expect(texts).toMatch(/line \d+/);
});

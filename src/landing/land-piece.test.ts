/** Questions of several statements in an older version: where they belong, and whether that is certain. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../test/support/parsed.ts";
import { prepareLanguages } from "../languages/index.ts";
import { editBetween } from "./edits/align.ts";
import { recognitionBetween } from "./edits/recognise.ts";
import { landPiece } from "./land-piece.ts";

beforeAll(() => prepareLanguages(["a.py"]));

const QUESTION = `    net.eval()
    clean = net.forward(x)
    net.train()
    print("ask", clean)
`;

const program = (behind: string): string => `import nets
net = nets.Net()
for epoch in range(4):
    x = nets.batch(epoch)
    net.fit(x)
    net.bias[1] = nets.mix(net.bias[1], x)
${behind}`;

test.each([
  ["what it reads stays", "    spare = nets.mix(x, 7)\n", "moved"],
  ["close by what it reads is changed", "    net.k = nets.mix(net.k, 7)\n", "review"],
])("by one neighbour: %s", (_, then, verdict) => {
  // What gives it another value there may be what stands behind it here.
  const now = "    low, _ = divmod(x, 2)\n    net.j = [low]\n";
  expect(landing(program(then), program(QUESTION + now), QUESTION)).toMatchObject({ verdict });
});

const spoiled = (lines: string): string => `import nets
net = nets.Net()
for epoch in range(4):
    total = nets.fit(net)
${lines}    print("loss", total)
`;

test.each([
  ["a definition", "    root = total**0.5\n"],
  ["a condition", "    root = 0\n    if total > 3:\n        root = 1\n"],
  ["a loop", "    root = 0\n    for _ in range(int(total)):\n        root += 1\n"],
  ["a call", "    root = []\n    root.append(total)\n"],
])("only the older version changes what %s reads", (_, lines) => {
  const question = `${lines}    print("root", root)\n`;
  const divided = "    total = total / 6\n";
  const landed = landing(spoiled(divided), spoiled(question), question);
  expect(landed).toMatchObject({ verdict: "review", text: spoiled(divided + question) });
});

test("what several statements read, and one line changes, is said once", () => {
  const question = '    root = total**0.5\n    root += total\n    print("root", root / total)\n';
  const landed = landing(
    spoiled("    total /= 6; nets.keep(total)\n"),
    spoiled(question),
    question,
  );
  const said = "warnings" in landed ? landed.warnings.map(({ text }) => text) : [];
  expect(said.filter((text) => /line 5/.test(text))).toHaveLength(1);
});

const trained = (lines: string): string => `import nets
import torch
net = nets.Net()
opt = nets.Optimizer(net)
for epoch in range(4):
    loss = nets.loss(net)
    net.grad = nets.slope(loss)
${lines}    nets.advance(net)
    print("loss", loss)
`;

test.each([
  ["a function that gets the object", "    nets.clip(net, 0.5)\n", "review"],
  ["a method of another object", "    opt.clip(0.5)\n", "review"],
  ["torch", "    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n", "review"],
  [
    "torch, its result kept",
    "    n = torch.nn.utils.clip_grad_norm_(net.parameters())\n",
    "review",
  ],
  ["under a condition", "    if epoch > 2:\n        nets.clip(net, 0.5)\n", "review"],
  ["nothing is called", "    spare = epoch + 1\n", "moved"],
  ["only a log", '    print("epoch", epoch)\n', "moved"],
])("only the older version calls what may change what it reads: %s", (_, then, verdict) => {
  const read = [
    "    norm = sum(p.grad.norm() for p in net.parameters())\n",
    "    norm = nets.norm(net.grad)\n",
    "    norm = 0\n    for p in net.grad:\n        norm += p * p\n",
  ];
  for (const lines of read) {
    const question = `${lines}    print("norm", norm)\n`;
    expect(landing(trained(then), trained(question), question), lines).toMatchObject({ verdict });
  }
});

test.each([
  ["what it needs is made by the line before it", "    opt.step()\n", "moved"],
  ["what was made is handed over", "    nets.scale(loss)\n", "review"],
  ["what it defines reads nothing", "    nets.scale(loss)\n", "moved", "    k = 3\n"],
])("behind what makes its values: %s", (_, then, verdict, lines = "    k = loss.mean * 2\n") => {
  const program = (inner: string): string => `import nets
net = nets.Net()
opt = nets.Optimizer(net)
for epoch in range(4):
    loss = nets.loss(net)
${inner}    nets.advance(net)
    print("loss", loss)
`;
  const question = `${lines}    print("k", k)\n`;
  expect(landing(program(then), program(question), question)).toMatchObject({ verdict });
});

test.each([
  ["gives another name its value", "prob", "review"],
  ["is as it was", "out", "exact"],
])("what gives it its value last %s", (_, name, verdict) => {
  const program = (last: string, question = ""): string => `import nets
for epoch in range(4):
    x = nets.batch(epoch)
    out = x * 3
    y = out - 1
    ${last} = y * y / 2
    loss = ${last} + x
${question}    print("loss", loss)
`;
  const question = '    o = out * 1.0\n    print("o", o)\n';
  const landed = landing(program(name), program("out", question), question);
  expect(landed).toMatchObject({ verdict });
});

const weighed = (...lines: readonly string[]): string =>
  ["import nets", "m = nets.Model()", "for step in range(6):", "    x = nets.batch(step)"]
    .concat(lines.map((line) => `    ${line}`))
    .join("\n")
    .concat("\n");

test.each([
  ["a call for its effect became one for its result", "normalise(y)", "z = normalise(y)", "review"],
  ["the other way round", "z = normalise(y)", "normalise(y)", "review"],
  ["what it is given is not read", "normalise(x)", "z = normalise(x)", "moved"],
  ["both keep the result", "v = normalise(y)", "z = normalise(y)", "moved"],
])("a neighbour that changes what it is given in one version only: %s", (_, old, own, verdict) => {
  const question = '    k = y[0] * 2\n    print("k", k)\n';
  const now = weighed("y = list(x)", own, "k = y[0] * 2", 'print("k", k)', "m.update(x, y)");
  const then = weighed("y = list(x)", old, "m.update(x, y)");
  expect(landing(then, now, question)).toMatchObject({ verdict });
});

test("only the newer version changes what it reads directly before it", () => {
  const question = '    k = m.w * 2\n    print("k", k)\n';
  const now = weighed("a = x * 2", "m.update(x)", "k = m.w * 2", 'print("k", k)', "b = m.score()");
  const then = weighed("a = x * 2", "b = m.score(x)");
  expect(landing(then, now, question)).toMatchObject({ verdict: "review" });
});

test("something stands between it and what it follows in the newer version", () => {
  const question = '    k = m.w * 2\n    print("k", k)\n';
  const now = weighed(
    "g.fit()",
    "m.fit()",
    "k = m.w * 2",
    'print("k", k)',
    "if step:",
    "    x = 1",
  );
  const then = weighed("m.fit()", "g.fit()", "if step:", "    x = 1");
  expect(landing(then, now, question)).toMatchObject({ verdict: "review" });
});

test("what changes what it reads has moved to the other side of a neighbour", () => {
  const question = '    k = m.w * 2\n    print("k", k)\n';
  const now = weighed("a = x * 2", "k = m.w * 2", 'print("k", k)', "m.update(x)", "b = m.score()");
  const then = weighed("m.update(x)", "a = x * 2", "b = m.score()");
  const landed = landing(then, now, question);
  const asked = weighed(
    "k = m.w * 2",
    'print("k", k)',
    "m.update(x)",
    "a = x * 2",
    "b = m.score()",
  );
  expect(landed).toMatchObject({ text: asked });
});

test("a script that has become a function", () => {
  const inner = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ");
  const then = program('    print("x", x)\n');
  const body = program(`${QUESTION}    print("x", x)\n`).replace("import nets\n", "");
  const now = `import nets\ndef main():\n${inner(body)}main()\n`;
  const landed = landing(then, now, inner(QUESTION));
  expect(landed).toMatchObject({ text: program(`${QUESTION}    print("x", x)\n`) });
});

/** The lines of a question, landed in an older text. */
function landing(then: string, now: string, question: string): ReturnType<typeof landPiece> {
  const old = parsed("a.py", then);
  const own = parsed("a.py", now);
  if (!old || !own) throw new Error("it does not parse");
  const from = now.indexOf(question);
  const starts = new Set(
    own.statements
      .map(({ node }) => node.start)
      .filter((start) => from <= start && start < from + question.length),
  );
  return landPiece({
    edit: editBetween(old, own, recognitionBetween(old, own, { handsFree: true })),
    starts,
    files: {
      now: { file: "a.py", text: () => own.text },
      then: { files: ["a.py"], text: () => old.text },
    },
    mode: { handsFree: true },
  });
}

/**
 * A part of a question that somebody puts elsewhere goes there as a whole; where the log call is put in
 * without the rest, nothing is promised. The truth is the older program with the part in that place.
 */
import { expect, test } from "vitest";
import { hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { History } from "../versions/history.ts";

const PROGRAMS = [
  {
    file: "train.py",
    program: ({ start = "", behind = "", last = "" }) => `import random
class Net:
    def __init__(self): self.w, self.on = 1.0, True
    def train(self): self.on = True
    def eval(self): self.on = False
    def __call__(self, x):
        return self.w * x + (random.random() if self.on else 0.0)
net = Net()
def clip(m):
    m.w *= 0.9
for epoch in range(4):
${start}    for step in range(3):
        net.w -= 0.01 * net(1.0)
${behind}    net.w += 0.001
${last}    print("loss", net.w)
`,
    old: "    clip(net)\n",
    start: "    seen = []\n    seen.append(net.w)\n",
    part: '    net.eval()\n    clean = net(2.0) + sum(seen)\n    net.train()\n    print("clean", clean)\n',
    written: 'print("clean", net(2.0))',
  },
  {
    file: "train.mjs",
    program: ({ start = "", behind = "", last = "" }) => `class Net {
  w = 1;
  on = true;
  train() { this.on = true; }
  eval() { this.on = false; }
  ask(x) { return this.w * x + (this.on ? Math.random() : 0); }
}
const net = new Net();
function clip(m) { m.w *= 0.9; }
for (let epoch = 0; epoch < 4; epoch++) {
${start}  for (let step = 0; step < 3; step++) net.w -= 0.01 * net.ask(1);
${behind}  net.w += 0.001;
${last}  console.log("loss", net.w);
}
`,
    old: "  clip(net);\n",
    start: "  const seen = [];\n  seen.push(net.w);\n",
    part: '  net.eval();\n  const clean = net.ask(2) + seen[0];\n  net.train();\n  console.log("clean", clean);\n',
    written: 'console.log("clean", net.ask(2));',
  },
];

test.each(PROGRAMS)("$file", needs("python"), async (one) => {
  const { file, program, old, start, part, written } = one;
  using truth = new History();
  await truth.record({
    files: { [file]: program({ start, behind: old, last: part }) },
    program: file,
  });
  using history = new History();
  await history.record({ files: { [file]: program({ behind: old }) }, program: file });
  await history.record({ files: { [file]: program({}) }, program: file });
  history.put({ [file]: program({ start, behind: part }) });
  const [oldest = ""] = history.names;
  const line =
    program({ behind: old })
      .split("\n")
      .findIndex((text) => /"loss"/.test(text)) + 1;
  const decide = ["where", "clean", oldest, "--at", String(line)];

  expect((await history.afterlog(...decide)).stdout).toContain("eval()");
  expect((await history.afterlog("replay", "clean", "--yes")).code).toBe(0);
  const own = await hindsight(history, ["clean"], oldest);
  expect(own.map(({ value }) => Number(value))).toEqual(truth.logged("clean").map(Number));
  expect([...new Set(own.map(({ check }) => check))]).toEqual(["verified"]);

  // As it is written there it is the call alone.
  expect((await history.afterlog(...decide, "--edit", written)).code).toBe(0);
  expect((await history.afterlog("replay", "clean", "--yes")).code).toBe(0);
  const alone = await hindsight(history, ["clean"], oldest);
  expect([...new Set(alone.slice(-4).map(({ check }) => check))]).toEqual(["unchecked"]);
  expect((await history.afterlog("where", "clean", oldest, "--at", "99")).code).toBe(1);
});

test.each(PROGRAMS)("$file: what only a version between logs", needs("python"), async (one) => {
  const { file, program, start, part } = one;
  const plain = { files: { [file]: program({}) }, program: file };
  const asked = { files: { [file]: program({ start, behind: part }) }, program: file };
  using history = new History();
  await history.record(plain);
  await history.record(asked);
  await history.record({ ...plain, files: { [file]: `${program({})}\n` } });
  expect((await history.afterlog("replay", "clean", "--yes")).code).toBe(0);
  const [oldest, truth, newest] = await history.values("clean");
  expect(truth).toHaveLength(4);
  expect([oldest, newest]).toEqual([truth, truth]);
  const marks = (await hindsight(history, ["clean"])).map(({ check }) => check);
  expect([...new Set(marks)]).toEqual(["verified"]);
});

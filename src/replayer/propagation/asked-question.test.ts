/**
 * Where more of a program changed since its newest run, the question is what was added besides: it lands as if what
 * changed had been recorded before. `#+` marks what was added to ask.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { after, before } from "../../../test/questions/programs.ts";
import { analyzeProgram, prepareLanguages } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";
import { Questions } from "./asked-question.ts";
import type { Landed } from "./landed-source.ts";
import { landInVersion } from "./landed-source.ts";
import { Decisions } from "./landing-decisions.ts";
import { pieceIn } from "./pieces.ts";
import { WorkingTree } from "./working-tree.ts";

beforeAll(() => prepareLanguages(["train.py", "train.ts"]));

const MODE = { handsFree: true };

/** Of the older version, with the question of the working tree in it; `recorded`: a newer one without the question was. */
function landedIn(then: string, now: string, recorded: boolean): Landed {
  const file = /^(?:let|const) /.test(then) ? "train.ts" : "train.py";
  const root = mkdtempSync(join(tmpdir(), "afterlog-asked-"));
  try {
    writeFileSync(join(root, file), after({ file, text: now }));
    const tree = new WorkingTree({ root } as Project, [], MODE);
    const model = analyzeProgram(file, tree.text, MODE);
    const piece = pieceIn({ program: file, version: null, model, text: tree.text }, "q");
    const tools = { tree, decisions: new Decisions([]), questions: new Questions() };
    const texts = [...(recorded ? [before({ file, text: now })] : []), then];
    const landed = texts.map((text) => {
      const read = (name: string): string | undefined => (name === file ? text : undefined);
      return landInVersion(
        { program: file, mode: MODE, files: [file], sources: [file], before: read },
        [{ name: "q", pieces: piece ? [piece] : [] }],
        { ...tools, isRenamed: false, onlyStatement: false },
      );
    });
    return landed.at(-1) ?? { kind: "refused", why: "", names: [] };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const said = (landed: Landed): string =>
  landed.kind === "refused" ? landed.why : `${landed.verdict}: ${landed.names[0]?.why ?? ""}`;

const THEN = `import random
data = [random.random() for _ in range(8)]
def cost(w, x):
    return (w - x) ** 2
w = 0.0
for epoch in range(3):
    total = 0.0
    for x in data:
        total += cost(w, x)
        w = w - 0.1 * (w - x)
    print("loss", total)
`;
const SCRIPT = `const data = [1, 2, 3];
let w = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  for (const x of data) {
    const g = w - x;
    w -= 0.1 * g;
  }
  console.log("w", w);
}
`;
const ASK = '    print("loss", total)\n';

/** Of the older text to the newer one: each of these, by another. */
const edited = (text: string, ...edits: readonly (readonly [string, string])[]): string =>
  edits.reduce((all, [old, own]) => all.replaceAll(old, own), text);

const LANDS: { readonly [about: string]: readonly [then: string, now: string] } = {
  "a number that got a name": [
    THEN,
    edited(
      THEN,
      ["def cost", "EPOCHS = 5\ndef cost"],
      ["range(3)", "range(EPOCHS)"],
      [ASK, `    print("q", epoch / 2) #+\n${ASK}`],
    ),
  ],
  "a function with another name, and what it is called with": [
    THEN,
    edited(
      THEN,
      ["cost", "loss_of"],
      ["data", "samples"],
      [ASK, `    worst = max(loss_of(w, x) for x in samples) #+\n    print("q", worst) #+\n${ASK}`],
    ),
  ],
  "a function that a changed line calls": [
    THEN,
    edited(
      THEN,
      ["w = 0.0", "def step(w, x, lr):\n    return w - lr * (w - x)\nLR = 0.1\nw = 0.0"],
      ["w - 0.1 * (w - x)", "step(w, x, LR)"],
      [ASK, `    size = abs(w) #+\n    print("q", size) #+\n${ASK}`],
    ),
  ],
  "a list in the place of numbers": [
    THEN,
    edited(
      THEN,
      ["w = 0.0", "weights = [0.0]"],
      ["w = w -", "weights[0] -="],
      [" 0.1 * (w - x)", " 0.1 * (weights[0] - x)"],
      ["+= cost(w, x)", "+= cost(weights[0], x)"],
      [ASK, `    print("q", total / len(data)) #+\n${ASK}`],
    ),
  ],
  "a function of the question that uses a new number": [
    THEN,
    edited(
      THEN,
      ["data =", "SIZE = 8\ndata ="],
      ["range(8)", "range(SIZE)"],
      ["w = 0.0", "def mean(w): #+\n    return sum(cost(w, x) for x in data) / SIZE #+\nw = 0.0"],
      [ASK, `    print("q", mean(w)) #+\n${ASK}`],
    ),
  ],
  "lines that became a function, and what is asked in it": [
    THEN,
    edited(
      THEN,
      [
        "w = 0.0\n",
        'def fit(w, data, lr):\n    for x in data:\n        w = w - 0.1 * (w - x)\n        print("q", w) #+\n    return w\nw = 0.0\n',
      ],
      ["        w = w - 0.1 * (w - x)\n    print", "    w = fit(w, data, 0.1)\n    print"],
    ),
  ],
  "a program that became a function": [
    THEN,
    edited(THEN, [ASK, `    mean = total / len(data) #+\n    print("q", mean) #+\n${ASK}`])
      .replace("import random\n", "def main(epochs):\n    import random\n")
      .replaceAll(/\n(?=\w|  )(?!def main|    import)/g, "\n    ")
      .replace("range(3)", "range(epochs)") + "main(3)\n",
  ],
  "other data": [
    THEN,
    edited(
      THEN,
      ["def cost", "class Data:\n    rows = [0.5, 0.2]\ndef cost"],
      ["[random.random() for _ in range(8)]", "Data().rows"],
      [ASK, `    print("q", data[0]) #+\n${ASK}`],
    )
      .replace(/data = .*\n/, "")
      .replace("def cost", "data = Data().rows\ndef cost"),
  ],
  "names and numbers, in TypeScript": [
    SCRIPT,
    edited(
      SCRIPT,
      ["data", "samples"],
      ["let w = 0;", "const weights = [0];"],
      ["w -= 0.1", "weights[0] -= 0.2"],
      ["w - x", "weights[0] - x"],
      [
        '  console.log("w", w);',
        '  const first = samples[0] * 2; //+\n  console.log("q", first, epoch); //+\n  console.log("w", weights[0]);',
      ],
    ),
  ],
};

test.each(Object.entries(LANDS))("%s: it lands as if that had been recorded", (_, [then, now]) => {
  const [own, recorded] = [landedIn(then, now, false), landedIn(then, now, true)];
  expect(said(own)).toMatch(/^(?:exact|moved): /);
  expect(said(own)).toBe(said(recorded));
  if (own.kind === "refused" || recorded.kind === "refused") return;
  for (const { file, text } of recorded.overlays) {
    const there = own.overlays.find((one) => one.file === file)?.text;
    expect(there).toBe(text);
  }
});

const REFUSED: { readonly [about: string]: readonly [then: string, now: string, says: RegExp] } = {
  "an intervention": [
    THEN,
    edited(
      THEN,
      ["range(3)", "range(4)"],
      ["    total = 0.0\n", "    total = 0.0\n    w = w * 0.5 #+\n"],
      [ASK, `    print("q", w) #+\n${ASK}`],
    ),
    /`w = w \* 0\.5` .* changes what line \d+ of the run computes/,
  ],
  "a line that became a loop": [
    THEN,
    edited(THEN, [
      "        w = w - 0.1 * (w - x)\n",
      '        for lr in (0.1, 0.2):\n            w = w - lr * (w - x)\n            print("q", w) #+\n',
    ]),
    /became a loop/,
  ],
  "inside of other data": [
    THEN,
    edited(
      THEN,
      [
        "def cost",
        'class Data:\n    def rows(self):\n        print("q", 1) #+\n        return [0.5, 0.2]\ndef cost',
      ],
      ["for x in data", "for x in Data().rows()"],
    ),
    /comes from your `Data`/,
  ],
  "a function around another one": [
    SCRIPT,
    edited(
      SCRIPT,
      [
        "let w",
        'const twice = (f: (a: number) => number) => (a: number) => {\n  console.log("q", a); //+\n  return f(a);\n};\nconst step = twice((a) => a);\nlet w',
      ],
      ["w -= 0.1 * g", "w = step(w - 0.1 * g)"],
    ),
    /does not exist in that version/,
  ],
};

test.each(Object.entries(REFUSED))("%s is refused beside other changes", (_, [then, now, says]) => {
  expect(said(landedIn(then, now, false))).toMatch(says);
});

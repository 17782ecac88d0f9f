/** Which names of a question only count iterations, and which look so and do not. */
import { beforeAll, describe, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import type { FilePiece } from "./piece.ts";
import { pieceFor } from "./piece.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

/** What is added at places of a program; its one log call prints `q`. */
interface Added {
  /** Before the loops. */
  readonly start?: string;
  /** In the function that has the loops, or at the beginning of an epoch. */
  readonly epochStart?: string;
  readonly stepStart?: string;
  /** Behind a `continue` of the run. */
  readonly step?: string;
  readonly inner?: string;
  readonly branch?: string;
  readonly orElse?: string;
  readonly epoch?: string;
  readonly end?: string;
}

const PROGRAMS: { readonly [file: string]: (added: Added) => string } = {
  "a.mjs": (at) => `const w = [1];
function half(x) {
  return x / 2;
}
${at.start ?? ""}
for (let epoch = 0; epoch < 3; epoch++) {
  ${at.epochStart ?? ""}
  for (const i of [0, 1, 2]) {
    ${at.stepStart ?? ""}
    w[0] += i;
    if (i === 1) {
      ${at.branch ?? ""}
      continue;
    }
    ${at.step ?? ""}
    for (const x of w) if (x > 1) {
      half(x);
      ${at.inner ?? ""}
    }
  }
  ${at.epoch ?? ""}
  half(w[0]);
}
${at.end ?? ""}
`,
  "a.py": (at) => `w = [1]
def half(x):
    return x / 2
${at.start ?? ""}
for epoch in range(3):
    ${at.epochStart ?? ""}
    for i in range(3):
        ${at.stepStart ?? ""}
        w[0] += i
        if i == 1:
            w[0] += 1
            ${at.branch ?? ""}
            continue
        ${at.step ?? ""}
        for x in w:
            if x > 1:
                half(x)
                ${at.inner ?? ""}
    else:
        half(2)
        ${at.orElse ?? ""}
    ${at.epoch ?? ""}
    half(w[0])
${at.end ?? ""}
`,
};

type Row = readonly [what: string, added: Added];

const COUNTS: { readonly [file: string]: readonly Row[] } = {
  "a.mjs": [
    ["in steps", { start: "let n = 0;", stepStart: "n++;", epoch: "console.log('q', n);" }],
    ["before", { start: "let n = 7", stepStart: "++n", end: "console.log('q', n);" }],
    ["by ten", { start: "let n = -1;", stepStart: "n += 10;", epoch: "console.log('q', n);" }],
    ["down", { start: "var n = 0;", stepStart: "n -= 2;", epochStart: "console.log('q', n);" }],
    ["epochs", { start: "let n = 0;", epochStart: "n++;", stepStart: "console.log('q', n);" }],
    ["anew", { epochStart: "let n = 0;", stepStart: "n++;", epoch: "console.log('q', n);" }],
    [
      "set back",
      { start: "let n;", epochStart: "n = 0;", stepStart: "n++;", epoch: "console.log('q', n);" },
    ],
    [
      "now and then",
      {
        start: "let n = 0;",
        stepStart: "n++;\n    if (n % 2 === 0) console.log('q', n, half(n));",
      },
    ],
    [
      "in a list that begins anew",
      {
        start: "let n = 0;",
        epochStart: "const l = [];",
        stepStart: "n++;\n    l.push(n);",
        epoch: "console.log('q', l.length);",
      },
    ],
  ],
  "a.py": [
    ["in steps", { start: "n = 0", stepStart: "n += 1", epoch: "print('q', n)" }],
    ["before", { start: "n: int = 7", stepStart: "n += 1", end: "print('q', n)" }],
    ["down", { start: "n = -1", stepStart: "n -= 10", epochStart: "print('q', n)" }],
    ["epochs", { start: "n = 0", epochStart: "n += 1", stepStart: "print('q', n)" }],
    ["anew", { epochStart: "n = 0", stepStart: "n += 1", epoch: "print('q', n)" }],
    [
      "set back",
      { start: "n = 5", epochStart: "n = 0", stepStart: "n += 1", epoch: "print('q', n)" },
    ],
    [
      "now and then",
      { start: "n = 0", stepStart: "n += 1\n        if n % 2 == 0:\n            print('q', n)" },
    ],
  ],
};

const COUNTS_NOT: { readonly [file: string]: readonly Row[] } = {
  "a.mjs": [
    ["behind `continue`", { start: "let n = 0;", step: "n++;", epoch: "console.log('q', n);" }],
    ["in a branch", { start: "let n = 0;", branch: "n++;", epoch: "console.log('q', n);" }],
    [
      "without braces around",
      { start: "let n = 0;", inner: "n++;", epoch: "console.log('q', n);" },
    ],
    [
      "by what is not constant",
      { start: "let n = 0;", stepStart: "n += i;", epoch: "console.log('q', n);" },
    ],
    [
      "by less than one",
      { start: "let n = 0;", stepStart: "n += 0.5;", epoch: "console.log('q', n);" },
    ],
    [
      "from what is not whole",
      { start: "let n = 0.1;", stepStart: "n++;", epoch: "console.log('q', n);" },
    ],
    [
      "from a big integer",
      { start: "let n = 0n;", stepStart: "n++;", epoch: "console.log('q', n);" },
    ],
    [
      "twice",
      { start: "let n = 0;", stepStart: "n++;", step: "n++;", epoch: "console.log('q', n);" },
    ],
    [
      "set behind",
      { start: "let n = 0;", stepStart: "n++;", epoch: "console.log('q', n);\n  n = 0;" },
    ],
    [
      "set back, and asked outside",
      { start: "let n = 0;", epochStart: "n = 0;", stepStart: "n++;", end: "console.log('q', n);" },
    ],
    [
      "for a function",
      {
        start: "let n = 0;\nconst get = () => n;",
        stepStart: "n++;",
        epoch: "console.log('q', get());",
      },
    ],
    [
      "by a function",
      {
        start: "let n = 0;\nconst put = () => { n++; };",
        stepStart: "put();",
        epoch: "console.log('q', n);",
      },
    ],
    [
      "by a text",
      { start: "var n = 0;", stepStart: "n++;", epoch: "console.log('q', eval('n'));" },
    ],
    ["in an expression", { start: "let n = 0;", stepStart: "if (n++ % 2) console.log('q', i);" }],
    [
      "up to an end",
      {
        start: "let n = 0;",
        stepStart: "n++;\n    if (n > 4) break;",
        epoch: "console.log('q', n);",
      },
    ],
    ["products", { start: "let n = 1;", stepStart: "n *= 2;", epoch: "console.log('q', n);" }],
  ],
  "a.py": [
    ["behind `continue`", { start: "n = 0", step: "n += 1", epoch: "print('q', n)" }],
    ["in a branch", { start: "n = 0", branch: "n += 1", epoch: "print('q', n)" }],
    ["in an `else`", { start: "n = 0", orElse: "n += 1", epoch: "print('q', n)" }],
    ["fractions", { start: "n = 0.0", stepStart: "n += 0.1", epoch: "print('q', n)" }],
    ["by what is not constant", { start: "n = 0", stepStart: "n += i", epoch: "print('q', n)" }],
    [
      "from what was computed",
      { start: "n = len(w)", stepStart: "n += 1", epoch: "print('q', n)" },
    ],
    ["twice", { start: "n = 0", stepStart: "n += 1", step: "n += 1", epoch: "print('q', n)" }],
    [
      "set under a condition",
      {
        start: "n = 0",
        epochStart: "if epoch == 1:\n        n = 0",
        stepStart: "n += 1",
        epoch: "print('q', n)",
      },
    ],
    [
      "for a function",
      { start: "n = 0\ndef get():\n    return n", stepStart: "n += 1", epoch: "print('q', get())" },
    ],
    ["by a text", { start: "n = 0", stepStart: "n += 1", epoch: "print('q', globals()['n'])" }],
    [
      "by other ways",
      {
        start: "n = 0",
        stepStart: "n += 1",
        epoch: "print('q', n)\n    for n in range(2):\n        pass",
      },
    ],
    ["with others", { start: "n = m = 0", stepStart: "n += 1", epoch: "print('q', n + m)" }],
    ["deleted", { start: "n = 0", stepStart: "n += 1", epoch: "print('q', n)", end: "del n" }],
  ],
};

function pieceOf(file: string, added: Added): FilePiece {
  const program = PROGRAMS[file];
  const texts = [program?.({}) ?? "", program?.(added) ?? ""];
  const [then, now] = texts.map((text) => {
    const one = parsed(file, text.replaceAll(/\n *(?=\n)/g, ""));
    if (!one) throw new Error(`it does not parse:\n${text}`);
    return one;
  });
  if (!then || !now) throw new Error("two versions");
  return pieceFor(editBetween(then, now), [now.text.indexOf("'q'")]);
}

describe.each(Object.keys(PROGRAMS))("%s", (file) => {
  test.each(COUNTS[file] ?? [])("counts %s", (_, added) => {
    const { counters, state } = pieceOf(file, added);
    expect({ counters: counters.map(({ name }) => name), state }).toEqual({
      counters: ["n"],
      state: [],
    });
  });

  test.each(COUNTS_NOT[file] ?? [])("does not count %s", (_, added) => {
    const { counters, state } = pieceOf(file, added);
    expect(counters).toEqual([]);
    expect(state).not.toEqual([]);
  });
});

test("what it begins with, what it adds, and the loops from there to where it counts", () => {
  const added = { start: "n = -3", stepStart: "n -= 2", epoch: "print('q', n)" };
  const [counter] = pieceOf("a.py", added).counters;
  expect(counter).toMatchObject({ start: -3, step: -2, within: undefined });
  expect(counter?.loops).toHaveLength(2);
});

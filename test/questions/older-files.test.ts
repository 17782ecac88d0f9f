/**
 * A question with parts in two files, asked of older versions in which the code of one of them stands
 * elsewhere, or not at all: all of it lands, or nothing does. The truth is the older program with the
 * question put in by hand.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hindsight } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import type { Files } from "../versions/history.ts";
import { History } from "../versions/history.ts";

interface Written {
  readonly program: string;
  /** The file of the class, and another name of it. */
  readonly files: readonly [own: string, other: string];
  readonly load: (file: string) => string;
  readonly net: string;
  /** How a file gives its class to others. */
  readonly give: string;
  readonly main: string;
  /** A class that has no such function, and a program that does it itself. */
  readonly bare: readonly [net: string, main: string];
  /** What is added behind a line. */
  readonly added: readonly (readonly [behind: string, text: string])[];
}

const WRITTEN: readonly Written[] = [
  {
    program: "train.js",
    files: ["net.js", "lib/model.js"],
    load: (file) => `const Net = require("./${file}");\n`,
    net: `class Net {
  constructor() { this.w = 1; }
  step(x) {
    for (let k = 0; k < 2; k++) {
      if ((this.w + k) % 3 !== 0) {
        this.w += x;
      }
    }
    return this.w;
  }
}
`,
    give: "module.exports = Net;\n",
    main: `const net = new Net();
for (let epoch = 0; epoch < 4; epoch++) {
  for (let i = 0; i < 3; i++) {
    net.step(i + 1);
  }
  console.log("w", net.w);
}
`,
    bare: [
      "class Net {\n  constructor() { this.w = 1; }\n}\n",
      `const net = new Net();
for (let epoch = 0; epoch < 4; epoch++) {
  for (let i = 0; i < 3; i++) {
    net.w += i + 1;
  }
  console.log("w", net.w);
}
`,
    ],
    added: [
      ["        this.w += x;\n", "        this.moves = (this.moves || 0) + 1;\n"],
      ['  console.log("w", net.w);\n', '  console.log("moves", net.moves || 0);\n'],
    ],
  },
  {
    program: "train.py",
    files: ["net.py", "model.py"],
    load: (file) => `from ${file.replace(".py", "")} import Net\n`,
    net: `class Net:
    def __init__(self):
        self.w = 1

    def step(self, x):
        for k in range(2):
            if (self.w + k) % 3 != 0:
                self.w += x
        return self.w


`,
    give: "",
    main: `net = Net()
for epoch in range(4):
    for i in range(3):
        net.step(i + 1)
    print("w", net.w)
`,
    bare: [
      "class Net:\n    def __init__(self):\n        self.w = 1\n",
      `net = Net()
for epoch in range(4):
    for i in range(3):
        net.w += i + 1
    print("w", net.w)
`,
    ],
    added: [
      [
        "                self.w += x\n",
        '                self.moves = getattr(self, "moves", 0) + 1\n',
      ],
      ['    print("w", net.w)\n', '    print("moves", getattr(net, "moves", 0))\n'],
    ],
  },
];

interface Older {
  readonly title: string;
  readonly files: (written: Written) => { readonly [file: string]: string };
  /** Why it cannot land there; absent: it does. */
  readonly says?: RegExp;
}

const newest = ({ program, files: [own], load, net, give, main }: Written): Files => {
  return { [program]: load(own) + main, [own]: net + give };
};

const OLDER: readonly Older[] = [
  {
    title: "the class stands in the program",
    files: ({ program, net, main }) => ({ [program]: net + main }),
    says: /moves = .* belongs to what is asked, and that version has no net\.(?:js|py)/,
  },
  {
    title: "the file has another name",
    files: ({ program, files: [, other], load, net, give, main }) => {
      return { [program]: load(other) + main, [other]: net + give };
    },
    says: /moves = .* belongs to what is asked, and that version has no net\.(?:js|py)/,
  },
  {
    title: "the file is there, and is not loaded",
    files: ({ program, files: [own], net, give, main }) => {
      return { [program]: net + main, [own]: net + give };
    },
    says: /moves = .* belongs to what is asked, and that version does not load net\.(?:js|py)/,
  },
  {
    title: "the file has another class",
    files: ({ program, files: [own], load, net, give, main, bare }) => {
      const other = (bare[0] + give).replaceAll("Net", "Other");
      return { [program]: load(own).replaceAll("Net", "Other") + net + main, [own]: other };
    },
    says: /has its function in train\.(?:js|py)/,
  },
  {
    title: "another class of the file has the function too",
    files: ({ program, files: [own], load, net, give, main }) => {
      const other = (net + give).replaceAll("Net", "Other");
      return { [program]: load(own).replaceAll("Net", "Other") + net + main, [own]: other };
    },
    says: /has its function in train\.(?:js|py)/,
  },
  {
    title: "the function is not there",
    files: ({ program, files: [own], load, give, bare: [net, main] }) => {
      return { [program]: load(own) + main, [own]: net + give };
    },
    says: /does not exist in that version|nothing around it exists/,
  },
];

/** All files with the question in them. */
function asked(files: Files, { added }: Written): Files {
  const withAdded = (text: string): string =>
    added.reduce((all, [behind, more]) => all.replace(behind, behind + more), text);
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [file, text && withAdded(text)]),
  );
}

describe.each(WRITTEN)("$program", needs("python"), (written) => {
  const { program } = written;
  let truth: History;

  beforeAll(async () => {
    truth = new History();
    await truth.record({ files: asked(newest(written), written), program });
  });

  afterAll(() => truth[Symbol.dispose]());

  test.each(OLDER)("$title", async ({ files, says }) => {
    const past = files(written);
    using history = new History();
    const before = await history.record({ files: past, program });
    const removed = Object.fromEntries(Object.keys(past).map((file) => [file, null]));
    const present = { ...removed, ...newest(written) };
    const after = await history.record({ files: present, program });
    history.put(asked(newest(written), written));
    const { stdout, stderr } = await history.afterlog("replay", "moves", "--yes");
    const newer = await hindsight(history, ["moves"], after);
    expect(newer.map(({ value }) => Number(value))).toEqual(truth.logged("moves").map(Number));
    expect(newer.every(({ check }) => check === "verified")).toBe(true);
    const older = await hindsight(history, ["moves"], before);
    if (says) {
      expect(older).toEqual([]);
      expect(stdout + stderr).toMatch(says);
      return;
    }
    using own = new History();
    await own.record({ files: asked(past, written), program });
    expect(older.map(({ value }) => Number(value))).toEqual(own.logged("moves").map(Number));
    expect(older.every(({ check }) => check === "verified")).toBe(true);
  });

  test.each(OLDER.slice(0, 2))("no run has the file yet: $title", async ({ files }) => {
    const past = files(written);
    using history = new History();
    await history.record({ files: past, program });
    history.put(asked(newest(written), written));
    const { stdout, stderr } = await history.afterlog("replay", "moves", "--yes");
    expect(await hindsight(history, ["moves"])).toEqual([]);
    expect(stdout + stderr).toMatch(/`moves` comes from your net\.(?:js|py)/);
  });
});

/** The question calls what another file gave in the older version. */
const RELOADED = [
  {
    program: "train.py",
    files: { "one.py": "def f(x):\n    return x * 2\n", "two.py": "def f(x):\n    return x + 9\n" },
    main: (from: string, more = "") =>
      `from ${from} import f\nw = 1.0\nfor e in range(3):\n    w = f(w) * 0.5 + 1\n    print("w", w)\n${more}`,
    asks: '    print("q", f(w))\n',
  },
  {
    program: "train.mjs",
    files: {
      "one.mjs": "export const f = (x) => x * 2;\n",
      "two.mjs": "export const f = (x) => x + 9;\n",
    },
    main: (from: string, more = "") =>
      `import { f } from "./${from}.mjs";\nlet w = 1;\nfor (let e = 0; e < 3; e++) {\n  w = f(w) * 0.5 + 1;\n  console.log("w", w);\n${more}}\n`,
    asks: '  console.log("q", f(w));\n',
  },
];

test.each(RELOADED)(
  "in $program a function of another file is asked about",
  needs("python"),
  async ({ program, files, main, asks }) => {
    using history = new History();
    await history.record({ files: { ...files, [program]: main("two") }, program });
    history.put({ [program]: main("one", asks) });
    const { code } = await history.afterlog("replay", "q", "--yes");
    expect([code, await hindsight(history, ["q"])]).toEqual([5, []]);
    const { stdout } = await history.afterlog("where", "q");
    expect(stdout).toMatch(/`f` is another one in that version: it comes from two\.\w+ there/);
  },
);

/**
 * A file that the run wrote is state: whoever looks at it behind a loop that wrote to it gets what
 * the run had, in whatever way it looks.
 */
import { describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";

/** In each step `write` is executed, behind them `look` gives what is asked: how many steps there were. */
interface Look {
  readonly write: string;
  readonly look: string;
}

const LINE = 'with open("notes.txt", "a") as out: out.write("x\\n")';
const FILE = 'open(f"made/{epoch}-{step}.txt", "w").close()';

const PYTHON: { readonly [way: string]: Look } = {
  "not at all": { write: LINE, look: "n" },
  "read, after a line of its own": {
    write: LINE,
    look: 'open("notes.txt", "a").close() or len(open("notes.txt").readlines())',
  },
  "its size": { write: LINE, look: 'os.path.getsize("notes.txt") // 2' },
  "its size, by pathlib": { write: LINE, look: 'pathlib.Path("notes.txt").stat().st_size // 2' },
  "where it ends": { write: LINE, look: 'end_of("notes.txt") // 2' },
  "whether it is there": {
    write: FILE,
    look: 'sum(os.path.exists(f"made/{e}-{s}.txt") for e in range(9) for s in range(9))',
  },
  "its folder": { write: FILE, look: 'len(os.listdir("made"))' },
  "its folder, by a pattern": { write: FILE, look: 'len(glob.glob("made/*.txt"))' },
  "its folder, by pathlib": { write: FILE, look: 'len(list(pathlib.Path("made").iterdir()))' },
  "its folder, with those below": {
    write: FILE,
    look: "sum(len(files) for _, _, files in os.walk('made'))",
  },
};

const python = ({ write, look }: Look): string => `import glob
import os
import pathlib
def end_of(name):
    with open(name, "r+") as file:
        return file.seek(0, 2)
os.makedirs("made", exist_ok=True)
open("notes.txt", "w").close()
n = 0
for epoch in range(4):
    for step in range(3):
        ${write}
        n += 1
    seen = ${look}
    print("loss", n)
    print("q", seen) # added
print("end", n)
`;

const APPEND = 'fs.appendFileSync("notes.txt", "x\\n");';
const MAKE = 'fs.writeFileSync(`made/${epoch}-${step}.txt`, "");';

const JAVASCRIPT: { readonly [way: string]: Look } = {
  "not at all": { write: APPEND, look: "n" },
  "read, after a line of its own": {
    write: APPEND,
    look: '(fs.appendFileSync("notes.txt", ""), fs.readFileSync("notes.txt", "utf8").length / 2)',
  },
  "its size": { write: APPEND, look: 'fs.statSync("notes.txt").size / 2' },
  "where it ends": { write: APPEND, look: 'sizeOf("notes.txt") / 2' },
  "whether it is there": {
    write: MAKE,
    look: "NUMBERS.filter((n) => fs.existsSync(`made/${n}.txt`)).length",
  },
  "its folder": { write: MAKE, look: 'fs.readdirSync("made").length' },
};

const javascript = ({ write, look }: Look): string => `import fs from "node:fs";
const NUMBERS = Array.from({ length: 81 }, (_, n) => \`\${Math.floor(n / 9)}-\${n % 9}\`);
function sizeOf(name) {
  const file = fs.openSync(name, "r+");
  const { size } = fs.fstatSync(file);
  fs.closeSync(file);
  return size;
}
fs.mkdirSync("made", { recursive: true });
fs.writeFileSync("notes.txt", "");
let n = 0;
for (let epoch = 0; epoch < 4; epoch++) {
  for (let step = 0; step < 3; step++) {
    ${write}
    n += 1;
  }
  const seen = ${look};
  console.log("loss", n);
  console.log("q", seen); // added
}
console.log("end", n);
`;

const ROWS = [
  ...Object.entries(PYTHON).map(([way, row]) => ["train.py", way, python(row)] as const),
  ...Object.entries(JAVASCRIPT).map(([way, row]) => ["train.mjs", way, javascript(row)] as const),
];

describe("a file that a skipped loop wrote", needs("python"), () => {
  test.each(ROWS)("%s: %s", async (entry, _, text) => {
    using project = await record({ [entry]: text.replace(/^.* added\n/m, "") }, entry, "all");
    edit(project, { [entry]: text });
    const { cells, stdout, stderr } = await ask(project, ["q"], { where: "epoch >= 2" });
    const found = cells.map(({ path, value, check }) => `${path} ${Number(value)} ${check}`);
    expect(found, stderr + stdout.slice(-300)).toEqual([
      "epoch=2 9 verified",
      "epoch=3 12 verified",
    ]);
  });
});

/** The best state is saved in the loop, and read behind it. */
const SAVED: readonly (readonly [string, string])[] = [
  [
    "train.py",
    `import json
w = [0.5, 1.5]
for epoch in range(5):
    for step in range(4):
        w = [x * 1.1 + step for x in w]
    with open("state.json", "w") as out:
        json.dump(w, out)
    print("loss", w[0])
with open("state.json") as kept:
    w = json.load(kept)
print("q", w[1]) # added
print("end", w[0])
`,
  ],
  [
    "train.js",
    `const fs = require("node:fs");
let w = [0.5, 1.5];
for (let epoch = 0; epoch < 5; epoch++) {
  for (let step = 0; step < 4; step++) w = w.map((x) => x * 1.1 + step);
  fs.writeFileSync("state.json", JSON.stringify(w));
  console.log("loss", w[0]);
}
w = JSON.parse(fs.readFileSync("state.json", "utf8"));
console.log("q", w[1]); // added
console.log("end", w[0]);
`,
  ],
];

describe.each(SAVED)(
  "%s reads behind its loop what it wrote there",
  needs("python"),
  (entry, text) => {
    const before = text.replaceAll(/.*added\n/g, "");
    test.each([
      ["and it lies where the run left it", "", "0.0 % of the recorded iterations"],
      ["and somebody wrote it since", "[1, 2]", "executed whole: state.json was written"],
      [
        "and it is written again behind the loop",
        "again",
        "executed whole: state.json was written",
      ],
    ])("%s", async (_, since, said) => {
      // What is there in the end is then not what was read.
      const again =
        entry === "train.py"
          ? 'open("state.json", "w").write("[0]")'
          : 'fs.writeFileSync("state.json", "[0]")';
      const more = since === "again" ? `${again}\n` : "";
      using run = await record({ [entry]: before + more }, entry, "all");
      edit(run, {
        [entry]: text + more,
        ...(since.startsWith("[") ? { "state.json": since } : {}),
      });
      const { stdout, stderr } = await run.afterlog("replay", "q", "--yes");
      expect(stdout + stderr).toContain(said);
      let w = 1.5;
      for (let step = 0; step < 20; step++) w = w * 1.1 + (step % 4);
      const { stdout: frame } = await run.afterlog("frame", "q", "--json");
      expect(JSON.parse(frame)).toMatchObject([{ q: w, origin: { q: { check: "verified" } } }]);
    });
  },
);

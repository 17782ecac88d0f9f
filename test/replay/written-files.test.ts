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

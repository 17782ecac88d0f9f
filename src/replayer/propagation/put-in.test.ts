/** A question around which only additions are new stands as it does now, if what gives its values is the same. */
import { beforeAll, expect, test } from "vitest";
import { prepareLanguages } from "../../languages/index.ts";
import { readEdits } from "./program-edits.ts";
import { putTogether } from "./put-in.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const PYTHON = `data = [1, 2]
w = 1.0
for epoch in range(3):
    total = 0.0
    for x in data:
        w -= 0.1 * x
        total += w * x
    print("loss", total)
`;
const TYPESCRIPT = `const data = [1, 2];
let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  let total = 0;
  for (const x of data) {
    w -= 0.1 * x;
    total += w * x;
  }
  console.log("loss", total);
}
`;
const ASKED = /(?:print|console\.log)\("q"/;

test.each<[string, string, string, string]>([
  [
    "its name is given again, in Python",
    "review",
    PYTHON,
    `${PYTHON}    total = 0.0\n    for x in data:\n        total += x\n    print("q", total)\n`,
  ],
  [
    "its name is given again, in TypeScript",
    "review",
    TYPESCRIPT,
    TYPESCRIPT.replace(
      /\}\n$/,
      '  total = 0;\n  for (const x of data) total += x;\n  console.log("q", total);\n}\n',
    ),
  ],
  [
    "another name is given, in Python",
    "exact",
    PYTHON,
    `${PYTHON}    vl = 0.0\n    for x in data:\n        vl += x\n    print("q", total)\n`,
  ],
  [
    "another name is given, in TypeScript",
    "exact",
    TYPESCRIPT,
    TYPESCRIPT.replace(
      /\}\n$/,
      '  let vl = 0;\n  for (const x of data) vl += x;\n  console.log("q", total);\n}\n',
    ),
  ],
])("where %s by what was added, it is %s", (_, verdict, then, now) => {
  const file = then.startsWith("const") ? "a.ts" : "a.py";
  const of = (text: string) => (name: string) => (name === file ? text : undefined);
  const mode = { handsFree: true };
  const version = { program: file, mode, files: [file], sources: [file], before: of(then) };
  const asked = new Map([[file, new Set([ASKED.exec(now)?.index ?? -1])]]);
  const put = putTogether(
    { version, now: of(now), edits: readEdits(version, of(now)) },
    { starts: asked, shaped: new Map() },
  ).get(file);
  expect(put && "how" in put ? put.how.verdict : put).toBe(verdict);
});

test.each([
  ["has", "exact"],
  ["lacks", "review"],
])("where another file %s a property that several log calls read, it is %s", (has, verdict) => {
  const other = `export const opt = { ${has === "has" ? "rate" : "pace"}: 1 };\n`;
  const then = 'import { opt } from "./opt.ts";\n' + TYPESCRIPT.replace("0.1", "opt.step()");
  const now = then.replace(
    /\}\n$/,
    '  console.log("q", opt.rate);\n  console.log("r", opt.rate * 2);\n}\n',
  );
  const of = (text: string) => (name: string) => (name === "a.ts" ? text : other);
  const files = ["a.ts", "opt.ts"];
  const mode = { handsFree: true };
  const version = { program: "a.ts", mode, files, sources: files, before: of(then) };
  const asked = new Map([["a.ts", new Set([ASKED.exec(now)?.index ?? -1])]]);
  const edits = readEdits(version, of(now));
  const put = putTogether(
    { version, now: of(now), edits },
    { starts: asked, shaped: new Map() },
  ).get("a.ts");
  expect(put && "how" in put ? put.how.verdict : put).toBe(verdict);
});

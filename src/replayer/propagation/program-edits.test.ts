/** What the files of a program have to do with each other where one of them was edited. */
import { beforeAll, expect, test } from "vitest";
import { prepareLanguages } from "../../languages/index.ts";
import { readEdits } from "./program-edits.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

interface Files {
  readonly [file: string]: string;
}

/** Number of lines of a program that are gone, where its `decay` gives more back and one call takes that. */
function lostLines(older: Files): number {
  const widened = (text: string): string =>
    text
      .replace(/return k \* 2$/m, "return k * 2, 1")
      .replace(/return k \* 2;$/m, "return [k * 2, 1];")
      .replace(/^k = decay\(k\)$/m, "k, more = decay(k)")
      .replace(/^const k = decay\(1\);$/m, "const [k, more] = decay(1);");
  const files = Object.keys(older);
  const [program = ""] = files;
  const version = { program, mode: { handsFree: true }, files, sources: files } as const;
  const before = (file: string): string | undefined => older[file];
  const { whole } = readEdits({ ...version, before }, (file) => widened(older[file] ?? ""));
  return [...whole.values()].flatMap(({ gaps }) => gaps.flatMap(({ lost }) => lost)).length;
}

const PYTHON = "k = 1\ndef decay(k):\n    return k * 2\nk = decay(k)\n";
const TYPESCRIPT = "function decay(k: number) {\n  return k * 2;\n}\nconst k = decay(1);\n";

test.each<[string, Files]>([
  ["alone", { "a.py": PYTHON }],
  [
    "beside another",
    { "a.py": `import lib\n${PYTHON}lib.decay(2)\n`, "lib.py": "def decay(v):\n    return v\n" },
  ],
  [
    "beside another that calls itself",
    { "a.py": PYTHON, "lib.py": "def decay(v):\n    return v and decay(v - 1)\n" },
  ],
  [
    "beside another in TypeScript",
    {
      "a.ts": `import * as lib from "./lib.ts";\n${TYPESCRIPT}lib.decay(2);\n`,
      "lib.ts": "export function decay(v: number) {\n  return v;\n}\n",
    },
  ],
])("a function that gives more is the same with more to see, %s", (_, files) => {
  expect(lostLines(files)).toBe(0);
});

test.each<[string, Files]>([
  ["that a file imports", { "a.py": PYTHON, "lib.py": "from a import decay\nx = decay(1) + 1\n" }],
  ["of an imported module", { "a.py": PYTHON, "lib.py": "import a\nx = a.decay(1) + 1\n" }],
  [
    "that a file has, and another that it has itself",
    { "a.py": PYTHON, "lib.py": "def decay(v):\n    return v\nimport a\nx = a.decay(1) + 1\n" },
  ],
  [
    "that comes with all names behind its own",
    {
      "a.py": PYTHON,
      "lib.py": "def decay(v):\n    return v\nfrom a import *\nx = decay(1) + 1\n",
    },
  ],
  [
    "that is put into another file",
    {
      "a.py": `import lib\n${PYTHON}lib.decay = decay\n`,
      "lib.py": "def decay(v):\n    return v\nx = decay(1)\n",
    },
  ],
  [
    "of a module that has it from there",
    { "a.py": `import lib\n${PYTHON}x = lib.decay(1) + 1\n`, "lib.py": "from a import decay\n" },
  ],
])("a function that gives more is another program for a call of one %s", (_, files) => {
  expect(lostLines(files)).toBeGreaterThan(0);
});

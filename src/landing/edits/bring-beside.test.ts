/** What is brought for a question: a table of texts, as they are written then. */
import { beforeAll, expect, test } from "vitest";
import { prepareLanguages } from "../../languages/index.ts";
import { bringBeside, withEdits } from "./bring-beside.ts";

beforeAll(() => prepareLanguages(["train.py"]));

interface Row {
  readonly names: readonly string[];
  /** `«` and `»` stand around the parts that are the question. */
  readonly files: { readonly [file: string]: string };
  readonly written: { readonly [file: string]: string };
  /** What a version has. */
  readonly older?: { readonly [file: string]: string };
}

const ROWS: { readonly [what: string]: Row } = {
  "a function that calls itself": {
    names: ["walk"],
    files: {
      "a.py": "def walk(n):\n    return n and walk(n - 1)\nx = walk(2)\n«print(walk(3))»\n",
    },
    written: {
      "a.py":
        "def walk(n):\n    return n and walk(n - 1)\ndef walk_yours(n):\n    return n and walk_yours(n - 1)\nx = walk(2)\nprint(walk_yours(3))\n",
    },
  },
  "one that calls another, and both are brought": {
    names: ["half", "score"],
    files: {
      "a.ts":
        "const half = (x) => x / 2;\nfunction score(x) {\n  return half(x);\n}\n«console.log({ score: score(1), half });»\n",
    },
    written: {
      "a.ts":
        "const half = (x) => x / 2;\nconst half_yours = (x) => x / 2;\nfunction score(x) {\n  return half(x);\n}\nfunction score_yours(x) {\n  return half_yours(x);\n}\nconsole.log({ score: score_yours(1), half: half_yours });\n",
    },
  },
  "decorated, in a function, and shown with its name": {
    names: ["score"],
    files: {
      "a.py":
        'def main():\n    @cache\n    def score(x):\n        return x\n    «print(f"{score(1)=}")»\n',
    },
    written: {
      "a.py":
        'def main():\n    @cache\n    def score(x):\n        return x\n    @cache\n    def score_yours(x):\n        return x\n    print(f"score(1)={score_yours(1)!r}")\n',
    },
  },
  "imported by its name": {
    names: ["score"],
    files: {
      "train.py": "from lib import score as own\n«print(own(1))»\nprint(own(2))\n",
      "lib.py": "def score(x):\n    return x\n",
    },
    written: {
      "train.py":
        "from lib import score as own\nfrom lib import score_yours\nprint(score_yours(1))\nprint(own(2))\n",
      "lib.py": "def score(x):\n    return x\ndef score_yours(x):\n    return x\n",
    },
  },
  "imported by its name, in TypeScript": {
    names: ["Net"],
    files: {
      "train.ts": 'import { Net } from "./lib.ts";\n«console.log(new Net().x);»\n',
      "lib.ts": "export class Net {\n  x = 1;\n}\n",
    },
    written: {
      "train.ts": 'import { Net, Net_yours } from "./lib.ts";\nconsole.log(new Net_yours().x);\n',
      "lib.ts": "export class Net {\n  x = 1;\n}\nexport class Net_yours {\n  x = 1;\n}\n",
    },
  },
  "of a module that is imported whole": {
    names: ["score"],
    files: {
      "train.py": "import lib\n«print(lib.score(lib.score(1)), x.score(2))»\n",
      "lib.py": "def score(x):\n    return x\n",
    },
    written: {
      "train.py": "import lib\nprint(lib.score_yours(lib.score_yours(1)), x.score(2))\n",
      "lib.py": "def score(x):\n    return x\ndef score_yours(x):\n    return x\n",
    },
  },
  "of a module that takes everything of another": {
    names: ["score"],
    files: {
      "train.py": "import lib\n«print(lib.score(1))»\n",
      "lib.py": "from math import *\ndef score(x): return x\n",
    },
    written: {
      "train.py": "import lib\nprint(lib.score_yours(1))\n",
      "lib.py": "from math import *\ndef score(x): return x\ndef score_yours(x): return x\n",
    },
  },
  "what the version has instead": {
    names: ["f"],
    files: { "a.py": "def g(): pass\ndef f(): return g()\n«print(f())»\n" },
    older: { "a.py": "f_yours = 1\ndef f():\n    return 2\n" },
    written: {
      "a.py":
        "def g(): pass\ndef f():\n    return 2\ndef f_yours_2(): return g()\nprint(f_yours_2())\n",
    },
  },
  "the name that it would get is taken": {
    names: ["f"],
    files: { "a.py": "def f(): return 1\nf_yours = 2\n«print(f(), f_yours)»\n" },
    written: {
      "a.py":
        "def f(): return 1\ndef f_yours_2(): return 1\nf_yours = 2\nprint(f_yours_2(), f_yours)\n",
    },
  },
};

test.each(Object.entries(ROWS))("%s", (_, { names, files, written, older }) => {
  const { text, brought } = bring(names, files, older);
  expect(brought.left).toEqual(new Map());
  expect(text).toEqual(written);
});

/** What cannot be brought, and what is said of it. */
const LEFT: readonly (readonly [string, { readonly [file: string]: string }, object])[] = [
  ["f", { "a.py": "«print(1)»\n" }, { kind: "missing" }],
  ["f", { "a.py": "x = 1\nf = 2\n«print(f)»\n" }, { kind: "value", file: "a.py", line: 2 }],
  [
    "f",
    { "a.py": "class A:\n    def f(self): pass\n«print(a.f())»\n" },
    { kind: "method", owner: "A" },
  ],
  [
    "A.f",
    { "a.ts": "class A { f() { return 1; } }\n«console.log(a.f());»\n" },
    { kind: "method", owner: "A" },
  ],
  ["f", { "a.py": "def f(): pass\ndef g(): f()\n«print(g())»\n" }, { kind: "unused", by: ["g"] }],
  ["f", { "a.py": "def f(): pass\nf()\n«print(1)»\n" }, { kind: "unused", by: [] }],
  [
    "f",
    { "a.py": "def f():\n    «print(f)»\n" },
    { kind: "unfit", why: "what is asked stands in it" },
  ],
  [
    "f",
    { "a.py": "def f(): return 1\ndef f(): return 2\n«print(f())»\n" },
    { kind: "unfit", why: "it is defined more than once" },
  ],
  [
    "f",
    { "a.ts": "const f = () => 1, g = () => 2;\n«console.log(f());»\n" },
    { kind: "value", file: "a.ts", line: 1 },
  ],
  [
    "f",
    {
      "a.ts": 'import { f } from "./b.ts";\n«console.log(f());»\n',
      "b.ts": "function f() { return 1; }\nexport { f };\n",
    },
    { kind: "unfit", why: "b.ts gives it to others apart from its definition" },
  ],
  [
    "f",
    { "a.ts": "export default function f() { return 1; }\n«console.log(f());»\n" },
    { kind: "unfit", why: "a.ts gives it to others without a name" },
  ],
  [
    "f",
    {
      "a.py": "from b import f as g\nfrom c import f as h\n«print(g(), h())»\n",
      "b.py": "def f(): return 1\n",
      "c.py": "def f(): return 2\n",
    },
    { kind: "unfit", why: "what is asked calls two of that name" },
  ],
  [
    "f",
    {
      "a.mjs": 'import b from "./b.cjs";\n«console.log(b.f());»\n',
      "b.cjs": "function f() { return 1; }\nmodule.exports = { f };\n",
    },
    { kind: "unfit", why: "b.cjs gives it to others apart from its definition" },
  ],
  [
    "A",
    { "a.ts": "@register() export class A {}\n«console.log(new A());»\n" },
    { kind: "unfit", why: "a decorator stands before it" },
  ],
];

test.each(LEFT)("%s is left in %j", (name, files, why) => {
  expect(bring([name], files).brought.left.get(name)).toEqual(why);
});

function bring(
  names: readonly string[],
  files: Row["files"],
  older: Row["files"] = {},
): { readonly text: Row["written"]; readonly brought: ReturnType<typeof bringBeside> } {
  const texts = new Map(Object.entries(files).map(([file, text]) => [file, plain(text)]));
  const question = new Map(
    Object.entries(files).map(([file, text]) => {
      const parts = [...text.matchAll(/«([^»]*)»/g)];
      return [
        file,
        parts.map(({ index, 1: own = "" }) => {
          const start = plain(text.slice(0, index)).length;
          return { start, end: start + own.length };
        }),
      ];
    }),
  );
  const brought = bringBeside({
    names,
    files: [...texts.keys()],
    textOf: (file) => texts.get(file),
    question,
    older: Object.entries(older).map(([file, own]) => ({ file, text: own })),
  });
  const text = [...texts].map(([file, own]) => {
    return [file, withEdits(own, brought.edits.get(file) ?? [])];
  });
  return { brought, text: Object.fromEntries(text) as Row["written"] };
}

function plain(text: string): string {
  return text.replaceAll(/[«»]/g, "");
}

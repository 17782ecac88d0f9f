/** Names of a question that an older version takes from another file or package. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../test/support/parsed.ts";
import { prepareLanguages } from "../../languages/index.ts";
import { editBetween } from "./align.ts";
import { otherSources } from "./other-sources.ts";
import { recognitionBetween } from "./recognise.ts";

beforeAll(() => prepareLanguages(["a.py", "a.mjs"]));

const UTIL = "def f(x):\n    return x * 2\n";
const OTHER = "def f(x):\n    return x + 100\n";
const JS = "export function f(x) {\n  return x * 2;\n}\n";

type Texts = { readonly [file: string]: string };

/** The heads of the two versions, what is asked, their other files, and what is said. */
interface Row {
  readonly file?: string;
  readonly heads: readonly [then: string, now: string];
  readonly asks?: string;
  readonly then?: Texts;
  readonly now?: Texts;
  readonly said: readonly string[];
}

const BOTH = { "util.py": UTIL, "other.py": OTHER };

const DECORATED = "def t(g):\n    return lambda x: 2 * g(x)\n@t\ndef f(x):\n    return x\n";

const ROWS: { readonly [about: string]: Row } = {
  "a function that another file has with a decorator": {
    heads: ["from other import f", "from util import f"],
    then: { "other.py": DECORATED },
    now: { "util.py": DECORATED.replace("@t\n", "") },
    said: ["f: other.py, util.py"],
  },
  "a function whose decorator is another one": {
    heads: ["from other import f", "from util import f"],
    then: { "other.py": DECORATED },
    now: { "util.py": DECORATED.replace("2 *", "3 *") },
    said: ["f: other.py, util.py"],
  },
  "a function that moved with its decorator": {
    heads: ["from other import f", "from util import f"],
    then: { "other.py": DECORATED },
    now: { "util.py": DECORATED },
    said: [],
  },
  "a function of another file": {
    heads: ["from other import f", "from util import f"],
    then: BOTH,
    now: BOTH,
    said: ["f: other.py, util.py"],
  },
  "of another module": {
    heads: ["import other as m", "import util as m"],
    asks: "m.f(w)",
    then: BOTH,
    now: BOTH,
    said: ["m.f: other.py, util.py"],
  },
  "of another file in JavaScript": {
    file: "a.mjs",
    heads: ['import { f } from "./other.mjs";', 'import { f } from "./util.mjs";'],
    then: { "other.mjs": JS.replace("* 2", "+ 100") },
    now: { "util.mjs": JS },
    said: ["f: other.mjs, util.mjs"],
  },
  "a whole file in CommonJS": {
    file: "a.js",
    heads: ['const f = require("./other.js");', 'const f = require("./util.js");'],
    then: { "other.js": "module.exports = (x) => x + 100;\n" },
    now: { "util.js": "module.exports = (x) => x * 2;\n" },
    said: ["f: other.js, util.js"],
  },
  "the program's own there": {
    heads: [OTHER.trimEnd(), "from util import f"],
    then: BOTH,
    now: BOTH,
    said: ["f: a.py, util.py"],
  },
  "of a package there": {
    file: "a.mjs",
    heads: ['import { f } from "pack";', 'import { f } from "./util.mjs";'],
    now: { "util.mjs": JS },
    said: ["f: pack.f, util.mjs"],
  },
  "that says the same, with another constant": {
    heads: ["from other import f", "from util import f"],
    then: { "other.py": "K = 3\ndef f(x):\n    return x * K\n" },
    now: { "util.py": "K = 2\ndef f(x):\n    return x * K\n" },
    said: ["f: other.py, util.py"],
  },
  "that was moved": {
    heads: ["from other import f", "from util import f"],
    then: { "other.py": UTIL },
    now: { "util.py": `# Small things.\n${UTIL}` },
    said: [],
  },
  "that was the program's own": {
    heads: [UTIL.trimEnd(), "from util import f"],
    now: { "util.py": UTIL },
    said: [],
  },
  "that a file gives away which has it from another": {
    heads: ["from other import f", "from pack import f"],
    then: { "other.py": OTHER },
    now: { "pack/__init__.py": "from .other import f\n", "pack/other.py": OTHER },
    said: [],
  },
  "that changed in its file": {
    heads: ["from util import f", "from util import f"],
    then: { "util.py": OTHER },
    now: { "util.py": UTIL },
    said: [],
  },
  "of a package that is imported otherwise": {
    heads: ["import torch.nn as f", "from torch import nn as f"],
    said: [],
  },
};

test.each(Object.entries(ROWS))("%s", (_, row) => {
  const { file = "a.py", heads, asks = "f(w)", then = {}, now = {}, said } = row;
  const [before, after] = heads.map((head) => {
    return file === "a.py"
      ? `${head}\nfor e in range(3):\n    w = step(w)\n`
      : `${head}\nfor (const e of r) {\n  w = step(w);\n`;
  });
  const [log, end] =
    file === "a.py" ? [`    print(${asks})\n`, ""] : [`  console.log(${asks});\n`, "}\n"];
  const old = parsed(file, `${before ?? ""}${end}`);
  const own = parsed(file, `${after ?? ""}${log}${end}`);
  if (!old || !own) throw new Error("it does not parse");
  const edit = editBetween(old, own, recognitionBetween(old, own, { handsFree: true }));
  const found = otherSources({
    edits: new Map([[file, edit]]),
    starts: new Map([[file, new Set([own.text.indexOf(log.trim())])]]),
    now: (name) => now[name],
    then: (name) => then[name],
    renames: [],
  });
  expect(found.map((one) => `${one.name}: ${one.then}, ${one.now}`)).toEqual(said);
});

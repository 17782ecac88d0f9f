import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { knowsAfterlog } from "./knows-afterlog.ts";

const HELPER = "import afterlog as al\n";

test.each<[text: string, knows: boolean, files?: { readonly [name: string]: string }]>([
  ["import torch\n", false],
  ["import afterlog as al\n", true],
  ["import torch, afterlog\n", true],
  ["from afterlog import log, loop\n", true],
  ["import os; import afterlog\n", true],
  ["def main():\n    import afterlog\n", true],
  ["try: import afterlog\nexcept ImportError: pass\n", true],
  ["import torch \\\n    , afterlog\n", true],
  ["import afterlogs\n", false],
  ["# import afterlog\n", false],
  ['"""Use it:\n\nimport afterlog\n"""\n', false],
  ["x = 'a'\nprint('import afterlog')\n", false],
  ["import helper\n", true, { "helper.py": HELPER }],
  ["import helper\n", false, { "helper.py": "x = 1\n" }],
  ["import other\n", false, { "helper.py": HELPER }],
  ["from lib import helper\n", true, { "lib/__init__.py": "", "lib/helper.py": HELPER }],
  [
    "from lib.a import (\n    one,\n    two,\n)\n",
    true,
    { "lib/a.py": "from .b import c\n", "lib/b/c.py": HELPER, "lib/b/__init__.py": "" },
  ],
  ["import lib.a\n", true, { "lib/a.py": "from ..train2 import x\n", "train2.py": HELPER }],
  ["import a\n", false, { "a.py": "import b\n", "b.py": "import a\n" }],
])("%j: %s", (text, knows, files = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-knows-"));
  try {
    for (const [name, content] of Object.entries({ ...files, "train.py": text })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    expect(knowsAfterlog(join(folder, "train.py"))).toBe(knows);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { knowsAfterlog } from "./knows-afterlog.ts";

test.each<[what: string, knows: boolean, files: { readonly [file: string]: string }]>([
  ["an import", true, { "train.ts": 'import * as al from "afterlog";' }],
  ["a require", true, { "train.ts": "const { log } = require('afterlog');" }],
  ["a dynamic import", true, { "train.ts": 'const al = await import("afterlog");' }],
  [
    "an import of an imported file",
    true,
    {
      "train.ts": 'import "./a.js";',
      "a.ts": 'export * from "./b";',
      "b/index.ts": 'import "afterlog"',
    },
  ],
  [
    "files that import each other",
    false,
    { "train.ts": 'import "./a.ts"', "a.ts": 'import "./train.ts"' },
  ],
  ["a word in a comment", false, { "train.ts": '// import * as al from "afterlog"' }],
  ["a word in a text", false, { "train.ts": "const help = 'import \"afterlog\"';" }],
  ["another package", false, { "train.ts": 'import "afterlog-plugin"; import "./gone.ts";' }],
  [
    "a package's own file",
    false,
    { "train.ts": 'import "./node_modules/p/i.js"', "node_modules/p/i.js": 'import "afterlog"' },
  ],
])("%s: %s", (_, knows, files) => {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-knows-"));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    expect(knowsAfterlog(join(folder, "train.ts"))).toBe(knows);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

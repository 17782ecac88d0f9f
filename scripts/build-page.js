/**
 * @file Builds the page (`ui/`) into `dist/ui`, unless it was built of the very same files: part of
 * `npm run build`, which much begins with.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, ROOT } from "./processes.js";

const UI = join(ROOT, "ui");
const STAMP = join(ROOT, "dist/ui/built-of");
const SOURCES = [
  "ui/src",
  "ui/index.html",
  "ui/package.json",
  "ui/vite.config.ts",
  "ui/svelte.config.js",
];

/** @returns {string[]} */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

const hash = createHash("sha256");
for (const file of SOURCES.flatMap((path) => filesIn(join(ROOT, path))))
  hash.update(file.slice(ROOT.length)).update("\0").update(readFileSync(file)).update("\0");
const stamp = hash.digest("hex");

if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== stamp) {
  const { code, output } = await execute(["vite", "build", "--logLevel", "error"], {
    cwd: UI,
    quiet: true,
  });
  if (code !== 0) {
    console.error(output);
    process.exit(code);
  }
  writeFileSync(STAMP, stamp);
}

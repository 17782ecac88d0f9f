/** @file Writes the pages that come from tables of the code: npm run docs */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { PAGES } from "../build/cli/pages/index.js";

for (const { file, text } of PAGES) {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text());
  console.log(file);
}

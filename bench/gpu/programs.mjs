/**
 * @file Prints the programs of `test/python/programs.ts` as JSON, by name: Node alone reads them,
 * where there is no compiler. The first argument is the folder with `node_modules`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url));
const { transformSync } = createRequire(join(root, "package.json"))("@swc/wasm-typescript");
const source = new URL("../../test/python/programs.ts", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "programs-"));
const file = join(folder, "programs.mjs");
writeFileSync(file, transformSync(readFileSync(source, "utf8"), { mode: "strip-only" }).code);
const { PROGRAMS, program } = await import(pathToFileURL(file).href);
rmSync(folder, { recursive: true });
const texts = Object.keys(PROGRAMS).map((name) => [name, program(name)]);
process.stdout.write(JSON.stringify(Object.fromEntries(texts)));

/** @file A hook of Node's loader that blanks the types of TypeScript files. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transformSync } from "@swc/wasm-typescript";

/** @type {import("node:module").LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = transformSync(await readFile(filename, "utf8"), {
    mode: "strip-only",
    filename,
  });
  return { format: "module", source: code, shortCircuit: true };
}

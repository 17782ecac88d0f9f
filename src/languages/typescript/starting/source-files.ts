/**
 * @file Which file on disk an import means, and what kind of module each is: the same for `import`,
 * in Node's loader thread, and for `require`, in the program's.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import { isTypeScript, ON_DISK } from "./find-import.ts";

/** The file that Node was not asked for, or did not find, as an address; undefined: none of the project. */
export function onDisk(specifier: string, parent: string | undefined): string | undefined {
  if (!parent?.startsWith("file:")) return undefined;
  const asked = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
  const found = ON_DISK.find(fileURLToPath(parent), asked);
  if (found === null || found === undefined) return undefined;
  // As Node has it: a file that is reached in two ways is loaded once.
  return pathToFileURL(realpathSync(found)).href + (/[?#].*$/s.exec(specifier)?.[0] ?? "");
}

/** Whether our own rules come before those of Node: for files of the project in TypeScript. */
export function goesFirst(parent: string | undefined): boolean {
  return parent !== undefined && isTypeScript(parent) && !parent.includes("/node_modules/");
}

/** Ends what the rewriting inserts at the first statement of a file. */
export const HEADER_END = "/*al*/";

/** The text without that: an import begins its line again. */
export function withoutHeader(text: string): string {
  const end = text.indexOf(HEADER_END);
  const start = end < 0 ? -1 : text.lastIndexOf("function __al", end);
  return start < 0 ? text : text.slice(0, start) + text.slice(end + HEADER_END.length);
}

const ESM_SYNTAX = /^\s*(?:import|export)\b(?!\s*\()|\bimport\.meta\b/m;

/** Whether it waits outside of functions, which only a module may. */
function awaitsAtTopLevel(source: string): boolean {
  if (!/\bawait\b/.test(source)) return false;
  try {
    compileFunction(source, ["exports", "require", "module", "__filename", "__dirname"]);
    return false;
  } catch {
    return true;
  }
}

/** What the source uses decides, then the package: many a package.json says commonjs by default. */
export function formatOf(path: string, source: string): "module" | "commonjs" {
  const extension = extname(path);
  if (extension === ".cts") return "commonjs";
  if (extension === ".mts" || ESM_SYNTAX.test(source)) return "module";
  if (awaitsAtTopLevel(source)) return "module";
  return packageType(dirname(path)) === "module" ? "module" : "commonjs";
}

export function packageType(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, "package.json");
    if (existsSync(file)) {
      return (JSON.parse(readFileSync(file, "utf8")) as { type?: string }).type;
    }
    if (at === dirname(at)) return undefined;
  }
}

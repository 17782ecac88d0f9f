/**
 * @file Which files are TypeScript, what an import of them may mean, and what kind of module each
 * is: the same for `import`, in Node's loader thread, and for `require`, in the program's.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";

export const TYPESCRIPT: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".tsx"]);
/** What an import may mean on disk, in the order of trying. */
const TRIED = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs"];
const SOURCE_OF: Readonly<{ [extension: string]: readonly string[] }> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};

/** A relative import that Node did not find, by the names that TypeScript would try. */
export function onDisk(specifier: string, parent: string | undefined): string | undefined {
  if (!/^\.{0,2}\/|^file:/.test(specifier) || !parent?.startsWith("file:")) return undefined;
  const path = fileURLToPath(new URL(specifier, parent));
  const found = candidates(path).find((file) => existsSync(file) && statSync(file).isFile());
  return found && pathToFileURL(found).href;
}

/** The files that a path without its own file may mean, in the order of trying. */
export function candidates(path: string): string[] {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  return [
    ...(SOURCE_OF[extension] ?? []).map((source) => stem + source),
    ...TRIED.map((tried) => path + tried),
    ...TRIED.map((tried) => join(path, `index${tried}`)),
  ];
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

function packageType(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, "package.json");
    if (existsSync(file)) {
      return (JSON.parse(readFileSync(file, "utf8")) as { type?: string }).type;
    }
    if (at === dirname(at)) return undefined;
  }
}

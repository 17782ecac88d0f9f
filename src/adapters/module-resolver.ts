/**
 * @file Finds the copy of a package that the program has loaded, synchronously.
 *
 * On Node 20.19 and later `require` of an ES module gives the very instance that `import` gave.
 * A package may be loaded twice (`import` and `require` builds): all candidates are offered, and
 * the caller takes the one whose classes it recognizes.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModuleResolver } from "./adapter.ts";

/** Looks in the `node_modules` above each of these files, and above this one. */
export function moduleResolver(...files: readonly string[]): ModuleResolver {
  return function* resolve(packageName) {
    const seen = new Set<string>();
    for (const from of [...files, fileURLToPath(import.meta.url)]) {
      const folder = packageFolder(dirname(from), packageName);
      const files = folder === undefined ? [] : entryFiles(folder);
      // A CommonJS build that is loaded already is the program's; of ES modules nobody can tell.
      for (const file of files.toSorted((a, b) => Number(isLoaded(b)) - Number(isLoaded(a)))) {
        if (seen.has(file)) continue;
        seen.add(file);
        const loaded = loadModule(file);
        if (loaded !== undefined) yield loaded;
      }
    }
  };
}

function packageFolder(start: string, name: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The files that `import` and `require` of the package load, `import` first. */
function entryFiles(folder: string): string[] {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  const description = JSON.parse(text) as { exports?: unknown; module?: unknown; main?: unknown };
  const main = exportTarget(description.exports, ".") ?? description.exports;
  const found = [
    exportTarget(main, "node", "import"),
    exportTarget(main, "import"),
    exportTarget(main, "node", "require"),
    exportTarget(main, "require"),
    exportTarget(main, "default"),
    main,
    description.main,
  ];
  return [...new Set(found)].flatMap((file) => {
    const path = typeof file === "string" ? file : exportTarget(file, "default");
    return typeof path === "string" ? [join(folder, path)] : [];
  });
}

function exportTarget(exports: unknown, ...keys: readonly string[]): unknown {
  let at = exports;
  for (const key of keys) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function isLoaded(file: string): boolean {
  return file in createRequire(file).cache;
}

function loadModule(file: string): object | undefined {
  try {
    return createRequire(file)(file) as object;
  } catch {
    // Not every entry point can be loaded here; another candidate may be.
    return undefined;
  }
}

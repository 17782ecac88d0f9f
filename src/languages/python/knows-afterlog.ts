/**
 * @file Whether a Python program uses Afterlog by itself: whether any of its files imports it. One that
 * does not is recorded hands-free (Flor §3.3).
 *
 * Decided from the text before the program runs, without starting an interpreter. What is imported by
 * a computed name is not found.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files followed: a program with more is a bundle of something that is not its own. */
const FILES_MAX = 2000;
/** Texts and comments, which may speak of imports without being one. */
const NO_CODE = /("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*\1|(["'])(?:\\.|(?!\2)[^\\\n])*\2|#[^\n]*/g;
/** `import a.b as c, d` and `from .a import b, c`, the names of the latter over several lines too. */
const IMPORT =
  /(?:^|[;:])[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*))/gm;

/** Follows the imports of a program through its own files; `program` is an absolute path. */
export function knowsAfterlog(program: string): boolean {
  const found = new Set([program]);
  // Grows while it is gone through.
  for (const file of found) {
    for (const path of importsOf(file)) {
      if (path === "afterlog" || path.startsWith("afterlog.")) return true;
      for (const imported of onDisk(file, program, path)) {
        if (found.size < FILES_MAX) found.add(imported);
      }
    }
  }
  return false;
}

/** Dotted paths that a file may import, with the names taken from each. */
function importsOf(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8")
      .replaceAll(NO_CODE, "")
      .replaceAll(/\\\r?\n/g, " ");
  } catch {
    // The program itself says what is wrong with a file that cannot be read.
    return [];
  }
  return [...text.matchAll(IMPORT)].flatMap(([, modules, from = "", names = ""]) => {
    if (modules !== undefined) return modules.split(",").map(firstWord);
    const dot = from.endsWith(".") ? "" : ".";
    const taken = names.replaceAll(/[()]/g, "").split(",").map(firstWord);
    return [from, ...taken.map((name) => `${from}${dot}${name}`)];
  });
}

function firstWord(text: string): string {
  return text.trim().split(/\s/)[0] ?? "";
}

/** Files of the project that a dotted path means: those beside the importer, or beside the program. */
function onDisk(importer: string, program: string, path: string): string[] {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(path) ?? [];
  const up = dots.slice(1).replaceAll(".", "../");
  const bases = dots === "" ? [dirname(importer), dirname(program)] : [join(dirname(importer), up)];
  const names = rest === "" ? [] : rest.split(".");
  const wholes = bases.flatMap((base) =>
    names.length === 0 ? [base] : names.map((_, at) => join(base, ...names.slice(0, at + 1))),
  );
  return wholes
    .flatMap((whole) => [`${whole}.py`, join(whole, "__init__.py")])
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

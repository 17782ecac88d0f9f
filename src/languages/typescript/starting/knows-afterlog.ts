/**
 * @file Whether a program uses Afterlog by itself: whether any of its files imports it. One that does
 * not is recorded hands-free (Flor §2.2.1: the programmer need only import it; here not even that).
 *
 * Decided from the text before the program runs, so that a recording begins in the right mode. What
 * is imported by a computed name is not found.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { candidates } from "./source-files.ts";

/** Files followed: a program with more is a bundle of something that is not its own. */
const FILES_MAX = 2000;
/** A comment, an import, another text. Whichever begins first is what it is. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\b(?:from|import|require)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1|(["'])(?:\\.|(?!\3)[^\\\n])*\3/g;

/** Follows the imports of a program through its own files; `program` is an absolute path. */
export function knowsAfterlog(program: string): boolean {
  const found = new Set([program]);
  // Grows while it is gone through.
  for (const file of found) {
    for (const specifier of importsOf(file)) {
      if (specifier === "afterlog") return true;
      const imported = onDisk(file, specifier);
      if (imported !== undefined && found.size < FILES_MAX) found.add(imported);
    }
  }
  return false;
}

function importsOf(file: string): string[] {
  try {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(TOKEN)].flatMap(([, , specifier]) => specifier ?? []);
  } catch {
    // The program itself says what is wrong with a file that cannot be read.
    return [];
  }
}

/** The file of the project that an import means; undefined for packages and for what is not code. */
function onDisk(file: string, specifier: string): string | undefined {
  if (!/^\.{0,2}\//.test(specifier) || specifier.includes(".json")) return undefined;
  const path = resolve(dirname(file), specifier.replace(/[?#].*$/, ""));
  if (path.includes(`${sep}node_modules${sep}`)) return undefined;
  return [path, ...candidates(path)].find((one) => {
    return statSync(one, { throwIfNoEntry: false })?.isFile();
  });
}

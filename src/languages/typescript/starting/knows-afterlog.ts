/**
 * @file Whether a program uses Afterlog by itself: whether any of its files imports it. One that does
 * not is recorded hands-free (Flor §3.3: the programmer need only import it; here not even that).
 *
 * Decided from the text before the program runs, so that a recording begins in the right mode. What
 * is imported by a computed name is not found.
 */
import { readFileSync } from "node:fs";
import { installedSkeleton } from "../libraries/loop-skeletons.ts";
import { ON_DISK } from "./find-import.ts";

/** Files followed: a program with more is a bundle of something that is not its own. */
const FILES_MAX = 2000;
/** A comment, an import, another text. Whichever begins first is what it is. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\b(?:from|import|require)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1|(["'])(?:\\.|(?!\3)[^\\\n])*\3/g;

/** `program` is an absolute path. */
export function knowsAfterlog(program: string): boolean {
  return importedBy(program).some(({ specifier }) => specifier === "afterlog");
}

/** Packages that a program imports whose own loops are loops of a run. */
export function loopLibraries(program: string): string[] {
  const found = importedBy(program).flatMap(({ file, specifier }) => {
    return installedSkeleton(file, specifier) ?? [];
  });
  return [...new Set(found)].toSorted();
}

interface Import {
  readonly file: string;
  readonly specifier: string;
}

/** Follows the imports of a program through its own files. */
function importedBy(program: string): Import[] {
  const imports: Import[] = [];
  const found = new Set([program]);
  // Grows while it is gone through.
  for (const file of found) {
    for (const specifier of importsOf(file)) {
      imports.push({ file, specifier });
      if (specifier === "afterlog") return imports;
      const imported = ON_DISK.find(file, specifier);
      if (isFollowed(imported) && found.size < FILES_MAX) found.add(imported);
    }
  }
  return imports;
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

/** Packages and what is no code are not. */
function isFollowed(file: string | null | undefined): file is string {
  return typeof file === "string" && !file.includes("/node_modules/") && !file.endsWith(".json");
}

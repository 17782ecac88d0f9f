/**
 * @file Which source files a program is made of, where no loader of ours has seen them: the
 * program, what its imports lead to, and what `require` has loaded.
 *
 * Imports are found by their text: Node does not tell what it has loaded, and asking its inspector
 * costs 25 to 100 ms and the compiled code of WebAssembly. A name that is computed is not found.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Hashes of sources, by file. */
export type SourceHashes = { [file: string]: string };

/** Files followed: a program with more is a bundle of something that is not its own. */
const FILES_MAX = 2000;
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;
/** A comment, an import by a path, another text. Whichever begins first is what it is. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\b(?:from|import|require)\s*(?:\(\s*)?(["'])(\.{0,2}\/[^"'\n]+|file:[^"'\n]+)\1|(["'])(?:\\.|(?!\3)[^\\\n])*\3/g;
/** What an import may mean on disk besides the very file, in the order of trying. */
const ENDINGS = [".js", ".cjs", ".mjs", ".json", ".ts", ".tsx", ".mts", ".cts", "/index.js"];
const OWN_FOLDER = fileURLToPath(new URL("../..", import.meta.url));

/** The program, and with `follow` all that its imports lead to; names relative to `root`. */
export function reachedSources(
  program: string,
  root: string,
  options: { readonly follow: boolean },
): SourceHashes {
  const hashes: SourceHashes = {};
  const found = new Set([resolve(program)]);
  // Grows while it is gone through.
  for (const file of found) {
    const bytes = readSource(file);
    if (!bytes) continue;
    hashes[relative(root, file)] = hashSource(bytes);
    if (!options.follow || file.endsWith(".json")) continue;
    for (const imported of importsOf(bytes.toString(), file)) {
      if (found.size < FILES_MAX && isOfProgram(imported)) found.add(imported);
    }
  }
  return hashes;
}

/** What `require` has loaded so far, and modules of JSON, without those in `known`. */
export function requiredSources(root: string, known: SourceHashes): SourceHashes {
  const hashes: SourceHashes = {};
  for (const file of Object.keys(createRequire(import.meta.url).cache).slice(0, FILES_MAX)) {
    const name = relative(root, file);
    if (name in known || !SOURCE.test(file) || !isOfProgram(file)) continue;
    const bytes = readSource(file);
    if (bytes) hashes[name] = hashSource(bytes);
  }
  return hashes;
}

function importsOf(text: string, file: string): string[] {
  return [...text.matchAll(TOKEN)].flatMap(([, , specifier]) => {
    if (specifier === undefined) return [];
    const named = specifier.startsWith("file:")
      ? fileURLToPath(specifier)
      : resolve(dirname(file), specifier.replace(/[?#].*$/, ""));
    return onDisk(named) ?? [];
  });
}

/** The file itself, else with an ending, else the TypeScript file that a `.js` stands for. */
function onDisk(named: string): string | undefined {
  const extension = extname(named);
  const stem = named.slice(0, named.length - extension.length);
  const typed = /^\.[cm]?js$/.test(extension) ? [stem + extension.replace("js", "ts")] : [];
  const candidates = [named, ...ENDINGS.map((ending) => named + ending), ...typed];
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

function isOfProgram(file: string): boolean {
  return !file.includes(`${sep}node_modules${sep}`) && !file.startsWith(OWN_FOLDER);
}

/** Undefined for what is not a file: a program may come from standard input. */
function readSource(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function hashSource(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

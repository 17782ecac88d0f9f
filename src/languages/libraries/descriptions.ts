/**
 * @file The descriptions of libraries that come with Afterlog: what the analysis of both languages,
 * landing and the search for what is nondeterministic know of packages. They are read when somebody
 * first asks; a project's own are read by `format/library.ts`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { LibraryDescription } from "../../format/index.ts";
import { describedLibrary } from "../../format/index.ts";

type Ecosystem = "javascript" | "python";

/** Python's are part of its package, which goes where Node is not. */
const FOLDERS: { readonly [ecosystem in Ecosystem]: string } = {
  javascript: "../../../libraries/",
  python: "../../../python/afterlog/libraries/",
};

const read = new Map<Ecosystem, readonly LibraryDescription[]>();

export function descriptionsOf(ecosystem: Ecosystem): readonly LibraryDescription[] {
  let found = read.get(ecosystem);
  if (!found) {
    const folder = fileURLToPath(new URL(FOLDERS[ecosystem], import.meta.url));
    read.set(ecosystem, (found = [...readFolder(folder)]));
  }
  return found;
}

function* readFolder(folder: string): Generator<LibraryDescription> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  for (const file of files.toSorted()) {
    const given: unknown = JSON.parse(readFileSync(folder + file, "utf8"));
    for (const one of Array.isArray(given) ? (given as unknown[]) : [given]) {
      const library = describedLibrary(one);
      if (typeof library === "string") throw new Error(`${file}: ${library}`);
      yield library;
    }
  }
}

/**
 * @file Packages whose own loops are loops of the run (docs/libraries.md, docs/decisions/0048). Each has a skeleton,
 * what it calls of a program and in which loops, which is read in place of the package; and a
 * description of where the package has these loops.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a package has a loop of its skeleton. */
export interface PackageLoop {
  /** The name that it has in the skeleton. */
  readonly name: string;
  /** A file of the package, and the function in it whose first loop it is. */
  readonly file: string;
  readonly function: string;
  /** Makes what the first iteration would make, before the loop: an expression. */
  readonly first?: string;
}

export interface Skeleton {
  /** As programs import it. */
  readonly name: string;
  /** As runs name it: those that were recorded without it are asked without it. */
  readonly identifier: string;
  /** What it is called where files of the program have names. */
  readonly file: string;
  readonly text: string;
  /** Versions of the package that have these loops: `1.6` is any 1.6. */
  readonly versions: readonly string[];
  readonly loops: readonly PackageLoop[];
}

const FOLDER = fileURLToPath(new URL("../../../../libraries/loops/", import.meta.url));
/** Before the name of a package, where files of the program have theirs. */
const PREFIX = "package:";

let all: readonly Skeleton[] | undefined;

function skeletons(): readonly Skeleton[] {
  all ??= readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => readSkeleton(join(FOLDER, file)));
  return all;
}

function readSkeleton(file: string): Skeleton {
  const { name, version, versions, loops } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly name: string;
    readonly version: number;
    readonly versions: readonly string[];
    readonly loops: { readonly [name: string]: Omit<PackageLoop, "name"> };
  };
  return {
    name,
    identifier: `${name} ${version}`,
    file: `${PREFIX}${name}`,
    text: readFileSync(file.replace(/\.json$/, ".skeleton"), "utf8"),
    versions,
    loops: Object.entries(loops).map(([loop, where]) => ({ ...where, name: loop })),
  };
}

/** The text of a skeleton, by what it is called among the files. */
export function skeletonText(file: string): string | undefined {
  if (!isSkeleton(file)) return undefined;
  return skeletons().find((one) => one.file === file)?.text;
}

export function isSkeleton(file: string): boolean {
  return file.startsWith(PREFIX);
}

/** What stands for a package that a file imports, in a run with these; undefined: the package itself. */
export function skeletonFor(
  importer: string,
  specifier: string,
  libraries: readonly string[] | undefined,
): string | undefined {
  // What a skeleton takes from its package is that of the package.
  if (!libraries || isSkeleton(importer)) return undefined;
  const found = skeletons().find(({ name }) => name === specifier);
  return found && libraries.includes(found.identifier) ? found.file : undefined;
}

/** The skeleton with loops in a file of a package, by its absolute path. */
export function skeletonOver(
  path: string,
  libraries: readonly string[] | undefined,
): Skeleton | undefined {
  if (!libraries) return undefined;
  return skeletons().find(({ name, identifier, loops }) => {
    if (!libraries.includes(identifier)) return false;
    return loops.some(({ file }) => path.endsWith(`/node_modules/${name}/${file}`));
  });
}

/** The package that a file imports by this name, if the version that is installed has loops that are known. */
export function installedSkeleton(importer: string, specifier: string): string | undefined {
  const found = skeletons().find(({ name }) => name === specifier);
  if (!found) return undefined;
  for (let folder = dirname(importer); ; folder = dirname(folder)) {
    const file = join(folder, "node_modules", specifier, "package.json");
    if (existsSync(file)) {
      const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version?: string };
      const isKnown = found.versions.some((one) => `${version}.`.startsWith(`${one}.`));
      return isKnown ? found.identifier : undefined;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

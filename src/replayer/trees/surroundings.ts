/**
 * @file What lies around a project, for a replay in a tree of its own: the tree lies in a folder that
 * stands in for the root of the file system, at the place that the project has there, and beside it
 * and the folders around it are links to the originals. So `../data` leads to where it led in the
 * run, whoever opens it: also C libraries and programs that the program starts.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** A folder that holds more gets links only to what the run used in it. */
const ENTRIES_MAX = 1000;

/**
 * Makes the folders around the tree, and the one in which the program is started, if that lies
 * outside it. `used` are the full names of files that the run read or wrote.
 */
export function linkSurroundings(
  mirror: string,
  tree: { readonly top: string; readonly cwd: string },
  used: readonly string[],
): void {
  const folders = [...foldersAround(mirror, dirname(tree.top))];
  const isOutside = tree.cwd !== tree.top && !tree.cwd.startsWith(tree.top + sep);
  if (isOutside) folders.push(...foldersAround(mirror, tree.cwd));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  for (const folder of new Set(folders)) linkEntries(mirror, folder, used);
}

/** The folder and those around it, up to the mirror itself; none if it lies elsewhere. */
function foldersAround(mirror: string, folder: string): string[] {
  if (folder === mirror) return [mirror];
  if (!folder.startsWith(mirror + sep)) return [];
  return [...foldersAround(mirror, dirname(folder)), folder];
}

function linkEntries(mirror: string, folder: string, used: readonly string[]): void {
  const original = join(sep, relative(mirror, folder));
  for (const name of entriesOf(original, used)) {
    const link = join(folder, name);
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
      symlinkSync(join(original, name), link);
    }
  }
}

function entriesOf(folder: string, used: readonly string[]): readonly string[] {
  const listed = list(folder);
  if (listed && listed.length <= ENTRIES_MAX) return listed;
  const inside = join(folder, sep);
  const names = used.flatMap((file) => {
    return file.startsWith(inside) ? (file.slice(inside.length).split(sep)[0] ?? []) : [];
  });
  return [...new Set(names)].filter((name) => existsSync(join(folder, name)));
}

/** Undefined for a folder that may be passed through, but not listed. */
function list(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/**
 * @file A folder of files as items. Names are sorted by their code units, never by a locale or by
 * what the file system says, so that the order is the same on every machine.
 */
import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { AfterlogError, describeError } from "../format/index.ts";
import type { IndexedSource } from "./source.ts";
import { itemsHash } from "./source.ts";

/** One file. Plain data, so that it can be handed to a thread; reading it is the map's work. */
export interface FolderItem {
  /** Path in the folder, with `/`. */
  readonly id: string;
  /** Where to read it. */
  readonly path: string;
  readonly size: number;
}

export interface FolderOptions {
  /** Only files whose name ends so: `[".png", ".jpg"]`; case does not matter. */
  readonly extensions?: readonly string[];
}

/** The files in a folder and in those below; their names and sizes are its fingerprint. */
export function folderSource(path: string, options: FolderOptions = {}): IndexedSource<FolderItem> {
  const wanted = options.extensions?.map((extension) => extension.toLowerCase());
  const isWanted = (name: string): boolean =>
    wanted?.some((extension) => name.toLowerCase().endsWith(extension)) ?? true;
  const ids = filesBelow(path, "", isWanted).sort();
  const items = ids.map((id) => {
    const file = join(path, id);
    return { id, path: file, size: statSync(file).size };
  });
  return {
    kind: "indexed",
    count: items.length,
    at: (index) => items[index] as FolderItem,
    describe: (index) => items[index]?.path ?? `item ${index}`,
    fingerprint() {
      const hash = createHash("sha256").update("folder\n");
      for (const { id, size } of items) hash.update(`${JSON.stringify([id, size])}\n`);
      return itemsHash(hash);
    },
  };
}

/** Links are followed to files, not to folders: those could lead in a circle. */
function filesBelow(root: string, below: string, isWanted: (name: string) => boolean): string[] {
  return folderEntries(join(root, below)).flatMap((entry) => {
    const id = posix.join(below, entry.name);
    if (entry.isDirectory()) return filesBelow(root, id, isWanted);
    if (!isWanted(entry.name)) return [];
    const isFile = entry.isFile() || (entry.isSymbolicLink() && isLinkToFile(join(root, id)));
    return isFile ? [id] : [];
  });
}

function isLinkToFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function folderEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    throw new AfterlogError("AL006", `the folder of a dataset cannot be read: ${path}`, {
      notes: [describeError(error)],
      help: ["give the path of a folder, absolute or from where the program was started"],
      cause: error,
    });
  }
}

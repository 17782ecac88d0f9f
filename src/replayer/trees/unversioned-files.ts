/**
 * @file Files that a run could see although its version does not hold them: data sets, builds, what
 * .gitignore names. They are there in the replay if they were there before the run and if the run
 * did not write them: a program that resumes from its own checkpoint must not find it (semantics,
 * "Files").
 */
import { lstatSync, readdirSync } from "node:fs";
import type { Dirent, Stats } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { hasHash } from "./file-hash.ts";

/** Something that the replay's tree gets from the working tree. */
export interface UnversionedFile {
  /** `tree`: a folder that holds only what existed before, to be linked whole. */
  readonly kind: "file" | "link" | "folder" | "packages" | "tree";
  /** From the top of the working tree. */
  readonly path: string;
  readonly bytes: number;
}

export interface UnversionedFiles {
  readonly files: readonly UnversionedFile[];
  readonly warnings: readonly string[];
}

export interface LookOptions {
  /** Top of the working tree. */
  readonly top: string;
  /** The `.afterlog` folder, wherever it is. */
  readonly store: string;
  /** What the version holds, and submodules. */
  readonly inVersion: ReadonlySet<string>;
  /** Full names of the files that the run wrote, and of those that it read, with their hashes. */
  readonly written: ReadonlySet<string>;
  readonly read: ReadonlyMap<string, string>;
  readonly startedMs: number;
}

/** Past so many files, whole folders of files are linked: a link for each would take seconds. */
const FILES_MAX = 20_000;
/** A working tree with more folders is a home folder or a disk. */
const FOLDERS_MAX = 100_000;

/** Looks through the working tree, without following links. */
export function findUnversionedFiles(options: LookOptions): UnversionedFiles {
  return new Look(options).result();
}

class Look {
  readonly #options: LookOptions;
  readonly #store: string;
  readonly #files: UnversionedFile[] = [];
  readonly #warnings: string[] = [];
  /** Full names of folders that hold files of the version, or that the run wrote in. */
  readonly #mixedFolders: ReadonlySet<string>;
  #folders = 0;

  constructor(options: LookOptions) {
    this.#options = options;
    this.#store = resolve(options.store);
    const kept = [...options.inVersion].map((path) => join(options.top, path));
    this.#mixedFolders = new Set([...kept, ...options.written].map((file) => dirname(file)));
  }

  result(): UnversionedFiles {
    const waiting = [""];
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
      this.#folders += 1;
      if (this.#folders > FOLDERS_MAX) {
        this.#warnings.push(`only the first ${FOLDERS_MAX} folders are seen by the replay`);
        break;
      }
      waiting.push(...this.#folder(folder));
    }
    return { files: this.#files, warnings: this.#warnings };
  }

  /** Takes what is in a folder; answers the folders inside that are still to be looked at. */
  #folder(folder: string): string[] {
    const entries = this.#list(folder);
    const isLeaf = entries.every((entry) => !entry.isDirectory());
    if (isLeaf && this.#mayLinkWhole(folder)) {
      this.#files.push({ kind: "tree", path: folder, bytes: 0 });
      return [];
    }
    return entries.flatMap((entry) => this.#entry(join(folder, entry.name), entry));
  }

  #entry(path: string, entry: Dirent): string[] {
    if (this.#isLeftOut(path, entry)) return [];
    const stat = this.#stat(path);
    if (stat === undefined) return [];
    if (entry.isDirectory()) {
      const existed = bornMs(stat) <= this.#options.startedMs;
      if (entry.name === "node_modules") {
        this.#files.push({ kind: "packages", path, bytes: 0 });
        return [];
      }
      if (existed) this.#files.push({ kind: "folder", path, bytes: 0 });
      return [path];
    }
    const kind = entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : undefined;
    if (kind !== undefined && this.#existedBefore(path, stat)) {
      this.#files.push({ kind, path, bytes: stat.size });
    }
    return [];
  }

  #isLeftOut(path: string, entry: Dirent): boolean {
    if (entry.name === ".git" || entry.name === ".afterlog") return true;
    return this.#options.inVersion.has(path) || join(this.#options.top, path) === this.#store;
  }

  /**
   * A file that was made anew (copied, downloaded) is what it was if its content is. With another content it is there
   * too, if the run only read it: whoever reads it is told that it has changed.
   */
  #existedBefore(path: string, stat: Stats): boolean {
    const { top, written, read, startedMs } = this.#options;
    const file = join(top, path);
    if (bornMs(stat) <= startedMs && !written.has(file)) return true;
    const hash = read.get(file);
    return hash !== undefined && (!written.has(file) || hasHash(file, hash));
  }

  /** A folder without folders: nothing was added to it or taken away since the run began. */
  #mayLinkWhole(folder: string): boolean {
    if (this.#files.length < FILES_MAX || folder === "") return false;
    const stat = this.#stat(folder);
    const unchanged = stat !== undefined && stat.mtimeMs <= this.#options.startedMs;
    return unchanged && !this.#mixedFolders.has(join(this.#options.top, folder));
  }

  #list(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.#options.top, folder), { withFileTypes: true });
    } catch {
      this.#warnings.push(`${folder}${sep} cannot be read: the replay does not see it`);
      return [];
    }
  }

  #stat(path: string): Stats | undefined {
    try {
      return lstatSync(join(this.#options.top, path));
    } catch {
      // Gone meanwhile, or a name that is not Unicode.
      return undefined;
    }
  }
}

/** When a file was made; where the system does not tell, when it was last written. */
function bornMs(stat: Stats): number {
  return stat.birthtimeMs > 0 ? stat.birthtimeMs : stat.mtimeMs;
}

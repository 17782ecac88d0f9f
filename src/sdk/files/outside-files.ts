/**
 * @file The files outside of a replayed project, as the run found them: an overlay.
 *
 * Reads go to the originals. What is written goes to copies in a folder of the replay's own, which
 * has the layout of the file system; from then on the copy is what the program finds. An original
 * that was removed, that has a copy, or that the run itself made is hidden. What the run changed is
 * brought back where that is possible: a file that has only grown since is as long again as it was.
 *
 * A place is the one name of a file that several names may lead to.
 */
import fs from "node:fs";
import { dirname, join, sep } from "node:path";
import { FOLDER_BEFORE, NOTHING_BEFORE, TREE_BEFORE } from "../../format/index.ts";
import { fileFingerprint } from "../../store/index.ts";

/** Copies are made of files that are changed or appended to, so many bytes in all. */
const COPIED_BYTES_MAX = 4 * 2 ** 30;
/** A folder that was changed and is listed becomes a folder of links. */
const ENTRIES_MAX = 100_000;
const LINKS_MAX = 40;

/** What was where the run first wrote to: nothing, a folder, or a file with a hash. */
export interface FoundBefore {
  readonly before: string;
  readonly bytes: number;
}

/**
 * What is done with a file. `link`: look at the link itself; `write`: what is there is kept; `empty`:
 * it is not; `move`: away, to where the next one is written.
 */
export type FileUse =
  | "read"
  | "look"
  | "link"
  | "list"
  | "change"
  | "write"
  | "empty"
  | "remove"
  | "move"
  | "make"
  | "makeAll";

export interface OutsideOptions {
  readonly copies: string;
  /** What the run found where it wrote. */
  readonly before: ReadonlyMap<string, FoundBefore>;
  /** Files that it wrote, and that were there when it ended. */
  readonly left: ReadonlyMap<string, unknown>;
  readonly refuse: (why: string) => void;
}

export class OutsideFiles {
  readonly #options: OutsideOptions;
  readonly #copies: string;
  /** Places whose originals, and all in them, are not what the program finds there. */
  readonly #hidden = new Set<string>();
  /** What the run wrote to: what it found there, until that is brought back. */
  readonly #before = new Map<string, FoundBefore>();
  readonly #written: ReadonlySet<string>;
  /** Files whose content cannot be had, and why. */
  readonly #lost = new Map<string, string>();
  /** Of one that was just moved away; it is written elsewhere next. */
  #moved: string | undefined;
  #copiedBytes = 0;
  #hasWritten = false;

  constructor(options: OutsideOptions) {
    this.#options = options;
    this.#copies = options.copies;
    for (const [file, found] of options.before) this.#before.set(this.place(file, false), found);
    this.#written = new Set(this.#before.keys());
    for (const [place, { before }] of this.#before) {
      if (before === NOTHING_BEFORE) this.#hidden.add(place);
      if (before === FOLDER_BEFORE || before === TREE_BEFORE) this.#settle(place);
    }
  }

  /** Whether every original is still what the program finds. */
  get isUntouched(): boolean {
    return this.#hidden.size === 0 && this.#before.size === 0;
  }

  /** Whether there are files that only this process finds. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Of a link: what it leads to, if it follows, else the link itself. */
  place(file: string, follows: boolean): string {
    let at: string = sep;
    let rest = partsOf(file);
    for (let links = 0; ;) {
      const part = rest.shift();
      if (part === undefined) return at;
      const below = join(at, part);
      const link =
        (rest.length > 0 || follows) && links < LINKS_MAX ? this.#linkAt(below) : undefined;
      if (link === undefined) at = below;
      else {
        rest = [...partsOf(link.startsWith(sep) ? link : join(at, link)), ...rest];
        at = sep;
        links += 1;
      }
    }
  }

  /** Where what the program finds at this place is, if anything is. */
  find(place: string): string {
    this.#settle(place);
    if (this.#hidden.size === 0) return place;
    const copy = this.#copies + place;
    if (exists(copy)) return this.#isOurs(copy) ? place : copy;
    return this.#isHidden(place) ? copy : place;
  }

  /** Where the program does it. */
  use(use: FileUse, place: string): string {
    this.#refuseLost(use, place);
    if (use === "list") return this.#list(place);
    if (use === "read" || use === "look" || use === "link") return this.find(place);
    if (this.#isDenied(place)) return place;
    switch (use) {
      case "make":
      case "makeAll":
        return this.#make(place, use === "makeAll");
      case "remove":
        return this.#remove(place);
      case "move":
        return this.#move(place);
      case "change":
      case "write":
      case "empty":
        return this.#write(place, use !== "empty");
    }
  }

  /** That something is there, and how large it is, is known of what cannot be had. */
  #refuseLost(use: FileUse, place: string): void {
    const isLook = use === "look" || use === "link";
    if (this.#lost.size === 0 || !(isLook || ["read", "change", "list"].includes(use))) return;
    let at = isLook ? dirname(place) : place;
    while (!this.#lost.has(at) && at !== dirname(at)) at = dirname(at);
    const lost = this.#lost.get(at);
    if (lost !== undefined) this.#options.refuse(lost);
  }

  /** Where it is to be written; with what is there now if that is kept. */
  #write(place: string, keeps: boolean): string {
    const found = this.find(place);
    const copy = this.#copies + place;
    if (isFolder(found)) return this.#copyFolder(place);
    // What cannot be written there is the program's to meet.
    if (!this.#hasFolder(place)) return found;
    if (!exists(copy) || this.#isOurs(copy)) {
      this.#makeRoom(place);
      if (keeps && found === place && isFile(place)) this.#bring(place);
    }
    if (!keeps) this.#lost.delete(place);
    if (this.#moved !== undefined) this.#lost.set(place, this.#moved);
    this.#moved = undefined;
    this.#hasWritten = true;
    this.#hidden.add(place);
    return copy;
  }

  /** Where a folder is to be made; one that is there is met by the program. */
  #make(folder: string, withFolders: boolean): string {
    const found = this.find(folder);
    if (exists(found) || !(withFolders || this.#hasFolder(folder))) return found;
    this.#makeRoom(folder);
    this.#hidden.add(folder);
    return this.#copies + folder;
  }

  /** Where there is something to be removed in its stead; a folder has what is in it. */
  #remove(place: string): string {
    const found = this.find(place);
    const copy = this.#copies + place;
    if (!exists(found)) return found;
    if (isFolder(found) && !isLink(found)) this.#copyFolder(place);
    else if (found !== copy) {
      this.#makeRoom(place);
      makeFile(copy, 0);
    }
    this.#lost.delete(place);
    this.#hidden.add(place);
    return copy;
  }

  /** What is to be moved away. */
  #move(place: string): string {
    const found = this.find(place);
    let copy = this.#copies + place;
    if (isFolder(found) && !isLink(found)) this.#copyAllIn(place);
    else if (exists(found)) copy = this.#write(place, true);
    this.#moved = this.#lost.get(place);
    this.#lost.delete(place);
    this.#hidden.add(place);
    return copy;
  }

  /** A folder with everything that the program finds in it. */
  #list(folder: string): string {
    const found = this.find(folder);
    const inside = join(folder, sep);
    for (const place of this.#before.keys()) if (place.startsWith(inside)) this.#settle(place);
    const isChanged = [...this.#hidden].some((place) => place.startsWith(inside));
    return isFolder(found) && isChanged ? this.#copyFolder(folder) : found;
  }

  /** With links to what lies in the original, beside what lies in the copy already. */
  #copyFolder(folder: string): string {
    const copy = this.#copies + folder;
    this.#makeRoom(join(folder, "any"));
    const names = this.#isHidden(folder) || !isFolder(folder) ? [] : fs.readdirSync(folder);
    if (names.length > ENTRIES_MAX) {
      this.#options.refuse(`${folder} was changed, and has more than ${ENTRIES_MAX} entries`);
    }
    for (const name of names) {
      const place = join(folder, name);
      if (!this.#hidden.has(place) && !exists(join(copy, name))) {
        fs.symlinkSync(place, join(copy, name));
      }
    }
    return copy;
  }

  #copyAllIn(folder: string): void {
    for (const name of fs.readdirSync(this.#copyFolder(folder))) {
      const place = join(folder, name);
      if (!this.#isOurs(this.#copies + place)) continue;
      if (isFolder(place) && !isLink(place)) this.#copyAllIn(place);
      else {
        fs.unlinkSync(this.#copies + place);
        this.#bring(place);
      }
    }
  }

  /** Brings back what the run found there, if it was changed since. */
  #settle(place: string): void {
    const found = this.#before.get(place);
    this.#before.delete(place);
    if (found === undefined || found.before === NOTHING_BEFORE) return;
    if (found.before === FOLDER_BEFORE && isFolder(place)) return;
    const wholeBytesMax = found.before.startsWith("sha256:") ? Infinity : 0;
    const now = fileFingerprint(place, wholeBytesMax);
    if (now?.hash === found.before) return;
    const copy = this.#copies + place;
    this.#makeRoom(place);
    this.#hidden.add(place);
    const why = `${place} ${fs.existsSync(place) ? "has changed since" : "is missing:"} the run found it`;
    if (found.before === FOLDER_BEFORE || found.before === TREE_BEFORE) {
      fs.mkdirSync(copy, { recursive: true });
      if (found.before === TREE_BEFORE) this.#lost.set(place, why);
      return;
    }
    if (now !== undefined && now.bytes > found.bytes) {
      this.#bring(place);
      fs.truncateSync(copy, found.bytes);
    }
    if (fileFingerprint(copy, wholeBytesMax)?.hash === found.before) return;
    makeFile(copy, found.bytes);
    if (!this.#lost.has(place)) this.#lost.set(place, why);
  }

  /** Copies a file; of one that cannot be copied there is only the size. */
  #bring(place: string): void {
    const copy = this.#copies + place;
    const { size } = fs.statSync(place);
    this.#copiedBytes += size;
    let why = `more than ${COPIED_BYTES_MAX / 2 ** 30} GiB of files would be copied`;
    try {
      if (this.#copiedBytes <= COPIED_BYTES_MAX) {
        fs.copyFileSync(place, copy, fs.constants.COPYFILE_FICLONE);
        return;
      }
    } catch (error) {
      why = String(error);
    }
    makeFile(copy, size);
    this.#lost.set(place, `${place} was written to, and could not be copied: ${why}`);
  }

  /** The folder for a copy, in which no link of ours leads to originals. */
  #makeRoom(place: string): void {
    let at = this.#copies;
    fs.mkdirSync(at, { recursive: true });
    for (const part of partsOf(dirname(place))) {
      at = join(at, part);
      if (this.#isOurs(at)) fs.unlinkSync(at);
      if (!isFolder(at)) fs.mkdirSync(at);
    }
    if (this.#isOurs(this.#copies + place)) fs.unlinkSync(this.#copies + place);
  }

  /** The run wrote there: then it had one. */
  #hasFolder(place: string): boolean {
    return this.#written.has(place) || isFolder(this.find(dirname(place)));
  }

  /** Whether the program may not write to an original, as it could not in the run. */
  #isDenied(place: string): boolean {
    if (this.#options.left.has(place) || this.find(place) !== place) return false;
    const existing = exists(place) ? place : dirname(place);
    return exists(existing) && !mayWrite(existing);
  }

  #linkAt(place: string): string | undefined {
    const copy = this.#copies + place;
    if (exists(copy) && !this.#isOurs(copy))
      return isLink(copy) ? fs.readlinkSync(copy) : undefined;
    if (this.#isHidden(place) || !isLink(place)) return undefined;
    return fs.readlinkSync(place);
  }

  /** Whether it is a link that stands for the original. */
  #isOurs(copy: string): boolean {
    return isLink(copy) && fs.readlinkSync(copy) === copy.slice(this.#copies.length);
  }

  #isHidden(place: string): boolean {
    for (let at = place; this.#hidden.size > 0; at = dirname(at)) {
      if (this.#hidden.has(at)) return true;
      if (at === dirname(at)) return false;
    }
    return false;
  }
}

function makeFile(path: string, bytes: number): void {
  fs.writeFileSync(path, "");
  fs.truncateSync(path, bytes);
}

function partsOf(path: string): string[] {
  return join(path)
    .split(sep)
    .filter((part) => part !== "");
}

function exists(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function mayWrite(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

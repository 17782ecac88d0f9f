/**
 * @file The files of a replaying program (semantics, "Files"): what it writes never reaches an
 * original, and what it reads is what the run read.
 *
 * The program runs in a tree of its own, but large files of that tree are links to the originals,
 * and a path may lead out of it. Node's `fs` is wrapped: before a write, a link becomes a copy, and
 * a path outside is led to a copy (`outside-files.ts`). What programs do that the program starts is
 * not seen: none is started that might read what is missing, or what only this process finds.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoopPath } from "../../format/index.ts";
import { ANY_FILE, formatPath, pathElement } from "../../format/index.ts";
import type { FileUse, FoundBefore } from "./outside-files.ts";
import { OutsideFiles } from "./outside-files.ts";
import type { NodeFunctions } from "./wrap-function.ts";
import { wrapFunction } from "./wrap-function.ts";
import { fileFingerprint } from "../../store/index.ts";
import { loopsOf, STARTERS } from "./watch-files.ts";

/** A file that the run wrote: where it did so last, and what it was when the run ended. */
export interface LeftFile {
  readonly path: LoopPath;
  readonly hash: string;
}

export interface ReplayFilesOptions {
  /** The tree that stands in for the project. */
  readonly root: string;
  /** Stands in for the root of the file system, with the tree in it; undefined: nothing does. */
  readonly mirror: string | undefined;
  /** The project itself: a path that names it means the tree. */
  readonly originals: readonly string[];
  /** Folders whose files are the replay's own already. */
  readonly own: readonly string[];
  /** Where copies of files outside the tree go. */
  readonly copies: string;
  /** Files that the run wrote, with the loops in which it did; hashes of those that it read. */
  readonly written: ReadonlyMap<string, ReadonlySet<string>>;
  readonly read: ReadonlyMap<string, string>;
  /** What it found where it first wrote outside its project, and the files that it left there. */
  readonly before: ReadonlyMap<string, FoundBefore>;
  readonly left: ReadonlyMap<string, LeftFile>;
  /** Where the program is. */
  readonly path: () => LoopPath;
  readonly insufficient: (why: string) => void;
  readonly diverged: (why: string) => void;
}

/** What each function does with the paths that it is given, in order. */
const USES: Readonly<{ [name: string]: readonly (FileUse | undefined)[] }> = {
  readFile: ["read"],
  readlink: ["link"],
  stat: ["look"],
  lstat: ["link"],
  access: ["look"],
  exists: ["look"],
  realpath: ["look"],
  readdir: ["list"],
  opendir: ["list"],
  appendFile: ["write"],
  truncate: ["write"],
  chmod: ["write"],
  chown: ["write"],
  lchown: ["write"],
  utimes: ["write"],
  lutimes: ["write"],
  statfs: ["look"],
  openAsBlob: ["read"],
  mkdtemp: ["empty"],
  unlink: ["remove"],
  rm: ["remove"],
  rmdir: ["remove"],
  rename: ["move", "empty"],
  copyFile: ["read", "empty"],
  cp: ["list", "write"],
  link: ["read", "empty"],
  symlink: [undefined, "empty"],
};
const READS: ReadonlySet<FileUse> = new Set(["read", "look", "link", "list"]);
/** What is used is the link itself, not what it leads to. */
const OF_LINKS: ReadonlySet<FileUse> = new Set(["link", "remove", "move", "make", "makeAll"]);

export class ReplayFiles {
  readonly #options: ReplayFilesOptions;
  readonly #outside: OutsideFiles;
  /** Folders of the tree, and whether they are in it, not behind a link. */
  readonly #insides = new Map<string, boolean>();
  /** Files that this replay has written itself, or found to be as the run read them. */
  readonly #written = new Set<string>();
  readonly #checked = new Set<string>();
  /** Files that parts of the run wrote which this replay has skipped. */
  readonly #missing = new Set<string>();
  /** Ends of outermost loops to which it has skipped, as text. */
  readonly #passed = new Set<string>();
  #inside = 0;

  constructor(options: ReplayFilesOptions) {
    this.#options = options;
    const { copies, before, left, diverged } = options;
    this.#outside = new OutsideFiles({ copies, before, left, refuse: diverged });
  }

  install(): void {
    for (const target of [fs, fs.promises] as unknown as NodeFunctions[]) {
      for (const [name, uses] of Object.entries(USES)) {
        for (const full of [name, `${name}Sync`]) this.#wrap(target, full, () => uses);
      }
      for (const full of ["open", "openSync"]) {
        this.#wrap(target, full, (args) => [useOfFlags(args[1])]);
      }
      for (const full of ["mkdir", "mkdirSync"]) {
        this.#wrap(target, full, (args) => [isRecursive(args[1]) ? "makeAll" : "make"]);
      }
      for (const full of ["writeFile", "writeFileSync"]) {
        this.#wrap(target, full, (args) => [useOfFlags(flagOf(args[2]) ?? "w")]);
      }
    }
    for (const name of STARTERS) this.#wrapStarter(childProcess as unknown as NodeFunctions, name);
    syncBuiltinESMExports();
  }

  /** Iterations of this loop, or all of it, have been skipped: what they wrote is not there. */
  skipped(path: LoopPath): void {
    const loops = loopsOf(path);
    if (path.length === 1) this.#passed.add(formatPath(path));
    for (const [file, places] of this.#options.written) {
      if ([...places].some((place) => place.startsWith(loops))) this.#missing.add(file);
    }
  }

  #wrap(
    target: NodeFunctions,
    name: string,
    usesOf: (args: unknown[]) => readonly (FileUse | undefined)[],
  ): void {
    const original = target[name];
    if (!original) return;
    target[name] = wrapFunction(original, (args) => this.#follow(args, usesOf(args)));
  }

  #wrapStarter(target: NodeFunctions, name: string): void {
    const original = target[name];
    if (!original) return;
    target[name] = wrapFunction(original, (args) => {
      const [missing] = this.#missing;
      if (missing !== undefined) this.#refuse(missing);
      if (this.#outside.hasWritten && !readsNothing(args[0])) {
        const { insufficient } = this.#options;
        insufficient("a program is started that may read what was written outside the project");
      }
      return args;
    });
  }

  /** The arguments with each path led to where the replay may use it. */
  #follow(args: unknown[], uses: readonly (FileUse | undefined)[]): unknown[] {
    // What we do here ourselves is not the program's.
    if (this.#inside > 0) return args;
    this.#inside++;
    try {
      return args.map((argument, at) => {
        const use = uses[at];
        const path = use && argumentAsPath(argument);
        return use && path !== undefined ? this.#lead(path, use) : argument;
      });
    } finally {
      this.#inside--;
    }
  }

  #lead(given: string, use: FileUse): string {
    const { root } = this.#options;
    const named = resolve(given);
    const file = this.#trueName(named);
    if (file === undefined || /^\/(?:dev|proc|sys)\//.test(file)) return given;
    const isInside = isInFolder(file, root);
    const name = isInside ? relative(root, file) : file;
    if (isInside && this.#staysInside(dirname(file))) {
      this.#lookAt(name, file, use);
      if (!READS.has(use)) separate(file);
      return file === named ? given : file;
    }
    if (READS.has(use) && this.#outside.isUntouched) {
      this.#lookAt(name, file, use);
      return file === named ? given : file;
    }
    const place = this.#outside.place(file, !OF_LINKS.has(use));
    this.#lookAt(name, this.#outside.find(place), use);
    const led = this.#outside.use(use, place);
    // The program's own name for it is as good, and what it may print.
    return led === place && file === named ? given : led;
  }

  /** The file that is meant, in the tree or where it is; undefined: it is the replay's own. */
  #trueName(named: string): string | undefined {
    const { root, own, originals, copies, mirror } = this.#options;
    if (isInFolder(named, root)) return named;
    const around = [copies, mirror].find((one) => one !== undefined && isInFolder(named, one));
    if (around === undefined && own.some((folder) => isInFolder(named, folder))) return undefined;
    const file = around === undefined ? named : named.slice(around.length) || sep;
    const original = originals.find((one) => isInFolder(file, one));
    return original === undefined ? file : join(root, relative(original, file));
  }

  /** Whether no link on the way leads out of the tree. */
  #staysInside(folder: string): boolean {
    const known = this.#insides.get(folder);
    if (known !== undefined) return known;
    const inside = isInFolder(realFolder(folder), fs.realpathSync(this.#options.root));
    this.#insides.set(folder, inside);
    return inside;
  }

  #lookAt(name: string, found: string, use: FileUse): void {
    const isMade = use === "make" || use === "makeAll";
    if (use === "empty") this.#missing.delete(name);
    else if (use !== "write" && !isMade && !(use === "read" && this.#isLeftAsItWas(name))) {
      this.#refuseMissing(name, use, found);
    }
    if (use === "read" || use === "change") this.#checkRead(name, found);
    if (READS.has(use)) return;
    this.#written.add(name);
    this.#insides.clear();
  }

  /** A file that a skipped part of the run wrote is not here: the answer would be another one. */
  #refuseMissing(name: string, use: FileUse, path: string): void {
    if (this.#missing.size === 0) return;
    if (this.#missing.has(ANY_FILE)) this.#refuse(ANY_FILE);
    const isInside = (file: string): boolean => name === "" || file.startsWith(name + sep);
    // A folder that is there is there; one that is not may have been made for what is in it.
    const isLook = use === "look" || use === "link";
    const asFolder = use === "list" || use === "move" || (isLook && !fs.existsSync(path));
    const missing = [...this.#missing].find((file) => {
      return file === name || name.startsWith(file + sep) || (asFolder && isInside(file));
    });
    if (missing !== undefined) this.#refuse(missing);
  }

  /**
   * Whether the run read here what it left in the end, and what it left still lies in the project: the
   * program gets a copy of that. The last write was in a loop that is behind it.
   */
  #isLeftAsItWas(name: string): boolean {
    const { left, path, originals, root } = this.#options;
    const [outermost] = left.get(name)?.path ?? [];
    if (!outermost || !this.#missing.has(name) || this.#missing.has(ANY_FILE)) return false;
    const end = formatPath([pathElement(outermost[0], "end", outermost[2] ?? 0)]);
    if (!this.#passed.has(end) || path().length > 0 || this.#written.has(name)) return false;
    const hash = left.get(name)?.hash ?? "";
    const isSame = (file: string): boolean =>
      fileFingerprint(file, hash.startsWith("sha256:") ? Infinity : 0)?.hash === hash;
    // Outside of the project, and where a replay has no tree, there is no other than the one asked for.
    const others = isAbsolute(name) ? [] : originals.filter((folder) => folder !== root);
    const original = others.map((folder) => join(folder, name)).find(isSame);
    if (original === undefined) return false;
    fs.mkdirSync(dirname(join(root, name)), { recursive: true });
    fs.copyFileSync(original, join(root, name));
    this.#missing.delete(name);
    this.#checked.add(name);
    return true;
  }

  #refuse(missing: string): void {
    const what = missing === ANY_FILE ? "a file, perhaps by a program that was started," : missing;
    this.#options.insufficient(`${what} was written in a part of the run that is not executed`);
  }

  /** A file that is not what the run read makes every value another one. */
  #checkRead(name: string, path: string): void {
    const hash = this.#options.read.get(name);
    if (hash === undefined || this.#written.has(name) || this.#checked.has(name)) return;
    this.#checked.add(name);
    const whole = hash.startsWith("sha256:");
    const now = fileFingerprint(path, whole ? Infinity : 0);
    if (now?.hash === hash) return;
    if (!now && isInFolder(path, this.#options.copies)) {
      // Somebody else wrote it for the run, where the run had made a folder.
      this.#options.insufficient(`${name} was made while the run was executed`);
    }
    const why = now ? "has changed since the run read it" : "is missing: the run read it";
    this.#options.diverged(`${name} ${why}`);
  }
}

/** A link becomes a copy of what it leads to: what is written is the replay's own. */
function separate(file: string): void {
  const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  const original = fs.realpathSync(file);
  const copy = `${file}.copy`;
  fs.copyFileSync(original, copy, fs.constants.COPYFILE_FICLONE);
  fs.renameSync(copy, file);
}

/** The folder as it really is, or the nearest around it that exists. */
function realFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (fs.existsSync(at) || at === dirname(at)) return fs.realpathSync(at);
  }
}

function useOfFlags(flags: unknown): FileUse {
  if (typeof flags === "number") {
    const { O_WRONLY, O_RDWR, O_TRUNC } = fs.constants;
    if ((flags & (O_WRONLY | O_RDWR)) === 0) return "read";
    if ((flags & O_TRUNC) !== 0) return "empty";
    return (flags & O_RDWR) === 0 ? "write" : "change";
  }
  if (typeof flags !== "string" || !/[wa+]/.test(flags)) return "read";
  // Whether there is something that it must not overwrite is told by what is kept.
  if (flags.includes("w")) return flags.includes("x") ? "write" : "empty";
  return flags.includes("+") ? "change" : "write";
}

function flagOf(options: unknown): unknown {
  if (typeof options !== "object" || options === null || !("flag" in options)) return undefined;
  return options.flag;
}

function isRecursive(options: unknown): boolean {
  return typeof options === "object" && options !== null && "recursive" in options;
}

/** Programs that look at the machine or at the project, and at no file that a program wrote. */
const LOOKERS = new Set(["git", "nvidia-smi", "uname", "hostname", "which", "lscpu", "ldconfig"]);

function readsNothing(command: unknown): boolean {
  return typeof command === "string" && LOOKERS.has(basename(command));
}

function argumentAsPath(argument: unknown): string | undefined {
  if (argument instanceof URL) return fileURLToPath(argument);
  if (Buffer.isBuffer(argument)) return argument.toString();
  return typeof argument === "string" ? argument : undefined;
}

function isInFolder(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder + sep);
}

/**
 * @file The files of a replaying program (semantics, "Files"): what it writes never reaches an
 * original, and what it reads is what the run read.
 *
 * The program runs in a tree of its own, but large files of that tree are links to the originals,
 * and a path may lead out of it. Node's `fs` is wrapped: before a write, a link becomes a copy, and
 * a path outside is led to a copy beside the tree. What programs do that the program starts is not
 * seen: none is started while files are missing that it might read.
 */
import childProcess from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ANY_FILE } from "../../format/index.ts";
import type { NodeFunctions } from "./wrap-function.ts";
import { wrapFunction } from "./wrap-function.ts";
import { fileFingerprint, STARTERS } from "./watch-files.ts";

export interface ReplayFilesOptions {
  /** The tree that stands in for the project. */
  readonly root: string;
  /** The project itself: a path that names it means the tree. */
  readonly original: string | undefined;
  /** Folders whose files are the replay's own already. */
  readonly own: readonly string[];
  /** Where copies of files outside the tree go. */
  readonly shadow: string;
  /** Files that the run wrote, with the loops in which it did; hashes of those that it read. */
  readonly written: ReadonlyMap<string, ReadonlySet<string>>;
  readonly read: ReadonlyMap<string, string>;
  readonly insufficient: (why: string) => void;
  readonly diverged: (why: string) => void;
}

/** `empty`: what was there before does not matter; `write`: nor is it read. */
type FileUse = "read" | "look" | "list" | "change" | "write" | "empty" | "remove";

/** What each function does with the paths that it is given, in order. */
const USES: Readonly<{ [name: string]: readonly (FileUse | undefined)[] }> = {
  readFile: ["read"],
  readlink: ["look"],
  stat: ["look"],
  lstat: ["look"],
  access: ["look"],
  exists: ["look"],
  realpath: ["look"],
  readdir: ["list"],
  opendir: ["list"],
  appendFile: ["write"],
  truncate: ["write"],
  chmod: ["write"],
  chown: ["write"],
  utimes: ["write"],
  mkdir: ["write"],
  mkdtemp: ["empty"],
  unlink: ["remove"],
  rm: ["remove"],
  rmdir: ["remove"],
  rename: ["remove", "empty"],
  copyFile: ["read", "empty"],
  cp: ["read", "write"],
  link: ["read", "empty"],
  symlink: [undefined, "empty"],
};

export class ReplayFiles {
  readonly #options: ReplayFilesOptions;
  /** Paths outside, to their copies. */
  readonly #shadows = new Map<string, string>();
  /** Files that this replay has written itself, or found to be as the run read them. */
  readonly #written = new Set<string>();
  readonly #checked = new Set<string>();
  /** Files that parts of the run wrote which this replay has skipped. */
  readonly #missing = new Set<string>();
  #inside = 0;

  constructor(options: ReplayFilesOptions) {
    this.#options = options;
  }

  install(): void {
    for (const target of [fs, fs.promises] as unknown as NodeFunctions[]) {
      for (const [name, uses] of Object.entries(USES)) {
        for (const full of [name, `${name}Sync`]) this.#wrap(target, full, () => uses);
      }
      for (const full of ["open", "openSync"]) {
        this.#wrap(target, full, (args) => [useOfFlags(args[1])]);
      }
      for (const full of ["writeFile", "writeFileSync"]) {
        this.#wrap(target, full, (args) => [useOfFlags(flagOf(args[2]) ?? "w")]);
      }
    }
    for (const name of STARTERS) this.#wrapStarter(childProcess as unknown as NodeFunctions, name);
    syncBuiltinESMExports();
  }

  /** Iterations of this loop, or all of it, have been skipped: what they wrote is not there. */
  skipped(loops: string): void {
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
    const { root, own, original } = this.#options;
    const named = resolve(given);
    const ours = own.some((folder) => isInFolder(named, folder)) && !isInFolder(named, root);
    const moved =
      !ours && original !== undefined && isInFolder(named, original) && !isInFolder(named, root);
    const file = moved ? join(root, relative(original, named)) : named;
    const path = moved ? file : given;
    if (ours || /^\/(?:dev|proc|sys)\//.test(file)) return path;
    const name = isInFolder(file, root) ? relative(root, file) : file;
    if (use === "empty") this.#missing.delete(name);
    else if (use !== "write") this.#refuseMissing(name, use, path);
    if (use === "change") this.#checkRead(name, this.#shadows.get(file) ?? path);
    if (use !== "read" && use !== "look" && use !== "list") {
      this.#written.add(name);
      return this.#leadsOut(file) ? this.#shadow(file, use) : path;
    }
    const found = this.#shadows.get(file) ?? path;
    if (use === "read") this.#checkRead(name, found);
    return found;
  }

  /** Whether writing there would reach something that is not the replay's; links become copies. */
  #leadsOut(file: string): boolean {
    if (this.#shadows.has(file)) return true;
    const { root } = this.#options;
    if (!isInFolder(file, root)) return true;
    const folder = realFolder(dirname(file));
    if (!isInFolder(folder, fs.realpathSync(root))) return true;
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) copyInPlace(file);
    return false;
  }

  /** A path outside the tree: its copy, made when it is first written to. */
  #shadow(file: string, use: FileUse): string {
    const known = this.#shadows.get(file);
    if (known !== undefined) return known;
    const digest = createHash("sha256").update(dirname(file)).digest("hex").slice(0, 16);
    const shadow = join(this.#options.shadow, digest, basename(file));
    this.#shadows.set(file, shadow);
    fs.mkdirSync(dirname(shadow), { recursive: true });
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() && use !== "empty") fs.copyFileSync(file, shadow);
    return shadow;
  }

  /** A file that a skipped part of the run wrote is not here: the answer would be another one. */
  #refuseMissing(name: string, use: FileUse, path: string): void {
    if (this.#missing.size === 0) return;
    if (this.#missing.has(ANY_FILE)) this.#refuse(ANY_FILE);
    const isInside = (file: string): boolean => name === "" || file.startsWith(name + sep);
    // A folder that is there is there; one that is not may have been made for what is in it.
    const asFolder = use === "list" || (use === "look" && !fs.existsSync(path));
    const missing = [...this.#missing].find((file) => {
      return file === name || name.startsWith(file + sep) || (asFolder && isInside(file));
    });
    if (missing !== undefined) this.#refuse(missing);
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
    const why = now ? "has changed since the run read it" : "is not there any more";
    this.#options.diverged(`${name} ${why}`);
  }
}

/** A link becomes a copy of what it leads to. */
function copyInPlace(file: string): void {
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
  if (flags.includes("w")) return "empty";
  return flags.includes("+") ? "change" : "write";
}

function flagOf(options: unknown): unknown {
  if (typeof options !== "object" || options === null || !("flag" in options)) return undefined;
  return options.flag;
}

function argumentAsPath(argument: unknown): string | undefined {
  if (argument instanceof URL) return fileURLToPath(argument);
  if (Buffer.isBuffer(argument)) return argument.toString();
  return typeof argument === "string" ? argument : undefined;
}

function isInFolder(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder + sep);
}

/**
 * @file Which files the program reads and writes (semantics, "Files": a file that the run wrote is
 * state).
 *
 * Node's `fs` is wrapped, not replaced: each function first notes the name, then does what it did.
 * Files under `node_modules` and under the store are not of interest. Watching begins when the SDK
 * is imported, for data is usually read before the first call; what happens until the run begins
 * is kept for it.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoopPath } from "../../format/index.ts";
import { ANY_FILE, FOLDER_BEFORE, NOTHING_BEFORE, TREE_BEFORE } from "../../format/index.ts";
import type { FileFingerprint } from "../../store/index.ts";
import { fileFingerprint, SAMPLED_BYTES_MIN, WHOLE_BYTES_MAX } from "../../store/index.ts";
import type { NodeFunctions } from "./wrap-function.ts";
import { wrapFunction } from "./wrap-function.ts";

/** After so many bytes were hashed in all, every larger file is sampled. */
const HASHED_BYTES_MAX = 256 << 20;
/** Files followed; beyond it the run says that there were more. */
const FILES_MAX = 10_000;

/** Our own files, where we are not installed in a project: Node reads their source maps. */
const OWN = resolve(import.meta.dirname, "../..") + sep;

export interface FileEvent {
  readonly op: "read" | "write" | "sealed";
  readonly file: string;
  readonly path: LoopPath;
  readonly bytes?: number;
  readonly hash?: string;
  readonly before?: string;
}

/** The run that the files belong to. */
export interface FileWatchOptions {
  readonly root: string;
  readonly store: string;
  /** A file that we have read ourselves before the run began. */
  readonly own: string | undefined;
  readonly path: () => LoopPath;
  readonly emit: (event: FileEvent) => void;
  readonly tooMany: (limit: number) => void;
  /** Time of the program's thread that this took. */
  readonly spent: (ms: number) => void;
}

/** Functions by what they do with the file named first (and second, for two-file ones). */
const READERS = ["readFile"].flatMap(withSync);
const WRITERS = ["writeFile", "appendFile", "truncate"].flatMap(withSync);
const REMOVERS = ["unlink", "rm", "rmdir"].flatMap(withSync);
const LINKERS = ["symlink", "link"].flatMap(withSync);
const MAKERS = ["mkdir"].flatMap(withSync);
const OPENERS = ["open"].flatMap(withSync);
const COPIERS = ["copyFile", "cp"].flatMap(withSync);
const MOVERS = ["rename"].flatMap(withSync);

/** As it is before anybody wraps it: a replay would take our look for one of the program's. */
const { existsSync, statSync } = fs;

/** What starts another program. */
export const STARTERS: readonly string[] = ["spawn", "exec", "execFile", "fork"].flatMap((name) => [
  name,
  `${name}Sync`,
]);

export class FileWatch {
  #options: FileWatchOptions | undefined;
  /** Seen before the run began, with full names. */
  #early: FileEvent[] = [];
  /** With what was found there. */
  readonly #read = new Map<string, FileFingerprint>();
  readonly #written = new Map<string, LoopPath>();
  /** Files and the loops in which they were written, as one text. */
  readonly #places = new Set<string>();
  #asleep = false;
  #full = false;
  #hashedBytes = 0;

  /** Wraps the functions of `fs` and `fs/promises`. */
  install(): void {
    for (const target of [fs, fs.promises] as unknown as NodeFunctions[]) {
      this.#wrap(target, READERS, (file) => this.#noteRead(file));
      this.#wrap(target, WRITERS, (file) => this.#noteWrite(file));
      this.#wrap(target, OPENERS, (file, flags) => this.#noteOpen(file, flags));
      this.#wrap(target, REMOVERS, (file) => this.#noteWrite(file, TREE_BEFORE));
      this.#wrap(target, LINKERS, (_, file) => this.#noteWrite(file));
      this.#wrap(target, MAKERS, (folder) => this.#noteMade(folder));
      this.#wrap(target, COPIERS, (from, to) => {
        this.#noteRead(from);
        this.#noteWrite(to);
      });
      this.#wrap(target, MOVERS, (from, to) => {
        this.#noteRead(from);
        this.#noteWrite(from, TREE_BEFORE);
        this.#noteWrite(to);
      });
    }
    const starters = childProcess as unknown as NodeFunctions;
    this.#wrap(starters, STARTERS, () => this.#noteStarted());
    syncBuiltinESMExports();
  }

  /** What we do ourselves to begin a run is not the program's. Ends with `report`. */
  pause(): void {
    this.#asleep = true;
  }

  /** Tells the run, which has begun, what was seen so far, and from now on everything at once. */
  report(options: FileWatchOptions): void {
    this.#options = options;
    const isOurs = ({ file }: FileEvent): boolean => file === options.own || this.#isInStore(file);
    for (const event of this.#early) if (!isOurs(event)) this.#emit(event);
    this.#early = [];
    for (const file of this.#written.keys()) if (this.#isInStore(file)) this.#written.delete(file);
    if (this.#full) options.tooMany(FILES_MAX);
    this.#asleep = false;
  }

  /** Says how the written files look now that the run ends. */
  seal(): void {
    this.#asleep = true;
    for (const [file, path] of this.#written) {
      this.#emit({ op: "sealed", file, path, ...fingerprintNow(file) });
    }
  }

  #wrap(
    target: NodeFunctions,
    names: readonly string[],
    note: (first: unknown, second: unknown) => void,
  ): void {
    for (const name of names) {
      const original = target[name];
      if (!original) continue;
      target[name] = wrapFunction(original, (args) => {
        this.#quietly(() => note(args[0], args[1]));
        return args;
      });
    }
  }

  /** Our own look at a file must neither be noted nor do harm. */
  #quietly(work: () => void): void {
    if (this.#asleep) return;
    this.#asleep = true;
    const started = performance.now();
    try {
      work();
    } catch {
      // A name that cannot be read is the program's to meet, in the call that follows.
    } finally {
      this.#asleep = false;
      this.#options?.spent(performance.now() - started);
    }
  }

  #noteOpen(file: unknown, flags: unknown): void {
    const text = typeof flags === "string" ? flags : "";
    const bits = typeof flags === "number" ? flags : 0;
    const { O_WRONLY, O_RDWR, O_TRUNC } = fs.constants;
    const writes = /[wa+]/.test(text) || (bits & (O_WRONLY | O_RDWR)) !== 0;
    const empties = text.includes("w") || (bits & O_TRUNC) !== 0;
    const onlyWrites = (text.includes("a") && !text.includes("+")) || (bits & O_WRONLY) !== 0;
    // The read first: its hash is that of the file before the program changed it.
    if (!empties && !onlyWrites) this.#noteRead(file);
    if (writes) this.#noteWrite(file);
  }

  #noteRead(given: unknown): void {
    const file = this.#interesting(given);
    if (file === undefined || this.#read.has(file) || this.#written.has(file)) return;
    const found = this.#fingerprint(file);
    if (!found) return;
    this.#read.set(file, found);
    this.#emit({ op: "read", file, path: this.#path(), ...found });
  }

  #fingerprint(file: string): FileFingerprint | undefined {
    const eager = this.#hashedBytes < HASHED_BYTES_MAX;
    const found = fileFingerprint(file, eager ? WHOLE_BYTES_MAX : SAMPLED_BYTES_MIN);
    if (found) this.#hashedBytes += Math.min(found.bytes, WHOLE_BYTES_MAX);
    return found;
  }

  /** What is there before it is written: no version keeps it, and a replay must find it. */
  #before(file: string, folder: string): Pick<FileEvent, "before" | "bytes"> {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return { before: NOTHING_BEFORE };
    if (stat.isDirectory()) return { before: folder };
    const found = this.#read.get(file) ?? this.#fingerprint(file);
    return found ? { before: found.hash, bytes: found.bytes } : {};
  }

  /** Another program may write any file, and nobody sees it. */
  #noteStarted(): void {
    const path = this.#path();
    const place = `${loopsOf(path)} ${ANY_FILE}`;
    if (!this.#places.has(place)) this.#emit({ op: "write", file: ANY_FILE, path });
    this.#places.add(place);
  }

  /** `folder`: what a folder counts as that is there. */
  #noteWrite(given: unknown, folder = FOLDER_BEFORE): void {
    const file = this.#interesting(given);
    if (file === undefined) return;
    const path = this.#path();
    const place = `${loopsOf(path)} ${file}`;
    // Once for each loop: a replay that skips the loop does not write it.
    const root = this.#options?.root;
    const isKnown = this.#written.has(file) || (root !== undefined && isWithin(file, root));
    const before = isKnown ? {} : this.#before(file, folder);
    if (!this.#places.has(place)) this.#emit({ op: "write", file, path, ...before });
    this.#places.add(place);
    this.#written.set(file, path);
  }

  /** Programs make sure of their folders again and again: one that is there is not made. */
  #noteMade(given: unknown): void {
    const folder = this.#interesting(given);
    if (folder !== undefined && !existsSync(folder)) this.#noteWrite(folder);
  }

  #interesting(given: unknown): string | undefined {
    const text = given instanceof URL ? fileURLToPath(given) : given;
    if (typeof text !== "string" || this.#full) return undefined;
    const file = resolve(text);
    const uninteresting =
      this.#isInStore(file) ||
      file.startsWith(OWN) ||
      file.includes(`${sep}node_modules${sep}`) ||
      /^\/(?:dev|proc|sys)\//.test(file);
    if (uninteresting) return undefined;
    if (this.#read.size + this.#written.size >= FILES_MAX) {
      this.#full = true;
      this.#options?.tooMany(FILES_MAX);
    }
    return file;
  }

  #isInStore(file: string): boolean {
    if (!this.#options) return false;
    const { store, root } = this.#options;
    // A replay runs in a tree that lies in the store.
    return file.startsWith(store + sep) && !(isWithin(root, store) && isWithin(file, root));
  }

  #path(): LoopPath {
    return this.#options?.path() ?? [];
  }

  /** Takes the full name of the file; the run has it relative to its project. */
  #emit(event: FileEvent): void {
    if (!this.#options) {
      this.#early.push(event);
      return;
    }
    const { root, emit } = this.#options;
    if (event.file === ANY_FILE) return emit(event);
    const way = relative(root, event.file);
    emit({ ...event, file: way.startsWith("..") ? event.file : way });
  }
}

function withSync(name: string): string[] {
  return [name, `${name}Sync`];
}

/** Names of the loops around a path, outermost first, as text that a longer one begins with. */
export function loopsOf(path: LoopPath): string {
  return path.map(([loop]) => `${JSON.stringify(loop)}/`).join("");
}

function isWithin(file: string, folder: string): boolean {
  return file.startsWith(folder + sep);
}

/** A file that the program wrote and then put out of reach has no hash. */
function fingerprintNow(file: string): ReturnType<typeof fileFingerprint> {
  try {
    return fileFingerprint(file, WHOLE_BYTES_MAX);
  } catch {
    return undefined;
  }
}

/**
 * @file A disk that keeps only what was synced. It is told every call of a run; asked for any moment,
 * it answers what a power cut might leave there: all that was synced before, and of the rest
 * whatever a choice says, in any combination: dropped, written later than what came after it, or
 * torn within a write.
 */
import { dirname } from "node:path";
import type { Call } from "./trace.ts";

/** Bytes that a disk writes as one, or not at all. */
export const SECTOR_BYTES = 512;

/** What becomes of one change that was not synced: how many of its bytes are there. */
export type Choice = (change: Change) => "all" | "none" | { readonly bytes: number };

export interface Change {
  readonly id: number;
  /** Of a file's bytes, or of a folder's names. */
  readonly of: "data" | "names";
  readonly bytes: number;
}

interface Operation extends Change {
  readonly begun: number;
  readonly ended: number;
  /** The line at which it had been synced. */
  synced: number;
}

interface Write extends Operation {
  readonly at: number;
  readonly content: Buffer;
}

interface Truncation extends Operation {
  readonly length: number;
}

/** The bytes of a file, whatever its name. */
interface Inode {
  readonly start: Buffer;
  readonly operations: (Write | Truncation)[];
  /** Its length if everything was there. */
  length: number;
}

/** Names that come and go at once. */
interface Naming extends Operation {
  readonly folders: ReadonlySet<string>;
  readonly names: readonly (readonly [path: string, what: Inode | "folder" | undefined])[];
}

export class VolatileDisk {
  readonly #namings: Naming[] = [];
  readonly #now = new Map<string, Inode | "folder">();
  readonly #start: ReadonlyMap<string, Inode | "folder">;
  #changes = 0;

  /** `start`: what is there before, all of it synced. */
  constructor(start: ReadonlyMap<string, Buffer | "folder">) {
    for (const [path, content] of start) {
      const isFolder = content === "folder";
      this.#now.set(path, isFolder ? content : makeInode(content));
    }
    this.#start = new Map(this.#now);
  }

  apply(call: Call): void {
    switch (call.kind) {
      case "open":
        return this.#open(call);
      case "folder":
        return this.#name(call, [[call.path, "folder"]]);
      case "rename":
        return this.#name(call, [
          [call.to, this.#now.get(call.path)],
          [call.path, undefined],
        ]);
      case "link":
        return this.#name(call, [[call.to, this.#now.get(call.path)]]);
      case "unlink":
        return this.#name(call, [[call.path, undefined]]);
      case "write":
        return this.#write(call);
      case "truncate":
        return this.#truncate(call, call.bytes);
      case "sync":
        return this.#sync(call);
    }
  }

  #open(call: Extract<Call, { kind: "open" }>): void {
    const there = this.#now.has(call.path);
    if (call.makes && !there) this.#name(call, [[call.path, makeInode(Buffer.alloc(0))]]);
    else if (call.empties) this.#truncate(call, 0);
  }

  #name(call: Call, names: Naming["names"]): void {
    for (const [path, what] of names) {
      if (what === undefined) this.#now.delete(path);
      else this.#now.set(path, what);
    }
    const folders = new Set(names.map(([path]) => dirname(path)));
    this.#namings.push({ ...this.#change(call, "names", 0), folders, names });
  }

  #write(call: Extract<Call, { kind: "write" }>): void {
    const inode = this.#now.get(call.path);
    if (!inode || inode === "folder") return;
    const { bytes: content, at = inode.length } = call;
    const change = this.#change(call, "data", content.byteLength);
    inode.operations.push({ ...change, at, content });
    inode.length = Math.max(inode.length, at + content.byteLength);
  }

  #truncate(call: Call, length: number): void {
    const inode = this.#now.get(call.path);
    if (!inode || inode === "folder") return;
    inode.operations.push({ ...this.#change(call, "data", 0), length });
    inode.length = length;
  }

  #change({ begun, ended }: Call, of: Change["of"], bytes: number): Operation {
    return { id: this.#changes++, of, bytes, begun, ended, synced: Infinity };
  }

  /** What had ended before the sync began is durable when it has ended, and nothing else is. */
  #sync({ path, begun, ended }: Call): void {
    const inode = this.#now.get(path);
    const operations =
      inode === "folder"
        ? this.#namings.filter(({ folders }) => folders.has(path))
        : (inode?.operations ?? []);
    for (const operation of operations) {
      if (operation.ended < begun) operation.synced = Math.min(operation.synced, ended);
    }
  }

  /** The files that are there after a cut at that line of the trace. */
  after(line: number, choice: Choice): Map<string, Buffer | "folder"> {
    const names = new Map(this.#start);
    for (const naming of this.#namings) {
      if (naming.begun > line || !isThere(naming, line, choice)) continue;
      for (const [path, what] of naming.names) {
        if (what === undefined) names.delete(path);
        else names.set(path, what);
      }
    }
    const files = new Map<string, Buffer | "folder">();
    for (const [path, what] of names) {
      if (!isReached(path, names, this.#start)) continue;
      files.set(path, what === "folder" ? what : contentOf(what, line, choice));
    }
    return files;
  }

  /** The changes that a cut at that line might undo. */
  pending(line: number): Change[] {
    const inodes = new Set(this.#namings.flatMap(({ names }) => names.map(([, what]) => what)));
    for (const what of this.#start.values()) inodes.add(what);
    const data = [...inodes].flatMap((inode) =>
      inode && inode !== "folder" ? inode.operations : [],
    );
    return [...this.#namings, ...data].filter(
      ({ begun, synced }) => begun <= line && synced > line,
    );
  }
}

function makeInode(start: Buffer): Inode {
  return { start, operations: [], length: start.byteLength };
}

/** Names are all there or not at all. */
function isThere(naming: Naming, line: number, choice: Choice): boolean {
  return naming.synced <= line || choice(naming) === "all";
}

/** A file whose folder is not there cannot be found. */
function isReached(
  path: string,
  names: ReadonlyMap<string, unknown>,
  start: ReadonlyMap<string, unknown>,
): boolean {
  if (start.has(path)) return true;
  const folder = dirname(path);
  return start.has(folder) || (names.has(folder) && isReached(folder, names, start));
}

function contentOf({ start, operations }: Inode, line: number, choice: Choice): Buffer {
  let content = start;
  for (const operation of operations) {
    if (operation.begun > line) continue;
    const chosen = operation.synced <= line ? "all" : choice(operation);
    if (chosen === "none") continue;
    if ("length" in operation) content = resized(content, operation.length);
    else content = written(content, operation, chosen === "all" ? Infinity : chosen.bytes);
  }
  return content;
}

function written(content: Buffer, { at, content: bytes }: Write, count: number): Buffer {
  const part = bytes.subarray(0, count);
  const larger = resized(content, Math.max(content.byteLength, at + part.byteLength));
  part.copy(larger, at);
  return larger;
}

/** A copy of so many bytes; what is new is zero, as in a hole. */
function resized(content: Buffer, length: number): Buffer {
  const copy = Buffer.alloc(length);
  content.copy(copy, 0, 0, Math.min(length, content.byteLength));
  return copy;
}

/**
 * @file Writing one checkpoint file, in the commit order of semantics, "Durability": data,
 * fdatasync, header, fdatasync, rename, fsync of the folder.
 *
 * The data is one copy of the slot: page-aligned extents that O_DIRECT takes as they are. Knows
 * nothing of threads: the caller drives the data writes, synchronously or overlapped.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fdatasyncSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type {
  CheckpointKind,
  HeldTensor,
  LoopPath,
  TensorEntry,
  TensorSpec,
} from "../../format/index.ts";
import {
  alignPage,
  CRC_CHUNK_BYTES,
  encodeHeader,
  hex32,
  PAGE_BYTES,
  STRUCTURE_NAME,
} from "../../format/index.ts";
import { syncFolder, writeFully } from "../durable.ts";

/** Page-aligned memory that holds whole tensors; the rest of its last page is padding. */
export interface Extent {
  readonly memory: Uint8Array;
  /** Tensors inside it, offsets from its beginning. */
  readonly tensors: readonly (TensorSpec & { readonly at: number })[];
}

/** What to write, and what to say of it. */
export interface CheckpointContent {
  readonly run: string;
  readonly kind: CheckpointKind;
  readonly path: LoopPath;
  readonly seq: number;
  readonly extents: readonly Extent[];
  readonly held: readonly HeldTensor[];
  /** JSON text of places and nodes: what is hashed together with the checksums. */
  readonly graphJson: string;
}

/** Called at named points, so that tests can kill the process or fail the disk there. */
export type Faults = (point: string) => void;

/** One write of data: at most one checksum chunk of one extent. */
export interface DataWrite {
  readonly bytes: Uint8Array;
  readonly position: number;
}

export interface WrittenCheckpoint {
  readonly file: string;
  readonly bytes: number;
  readonly headerCrc32: string;
  readonly stateHash: string;
  readonly tensors: readonly TensorEntry[];
}

/** A checkpoint file being written. Abandoned by `discard`, made real by `commit`. */
export class CheckpointFile {
  readonly fd: number;
  readonly writes: readonly DataWrite[];
  readonly #folder: string;
  readonly #name: string;
  readonly #content: CheckpointContent;
  readonly #faults: Faults;
  readonly #placed: readonly (TensorSpec & { offset: number; memory: Uint8Array })[];
  readonly #dataBytes: number;
  #open = true;

  constructor(folder: string, name: string, content: CheckpointContent, faults: Faults) {
    this.#folder = folder;
    this.#name = name;
    this.#content = content;
    this.#faults = faults;
    const { placed, dataBytes } = placeTensors(content.extents);
    this.#placed = placed;
    this.#dataBytes = dataBytes;
    const dataStart = this.#header(placed.map(withoutChecksums), ZERO_HASH).byteLength;
    this.writes = dataWrites(content.extents, dataStart);
    faults("persist:before-open");
    this.fd = openDirect(this.#temporary);
  }

  get #temporary(): string {
    return join(this.#folder, `${this.#name}.tmp`);
  }

  /** After all `writes` are done: makes the file durable and gives it its name. */
  commit(checksums: ReadonlyMap<string, readonly string[]>): WrittenCheckpoint {
    this.#faults("persist:before-data-sync");
    fdatasyncSync(this.fd);
    const tensors = this.#placed.map((tensor) => {
      const { name, dtype, shape, bytes, offset } = tensor;
      return { name, dtype, shape, bytes, offset, crc32: checksums.get(name) ?? [] };
    });
    const stateHash = hashState(this.#content, tensors);
    const header = this.#header(tensors, stateHash);
    this.#faults("persist:before-header");
    writeFully(this.fd, pageAligned(header), 0);
    this.#faults("persist:before-header-sync");
    fdatasyncSync(this.fd);
    this.#close();
    this.#faults("persist:before-rename");
    renameSync(this.#temporary, join(this.#folder, this.#name));
    this.#faults("persist:before-folder-sync");
    syncFolder(this.#folder);
    return {
      file: this.#name,
      bytes: header.byteLength + this.#dataBytes,
      headerCrc32: hex32(crc32(header)),
      stateHash,
      tensors,
    };
  }

  /** An error of fsync poisons a file: it is removed, never finished (semantics, "Durability"). */
  discard(): void {
    try {
      this.#close();
    } catch {
      // The file goes either way.
    }
    rmSync(this.#temporary, { force: true });
  }

  /** Once: the number of a closed descriptor soon belongs to another file, of ours or theirs. */
  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.fd);
  }

  #header(tensors: readonly TensorEntry[], stateHash: string): Buffer {
    const { run, kind, path, seq, held } = this.#content;
    const metadata = { format: 1, run, kind, path, seq, stateHash, held } as const;
    return encodeHeader(tensors, this.#dataBytes, metadata);
  }
}

const ZERO_HASH = "0".repeat(64);

function withoutChecksums(tensor: TensorSpec & { offset: number }): TensorEntry {
  const { name, dtype, shape, bytes, offset } = tensor;
  const chunks = Math.ceil(bytes / CRC_CHUNK_BYTES);
  return { name, dtype, shape, bytes, offset, crc32: Array<string>(chunks).fill("00000000") };
}

function placeTensors(extents: readonly Extent[]): {
  placed: (TensorSpec & { offset: number; memory: Uint8Array })[];
  dataBytes: number;
} {
  const placed: (TensorSpec & { offset: number; memory: Uint8Array })[] = [];
  let dataBytes = 0;
  for (const { memory, tensors } of extents) {
    for (const { at, ...spec } of tensors) {
      const offset = dataBytes + at;
      placed.push({ ...spec, offset, memory: memory.subarray(at, at + spec.bytes) });
    }
    dataBytes += memory.byteLength;
  }
  return { placed, dataBytes };
}

/** Bytes of one write: large enough for the disk, small enough to overlap with checksums. */
const WRITE_BYTES = 2 * CRC_CHUNK_BYTES;

function dataWrites(extents: readonly Extent[], dataStart: number): DataWrite[] {
  const writes: DataWrite[] = [];
  let position = dataStart;
  for (const { memory } of extents) {
    for (let at = 0; at < memory.byteLength; at += WRITE_BYTES) {
      writes.push({ bytes: memory.subarray(at, at + WRITE_BYTES), position: position + at });
    }
    position += memory.byteLength;
  }
  return writes;
}

/** Without O_DIRECT (tmpfs, network file systems) the page cache does it, more slowly. */
function openDirect(file: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  try {
    return openSync(file, flags | constants.O_DIRECT, 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
    return openSync(file, flags, 0o644);
  }
}

/** O_DIRECT wants page-aligned memory; a resizable buffer is mapped, so it is. */
function pageAligned(bytes: Buffer): Uint8Array {
  const length = alignPage(bytes.byteLength);
  const memory = new Uint8Array(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
  memory.set(bytes);
  return memory;
}

/** The hash that record and replay compare: the graph, and every tensor by its checksums. */
function hashState(content: CheckpointContent, tensors: readonly TensorEntry[]): string {
  const own = tensors.filter(({ name }) => name !== STRUCTURE_NAME);
  const lines = [...own, ...content.held]
    .map(({ name, dtype, shape, crc32 }) => JSON.stringify([name, dtype, shape, crc32.join("")]))
    .toSorted();
  return createHash("sha256")
    .update(content.graphJson)
    .update(`\n${lines.join("\n")}`)
    .digest("hex");
}

/** Memory for `bytes` that O_DIRECT can write from: mapped, a multiple of the page. */
export function pageMemory(bytes: number): ArrayBuffer {
  const length = Math.max(PAGE_BYTES, alignPage(bytes));
  return new ArrayBuffer(length, { maxByteLength: length });
}

/**
 * The same, seen by several threads. Not handed over by transfer: that detaches a buffer, and once
 * a thread has detached any, V8 runs all its loops over typed arrays half as fast again.
 */
export function sharedPageMemory(bytes: number): SharedArrayBuffer {
  const length = Math.max(PAGE_BYTES, alignPage(bytes));
  return new SharedArrayBuffer(length, { maxByteLength: length });
}

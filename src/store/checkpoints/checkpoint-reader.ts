/**
 * @file Reading checkpoints back. Every read verifies length and checksum; a bad file is an error
 * of code AL040, and `verifyCheckpoints` leaves such files out and says so.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type {
  CheckpointHeader,
  CheckpointRecord,
  HeldTensor,
  TensorEntry,
} from "../../format/index.ts";
import {
  CRC_CHUNK_BYTES,
  damaged,
  decodeHeader,
  headerLength,
  hex32,
  isAfterlogError,
  STRUCTURE_NAME,
} from "../../format/index.ts";
import type { Structure } from "../../format/index.ts";
import { listCheckpoints } from "./checkpoint-index.ts";
import { pageMemory } from "./checkpoint-writer.ts";
import { runPaths } from "../store-paths.ts";

/** Bytes read and checked at a time: they stay in the processor's cache. Divides a CRC's piece. */
const READ_BYTES = 1 << 20;
/** Below this nothing is gained by reading through memory of our own. */
const DIRECT_MAX = 1 << 16;

/** An open checkpoint: header read, tensors read on demand. Close it. */
export class CheckpointReader {
  readonly header: CheckpointHeader;
  readonly headerCrc32: string;
  readonly #file: string;
  readonly #fd: number;
  readonly #others = new Map<string, CheckpointReader>();
  readonly #tensors: ReadonlyMap<string, TensorEntry>;
  #scratch: Uint8Array | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, "r");
    try {
      const { size } = fstatSync(this.#fd);
      if (size < 8) throw damaged(file, "it is cut off");
      const length = headerLength(this.#read(0, 8), file, size);
      const bytes = this.#read(0, 8 + length);
      this.headerCrc32 = hex32(crc32(bytes));
      this.header = decodeHeader(bytes.subarray(8), file, size);
      this.#tensors = new Map(this.header.tensors.map((tensor) => [tensor.name, tensor]));
      if (!isSound(this.header)) throw damaged(file, "its header makes no sense");
    } catch (error) {
      closeSync(this.#fd);
      // Whatever stumbles over the content of a header, the header is what is wrong.
      throw isSystemError(error) ? error : asDamaged(error, file);
    }
  }

  /** Names of all tensors of the state, wherever they are held. */
  get names(): string[] {
    const own = this.header.tensors.map(({ name }) => name).filter((n) => n !== STRUCTURE_NAME);
    return [...own, ...this.header.metadata.held.map(({ name }) => name)];
  }

  structure(told: (json: string) => string = (json) => json): Structure {
    return JSON.parse(told(Buffer.from(this.tensor(STRUCTURE_NAME)).toString())) as Structure;
  }

  /**
   * The verified bytes of a tensor, from this file or the one it names. They are read into `into`
   * if that is given and as long as the tensor; on damage it may hold the beginning of them.
   */
  tensor(name: string, into?: Uint8Array): Uint8Array {
    const own = this.#tensors.get(name);
    if (own) return this.#readTensor(own, into);
    const held = this.header.metadata.held.find((tensor) => tensor.name === name);
    if (!held) throw damaged(this.#file, `it has no tensor ${name}`);
    return this.#holder(held).#readHeld(held, into);
  }

  /** Reads everything; throws AL040 at the first difference. */
  verify(): void {
    for (const { name } of this.header.tensors) this.tensor(name);
    for (const { name } of this.header.metadata.held) this.tensor(name);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    for (const other of this.#others.values()) other[Symbol.dispose]();
  }

  #holder(held: HeldTensor): CheckpointReader {
    let reader = this.#others.get(held.file);
    if (!reader) {
      reader = this.#openHolder(held.file);
      this.#others.set(held.file, reader);
    }
    return reader;
  }

  #openHolder(name: string): CheckpointReader {
    try {
      return new CheckpointReader(join(dirname(this.#file), basename(name)));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw damaged(this.#file, `the file ${name}, which it names, cannot be read`, error);
    }
  }

  #readHeld(held: HeldTensor, into: Uint8Array | undefined): Uint8Array {
    const own = this.#tensors.get(held.name);
    if (!own || own.crc32.join() !== held.crc32.join()) {
      throw damaged(this.#file, `its tensor ${held.name} is not the one a later file names`);
    }
    return this.#readTensor(own, into);
  }

  #readTensor(tensor: TensorEntry, into: Uint8Array | undefined): Uint8Array {
    const { name, offset, bytes, crc32: expected } = tensor;
    const start = this.header.dataStart + offset;
    const memory = into?.byteLength === bytes ? into : new Uint8Array(new ArrayBuffer(bytes));
    let crc = 0;
    for (let at = 0; at < bytes; at += READ_BYTES) {
      const piece = memory.subarray(at, at + READ_BYTES);
      const read = this.#readPiece(piece, start + at);
      crc = crc32(read, crc);
      if (read !== piece) piece.set(read);
      const end = at + piece.byteLength;
      if (end % CRC_CHUNK_BYTES !== 0 && end < bytes) continue;
      const chunk = Math.floor(at / CRC_CHUNK_BYTES);
      if (hex32(crc) !== expected[chunk]) {
        const from = chunk * CRC_CHUNK_BYTES;
        throw damaged(this.#file, `the checksum of ${name} does not match at byte ${from}`);
      }
      crc = 0;
    }
    return memory;
  }

  /**
   * The bytes, in `piece` or in page-aligned memory of ours. Data is page-aligned in the file, and
   * large buffers begin 16 bytes into a page: copying so from the page cache is three times slower
   * than between aligned pages on processors that do it by `rep movsb` (measured on EPYC).
   */
  #readPiece(piece: Uint8Array, position: number): Uint8Array {
    let into = piece;
    if (piece.byteLength > DIRECT_MAX) {
      this.#scratch ??= new Uint8Array(pageMemory(READ_BYTES));
      into = this.#scratch.subarray(0, piece.byteLength);
    }
    this.#fill(into, position);
    return into;
  }

  #read(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    this.#fill(bytes, position);
    return bytes;
  }

  #fill(bytes: Uint8Array, position: number): void {
    for (let at = 0; at < bytes.byteLength;) {
      const count = readSync(this.#fd, bytes, at, bytes.byteLength - at, position + at);
      if (count === 0) throw damaged(this.#file, "it is cut off");
      at += count;
    }
  }
}

/**
 * Without the index nothing vouches for the header: what is used of it must at least have its form.
 * The content is safe, since every tensor is checked against its checksums.
 */
function isSound({ tensors, dataBytes, metadata }: CheckpointHeader): boolean {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  const isTensor = ({ bytes, offset }: TensorEntry): boolean =>
    isCount(bytes) && isCount(offset) && offset + bytes <= dataBytes;
  const isHeld = ({ name, file, crc32: checksums }: HeldTensor): boolean =>
    typeof name === "string" && typeof file === "string" && Array.isArray(checksums);
  const held: unknown = metadata.held;
  return tensors.every(isTensor) && Array.isArray(held) && metadata.held.every(isHeld);
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function asDamaged(error: unknown, file: string): unknown {
  return isAfterlogError(error) ? error : damaged(file, "its header makes no sense", error);
}

export interface CheckpointProblem {
  readonly record: CheckpointRecord;
  readonly error: unknown;
}

/** Verifies each listed checkpoint completely: the good ones, and what is wrong with the others. */
export function verifyCheckpoints(runFolder: string): {
  good: CheckpointRecord[];
  bad: CheckpointProblem[];
} {
  const good: CheckpointRecord[] = [];
  const bad: CheckpointProblem[] = [];
  for (const record of listCheckpoints(runFolder)) {
    try {
      using reader = openCheckpoint(runFolder, record);
      reader.verify();
      good.push(record);
    } catch (error) {
      bad.push({ record, error });
    }
  }
  return { good, bad };
}

/** Opens a listed checkpoint; AL040 if its header is not the one that the index saw. */
export function openCheckpoint(
  runFolder: string,
  record: Pick<CheckpointRecord, "file" | "crc32">,
): CheckpointReader {
  const file = join(runPaths.checkpoints(runFolder), basename(record.file));
  if (!existsSync(file)) throw damaged(file, "it is missing");
  const reader = new CheckpointReader(file);
  if (reader.headerCrc32 === record.crc32) return reader;
  reader[Symbol.dispose]();
  throw damaged(file, "its header is not the one that was committed");
}

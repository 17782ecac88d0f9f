/**
 * @file An append-only file of lines (`log.jsonl`, `profile.jsonl`) with a running checksum.
 *
 * Bytes are written at their absolute position, so that whoever takes over from a dead thread may
 * write the last piece again without harm.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import type { SealRecord } from "../format/index.ts";
import { hex32 } from "../format/index.ts";
import { syncName, writeFully } from "./durable.ts";

export class LineFile {
  readonly #file: string;
  readonly #fd: number;
  #position = 0;
  #crc = 0;
  #named = false;

  /**
   * Makes the file. Fails if it exists: a run's files are written once. `takeOverAt`: continues after
   * so many bytes of an existing one; what follows them was never written.
   */
  constructor(file: string, options: { readonly takeOverAt?: number } = {}) {
    this.#file = file;
    const { takeOverAt } = options;
    const exists = takeOverAt !== undefined && existsSync(file);
    this.#fd = openSync(file, exists ? "r+" : "wx");
    if (takeOverAt === undefined) return;
    ftruncateSync(this.#fd, takeOverAt);
    this.#position = takeOverAt;
    this.#crc = crc32(readFileSync(file).subarray(0, takeOverAt));
  }

  get position(): number {
    return this.#position;
  }

  write(bytes: Uint8Array): void {
    writeFully(this.#fd, bytes, this.#position);
    this.#position += bytes.byteLength;
    this.#crc = crc32(bytes, this.#crc);
  }

  /** Makes durable what has been written; the first time also that there is such a file. */
  sync(): void {
    fdatasyncSync(this.#fd);
    if (!this.#named) syncName(this.#file);
    this.#named = true;
  }

  /** Ends the log: no line follows, and damage to any line before is evident. */
  seal(status: SealRecord["status"], count: number): void {
    const seal: SealRecord = { k: "seal", status, count, crc32: hex32(this.#crc) };
    this.write(Buffer.from(`${JSON.stringify(seal)}\n`));
    this.sync();
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** The file's name, for messages. */
  get name(): string {
    return this.#file;
  }
}

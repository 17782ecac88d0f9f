/** @file Bytes of logged tensors, read from `values.bin` and verified (docs/format.md). */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { TensorReference } from "../../format/index.ts";
import { hex32 } from "../../format/index.ts";
import { runPaths } from "../../store/index.ts";

/** The tensors of one run; the file is opened when the first is asked for. */
export class ValueBytes implements Disposable {
  readonly #file: string;
  #fd: number | null | undefined;

  constructor(runFolder: string) {
    this.#file = runPaths.values(runFolder);
  }

  /** Undefined if they were not kept, or are not what the log says. */
  read({ offset, bytes, crc32: checksum }: TensorReference): Uint8Array | undefined {
    if (this.#fd === undefined) this.#fd = this.#open();
    if (this.#fd === null || offset === undefined) return undefined;
    // Whatever the log says: no memory is taken for what is not there.
    if (offset + bytes > fstatSync(this.#fd).size) return undefined;
    const content = new Uint8Array(bytes);
    for (let at = 0; at < bytes;) {
      const read = readSync(this.#fd, content, at, bytes - at, offset + at);
      if (read === 0) return undefined;
      at += read;
    }
    return hex32(crc32(content)) === checksum ? content : undefined;
  }

  [Symbol.dispose](): void {
    if (typeof this.#fd === "number") closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number | null {
    try {
      return openSync(this.#file, "r");
    } catch {
      return null;
    }
  }
}

/**
 * @file `values.bin`: the bytes of logged tensors, each where its line in the log says. Made when
 * there is a first one.
 */
import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { syncName, writeFully } from "./durable.ts";

export class ValueFile {
  readonly #file: string;
  #fd: number | undefined;
  #unsynced = false;
  #named = false;

  constructor(file: string) {
    this.#file = file;
  }

  write(bytes: Uint8Array, offset: number): void {
    this.#fd ??= openSync(this.#file, "w");
    this.#unsynced = true;
    writeFully(this.#fd, bytes, offset);
  }

  /** Makes durable what has been written. To be called before the lines that name it are. */
  sync(): void {
    if (this.#fd === undefined || !this.#unsynced) return;
    fdatasyncSync(this.#fd);
    if (!this.#named) syncName(this.#file);
    this.#named = true;
    this.#unsynced = false;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

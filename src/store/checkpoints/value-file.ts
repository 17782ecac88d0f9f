/**
 * @file `values.bin`: the bytes of logged tensors, each where its line in the log says. Made when
 * there is a first one.
 */
import { closeSync, existsSync, fdatasyncSync, openSync } from "node:fs";
import { syncName, writeFully } from "../durable.ts";

export class ValueFile {
  readonly #file: string;
  #fd: number | undefined;
  #unsynced = false;
  #named = false;

  /** `takeOver`: what a dead thread wrote is here to be synced. */
  constructor(file: string, options: { readonly takeOver?: boolean } = {}) {
    this.#file = file;
    if (options.takeOver !== true || !existsSync(file)) return;
    this.#fd = openSync(file, "r+");
    this.#unsynced = true;
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

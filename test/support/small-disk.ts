/** @file Small and read-only file systems, where the system lets us mount them. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** A file system in memory with a limit, mounted on the folder until disposed. */
export class SmallDisk implements Disposable {
  readonly #folder: string;

  constructor(folder: string, limits: { readonly size?: string; readonly inodes?: number }) {
    const { size = "16m", inodes } = limits;
    mkdirSync(folder, { recursive: true });
    const options = [`size=${size}`, ...(inodes === undefined ? [] : [`nr_inodes=${inodes}`])];
    system("mount", "-t", "tmpfs", "-o", options.join(","), "tmpfs", folder);
    this.#folder = folder;
  }

  makeReadOnly(): void {
    system("mount", "-o", "remount,ro", this.#folder);
  }

  [Symbol.dispose](): void {
    // Lazily: a process that the test did not wait for must not keep it for ever.
    system("umount", "-l", this.#folder);
  }
}

function system(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** @file Small and read-only file systems, where the system lets us mount them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** Whether this process may mount: root in a container often may not. */
export const canMount: boolean = tryMount();

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-mount-"));
  try {
    using _ = new SmallDisk(folder, { size: "64k" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

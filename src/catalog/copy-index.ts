/**
 * @file A copy of the index while another process may be writing it.
 *
 * The copy is good only if nothing was written meanwhile: then it is what a crash would leave, and
 * DuckDB recovers from that. A file in the middle of a change is not copied at all; the caller
 * builds a new index.
 */
import { copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const ATTEMPTS = 3;
/** A change within the same tick of the file system's clock cannot be seen in the time. */
const TICK_MS = 50;

/** Copies an index and its write-ahead log; answers whether the copy can be used. */
export async function copyWhileStill(file: string, copy: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (!existsSync(file)) return false;
    const before = stampOf(file);
    await sleep(TICK_MS);
    try {
      copyFileSync(file, copy);
      if (existsSync(`${file}.wal`)) copyFileSync(`${file}.wal`, `${copy}.wal`);
      if (before === stampOf(file)) return true;
    } catch {
      // Gone meanwhile: tried again, or built.
    }
    for (const part of [copy, `${copy}.wal`]) rmSync(part, { force: true });
  }
  return false;
}

function stampOf(file: string): string {
  return [file, `${file}.wal`]
    .map((part) => statSync(part, { throwIfNoEntry: false, bigint: true }))
    .map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : "none"))
    .join(" ");
}

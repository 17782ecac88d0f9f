/** @file Making bytes durable: what must be synced, in which order, and why. */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

/** Makes names in a folder durable: without it a rename may be lost though its file is not. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes the name of a new file durable, and that of its folder, which may be as new. */
export function syncName(file: string): void {
  const folder = dirname(file);
  syncFolder(folder);
  syncFolder(dirname(folder));
}

/** Makes the folder, and those around it that are missing, so that their names are durable. */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

/** Writes all bytes at `position`: a short write is not an error, the rest is written next. */
export function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.byteLength;) {
    at += atLeastOne(writeSync(fd, bytes, at, bytes.byteLength - at, position + at));
  }
}

/** A disk that takes nothing and says nothing would be asked for ever. */
export function atLeastOne(count: number): number {
  if (count > 0) return count;
  throw Object.assign(new Error("EIO: a write took no byte"), { code: "EIO" });
}

/** Replaces a small file so that readers see the old or the new content, after a crash too. */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  const fd = openSync(temporary, "w");
  try {
    writeFully(fd, Buffer.from(text), 0);
    fdatasyncSync(fd);
  } catch (error) {
    closeSync(fd);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(fd);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

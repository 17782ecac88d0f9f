/** @file Hashes of files, as runs record them (docs/format.md, "log.jsonl"). */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 2 ** 22;
const SAMPLE_BYTES = 2 ** 16;
const SAMPLES = 16;

/** SHA-256 of a file, in hexadecimal digits. */
export function hashFile(file: string): string {
  return withFile(file, (fd) => {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, read));
    }
    return hash.digest("hex");
  });
}

/** Whether a file has the content whose hash was recorded; false if it cannot be read. */
export function hasHash(file: string, recorded: string): boolean {
  const [kind, digest] = recorded.split(":");
  try {
    if (kind === "sha256") return hashFile(file) === digest;
    return kind === "sampled" && sampleFile(file) === digest;
  } catch {
    return false;
  }
}

/** Of its size as decimal text and of blocks spread evenly from its first to its last byte. */
function sampleFile(file: string): string {
  return withFile(file, (fd) => {
    const { size } = fstatSync(fd);
    const hash = createHash("sha256").update(String(size));
    const block = Buffer.alloc(SAMPLE_BYTES);
    for (let sample = 0; sample < SAMPLES; sample++) {
      const position = Math.floor(((size - SAMPLE_BYTES) * sample) / (SAMPLES - 1));
      readSync(fd, block, 0, SAMPLE_BYTES, position);
      hash.update(block);
    }
    return hash.digest("hex");
  });
}

function withFile<Result>(file: string, use: (fd: number) => Result): Result {
  const fd = openSync(file, "r");
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

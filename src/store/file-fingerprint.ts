/** @file What a file held, as records of files have it: its size, and a hash of it or of samples of it. */
import { createHash } from "node:crypto";
import fs from "node:fs";

/** A larger file is known by samples: hashing a data set of gigabytes would slow the run. */
export const WHOLE_BYTES_MAX: number = 16 << 20;
/** A run that has hashed much already samples files above this size, too. */
export const SAMPLED_BYTES_MIN: number = 1 << 20;
const SAMPLE_BYTES = 64 << 10;
const SAMPLES = 16;

export interface FileFingerprint {
  readonly bytes: number;
  readonly hash: string;
}

/** Size and hash of a regular file; undefined if there is none. */
export function fileFingerprint(file: string, wholeBytesMax: number): FileFingerprint | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const bytes = stat.size;
  const hash = createHash("sha256");
  if (bytes <= wholeBytesMax) {
    return { bytes, hash: `sha256:${hash.update(fs.readFileSync(file)).digest("hex")}` };
  }
  const fd = fs.openSync(file, "r");
  try {
    const block = Buffer.alloc(SAMPLE_BYTES);
    hash.update(String(bytes));
    for (let sample = 0; sample < SAMPLES; sample++) {
      const position = Math.floor(((bytes - SAMPLE_BYTES) * sample) / (SAMPLES - 1));
      fs.readSync(fd, block, 0, SAMPLE_BYTES, position);
      hash.update(block);
    }
  } finally {
    fs.closeSync(fd);
  }
  return { bytes, hash: `sampled:${hash.digest("hex")}` };
}

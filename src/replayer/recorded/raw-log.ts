/**
 * @file Reading logs line by line: of a run that is asked, and of a process that was told to replay
 * a part of it. The latter may have been killed: a line that was not written whole is passed over.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** One line, as far as everyone has to know it. */
export interface Line {
  readonly k: string;
  readonly [field: string]: unknown;
}

const BLOCK_BYTES = 2 ** 20;
const NEWLINE = 10;

/**
 * The lines of a file that begin with one of `starts` (all, if none is given), parsed. A file that
 * is not there has none.
 */
export function* readLines(file: string, ...starts: readonly string[]): Generator<Line> {
  for (const text of readTexts(file)) {
    if (starts.length > 0 && !starts.some((start) => text.startsWith(start))) continue;
    const line = parseLine(text);
    if (line !== undefined) yield line;
  }
}

/** The lines of a file as they stand there; what follows the last newline is none. */
export function* readTexts(file: string): Generator<string> {
  const fd = openIfPresent(file);
  if (fd === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    // Most files are smaller than a block: memory for a whole one would be most of the work.
    const size = Math.min(BLOCK_BYTES, fstatSync(fd).size + 1);
    for (;;) {
      const block = Buffer.allocUnsafe(size);
      const read = readSync(fd, block);
      if (read === 0) return;
      const bytes = Buffer.concat([rest, block.subarray(0, read)]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield* bytes.toString("utf8", 0, end - 1).split("\n");
    }
  } finally {
    closeSync(fd);
  }
}

function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** One line; undefined if it is none. */
export function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "k" in value
      ? (value as Line)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @file The end of a `log.jsonl`, and what is appended to it: for whoever follows a run. It reads backwards
 * from the end, so that a long log costs no more than a short one.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Record } from "../format/index.ts";

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Records of a log, last first, as far as somebody reads them. Half a line at the end is left out. */
export function* recordsBackwards(file: string, end: number): Generator<Record> {
  const descriptor = openSync(file, "r");
  try {
    let rest: Buffer = Buffer.alloc(0);
    let isAtEnd = true;
    for (let at = end; at > 0;) {
      // A line longer than a block is read in blocks that double.
      const size = Math.min(Math.max(BLOCK_BYTES, rest.byteLength), at);
      at -= size;
      const block = Buffer.concat([readBlock(descriptor, at, size), rest]);
      const lines = splitLines(block);
      // What the block begins with belongs to a line before it, unless the file begins there.
      rest = at > 0 ? (lines.shift() ?? Buffer.alloc(0)) : Buffer.alloc(0);
      // What follows the last newline is still being written.
      if (isAtEnd && lines.length > 0) lines.pop();
      else if (isAtEnd) rest = Buffer.alloc(0);
      isAtEnd = false;
      for (const line of lines.toReversed()) {
        const record = parseRecord(line);
        if (record) yield record;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Where the last whole line before a position ends. */
export function lineEndBefore(file: string, position: number): number {
  if (position === 0) return 0;
  const descriptor = openSync(file, "r");
  try {
    for (let at = position; at > 0;) {
      const size = Math.min(BLOCK_BYTES, at);
      at -= size;
      const found = readBlock(descriptor, at, size).lastIndexOf(NEWLINE);
      if (found >= 0) return at + found + 1;
    }
    return 0;
  } finally {
    closeSync(descriptor);
  }
}

/** Follows a log from a position on. */
export class LogFollower {
  readonly #file: string;
  #position: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string, from = 0) {
    this.#file = file;
    this.#position = from;
  }

  /** The records that were appended since the last call; of many those in the first bytes. */
  read(limitBytes: number = Infinity): Record[] {
    const descriptor = openSync(this.#file, "r");
    try {
      const records: Record[] = [];
      const { size } = fstatSync(descriptor);
      for (const end = Math.min(size, this.#position + limitBytes); this.#position < end;) {
        const block = readBlock(
          descriptor,
          this.#position,
          Math.min(16 * BLOCK_BYTES, end - this.#position),
        );
        if (block.byteLength === 0) break;
        this.#position += block.byteLength;
        const lines = splitLines(Buffer.concat([this.#rest, block]));
        this.#rest = lines.pop() ?? Buffer.alloc(0);
        records.push(...lines.flatMap((line) => parseRecord(line) ?? []));
      }
      return records;
    } finally {
      closeSync(descriptor);
    }
  }
}

function readBlock(descriptor: number, at: number, size: number): Buffer {
  const block = Buffer.allocUnsafe(size);
  return block.subarray(0, readSync(descriptor, block, 0, size, at));
}

/** Pieces between newlines; the last is what follows the last one. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  lines.push(bytes.subarray(start));
  return lines;
}

/** A line that cannot be read is none: `show` says what is damaged. */
function parseRecord(line: Buffer): Record | undefined {
  if (line.byteLength === 0) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === "object" && value !== null && "k" in value
      ? (value as Record)
      : undefined;
  } catch {
    return undefined;
  }
}

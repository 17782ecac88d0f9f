/**
 * @file Reading the new bytes of a `log.jsonl`: complete lines, their count and checksum, and the
 * two records that concern the lines before them, `rewind` and `seal`.
 *
 * It does not parse the other lines: DuckDB does, from the file itself or from the copy that is
 * written here when only some lines are wanted.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { hex32 } from "../../format/index.ts";

/** How far a log has been read. */
export interface LogPosition {
  readonly bytes: number;
  readonly lines: number;
  /** CRC-32 of all bytes before. */
  readonly crc: number;
  /** Status of the seal that ends what was read; null if other lines follow it or there is none. */
  readonly sealed: string | null;
  /** What the last seal proved wrong. */
  readonly damage: string | null;
}

/** The beginning of a log. */
export const LOG_START: LogPosition = { bytes: 0, lines: 0, crc: 0, sealed: null, damage: null };

export interface Rewind {
  /** Byte offset of the line of the record. */
  readonly atByte: number;
  readonly seq: number;
}

export interface LogScan {
  readonly position: LogPosition;
  readonly rewinds: readonly Rewind[];
  readonly longestLine: number;
  /** Nothing was left out: the end of the file was reached. */
  readonly whole: boolean;
}

const BLOCK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

/**
 * Reads complete lines from `from` on, stopping after about `limitBytes`. Bytes after the last
 * newline belong to a line that is still being written, or never was.
 */
export function scanLog(file: string, from: LogPosition, limitBytes: number): LogScan {
  const scan = new Scanner(from);
  const whole = eachBlock(file, from.bytes, limitBytes, (lines) => scan.take(lines));
  return { ...scan.result(), whole };
}

/** Calls `take` with blocks of complete lines; answers whether the end of the file was reached. */
function eachBlock(
  file: string,
  from: number,
  limitBytes: number,
  take: (lines: Buffer) => void,
): boolean {
  const descriptor = openSync(file, "r");
  try {
    let rest: Buffer = Buffer.alloc(0);
    let taken = 0;
    for (let offset = from; ;) {
      if (taken >= limitBytes) return false;
      // A line longer than a block is read in blocks that double, not again from its start.
      const block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, rest.byteLength));
      const read = readSync(descriptor, block, 0, block.byteLength, offset);
      if (read === 0) return true;
      offset += read;
      const fresh = block.subarray(0, read);
      const filled = rest.byteLength === 0 ? fresh : Buffer.concat([rest, fresh]);
      const end = filled.lastIndexOf(NEWLINE) + 1;
      rest = filled.subarray(end);
      if (end > 0) take(filled.subarray(0, end));
      taken += end;
    }
  } finally {
    closeSync(descriptor);
  }
}

class Scanner {
  #bytes: number;
  #lines: number;
  #crc: number;
  #longest = 0;
  #sealed: string | null;
  #damage: string | null;
  readonly #rewinds: Rewind[] = [];

  constructor(from: LogPosition) {
    this.#bytes = from.bytes;
    this.#lines = from.lines;
    this.#crc = from.crc;
    this.#sealed = from.sealed;
    this.#damage = from.damage;
  }

  take(lines: Buffer): void {
    let done = 0;
    for (const { start, end, record } of specialLines(lines)) {
      this.#advance(lines.subarray(done, start));
      if (record["k"] === "rewind") {
        this.#rewinds.push({ atByte: this.#bytes, seq: Number(record["seq"]) });
      } else {
        this.#checkSeal(record);
      }
      this.#advance(lines.subarray(start, end));
      if (record["k"] === "seal") this.#sealed = String(record["status"]);
      done = end;
    }
    this.#advance(lines.subarray(done));
  }

  /** A later seal of a resumed run covers the bytes of the earlier one, so the last one counts. */
  #checkSeal(seal: { [key: string]: unknown }): void {
    if (seal["crc32"] !== hex32(this.#crc)) this.#damage = "log.jsonl: its checksum does not match";
    else if (seal["count"] !== this.#lines) this.#damage = "log.jsonl: lines are missing";
    else this.#damage = null;
  }

  #advance(lines: Buffer): void {
    if (lines.byteLength === 0) return;
    this.#crc = crc32(lines, this.#crc);
    this.#bytes += lines.byteLength;
    this.#sealed = null;
    for (let start = 0; start < lines.byteLength;) {
      const end = lines.indexOf(NEWLINE, start);
      this.#longest = Math.max(this.#longest, end - start);
      this.#lines += 1;
      start = end + 1;
    }
  }

  result(): Omit<LogScan, "whole"> {
    return {
      position: {
        bytes: this.#bytes,
        lines: this.#lines,
        crc: this.#crc,
        sealed: this.#sealed,
        damage: this.#damage,
      },
      rewinds: this.#rewinds,
      longestLine: this.#longest,
    };
  }
}

interface SpecialLine {
  readonly start: number;
  readonly end: number;
  readonly record: { [key: string]: unknown };
}

/** Lines that are a `rewind` or a `seal`, found by their words and then parsed. */
function specialLines(lines: Buffer): SpecialLine[] {
  const found = new Map<number, SpecialLine>();
  for (const word of ['"rewind"', '"seal"']) {
    for (let at = lines.indexOf(word); at >= 0; at = lines.indexOf(word, at)) {
      const start = lines.lastIndexOf(NEWLINE, at) + 1;
      const end = lines.indexOf(NEWLINE, at) + 1;
      const record = parseLine(lines.subarray(start, end));
      if (record?.["k"] === "rewind" || record?.["k"] === "seal") {
        found.set(start, { start, end, record });
      }
      at = end;
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

function parseLine(line: Buffer): { [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === "object" && value !== null
      ? (value as { [key: string]: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Copies the lines between two positions to `target`, leaving out those that a rewind among them
 * supersedes: lines before a rewind whose `seq` is greater than the one it names.
 */
export function copyLines(options: {
  readonly file: string;
  readonly target: string;
  readonly from: number;
  readonly to: number;
  readonly rewinds: readonly Rewind[];
}): void {
  const { file, target, from, to, rewinds } = options;
  const output = openSync(target, "w");
  try {
    let at = from;
    eachBlock(file, from, to - from, (block) => {
      const lines = block.subarray(0, Math.max(0, to - at));
      writeAll(output, rewinds.length === 0 ? lines : keepLines(lines, at, rewinds));
      at += block.byteLength;
    });
  } finally {
    closeSync(output);
  }
}

function keepLines(lines: Buffer, offset: number, rewinds: readonly Rewind[]): Buffer {
  const kept: Buffer[] = [];
  for (let start = 0; start < lines.byteLength;) {
    const end = lines.indexOf(NEWLINE, start) + 1;
    const line = lines.subarray(start, end);
    const later = rewinds.filter((rewind) => rewind.atByte > offset + start);
    const seq = later.length === 0 ? undefined : parseLine(line)?.["seq"];
    const dropped =
      typeof seq === "number" &&
      parseLine(line)?.["k"] !== "rewind" &&
      later.some((rewind) => seq > rewind.seq);
    if (!dropped) kept.push(line);
    start = end;
  }
  return Buffer.concat(kept);
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.byteLength;) {
    written += writeSync(descriptor, bytes, written);
  }
}

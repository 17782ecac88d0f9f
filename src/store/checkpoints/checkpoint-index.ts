/**
 * @file `checkpoints/index.jsonl`: which checkpoints a run has. A line is there only if what it
 * says is durable, and each line checks itself, so that damage to one costs no other.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import type { CheckpointRecord, RemovedRecord } from "../../format/index.ts";
import { hex32 } from "../../format/index.ts";
import { atLeastOne, syncName } from "../durable.ts";
import { runPaths } from "../store-paths.ts";

const LINE_CRC = ',"crc":"';
const NEWLINE = 10;

type IndexRecord = CheckpointRecord | RemovedRecord;

/** All that an index says. */
export interface IndexContent {
  /** Every checkpoint that ever was, in order, those that are no more among them. */
  readonly taken: readonly CheckpointRecord[];
  /** Files of checkpoints that are no more. */
  readonly removed: ReadonlySet<string>;
  /** Lines that cannot be read: what they said is not known. */
  readonly damaged: number;
}

/** Reads the whole index; a torn last line was never committed. */
export function readCheckpointIndex(runFolder: string): IndexContent {
  const file = runPaths.checkpointIndex(runFolder);
  const taken: CheckpointRecord[] = [];
  const removed = new Set<string>();
  let damaged = 0;
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  for (const [at, line] of lines.entries()) {
    const record = parseLine(line);
    if (record?.k === "checkpoint") taken.push(record);
    else if (record?.k === "removed") removed.add(record.file);
    else if (record === undefined && at < lines.length - 1) damaged++;
  }
  return { taken, removed, damaged };
}

/** The checkpoints that a run has, in the order in which they were taken. */
export function listCheckpoints(runFolder: string): CheckpointRecord[] {
  const { taken, removed } = readCheckpointIndex(runFolder);
  return taken.filter(({ file }) => !removed.has(file));
}

function parseLine(line: string): IndexRecord | undefined {
  const at = line.lastIndexOf(LINE_CRC);
  if (at < 0 || line !== sealLine(line.slice(0, at))) return undefined;
  const { crc: _, ...record } = JSON.parse(line) as IndexRecord & { crc: string };
  // It is read, and removed, by this name in the folder.
  return basename(record.file) === record.file ? record : undefined;
}

/** A line of the index: its last field is the CRC-32 of all bytes before that field. */
export function indexLine(record: IndexRecord): string {
  return `${sealLine(JSON.stringify(record).slice(0, -1))}\n`;
}

function sealLine(body: string): string {
  return `${body}${LINE_CRC}${hex32(crc32(body))}"}`;
}

/** Appends to the index of a run; nobody else does at the same time. */
export class CheckpointIndex {
  readonly #file: string;
  #fd: number | undefined;

  constructor(runFolder: string) {
    this.#file = runPaths.checkpointIndex(runFolder);
  }

  /** Returns when the records are durable. */
  append(...records: readonly IndexRecord[]): void {
    const isNew = this.#fd === undefined;
    this.#fd ??= openAtLine(this.#file);
    const lines = Buffer.from(records.map(indexLine).join(""));
    for (let at = 0; at < lines.byteLength;) at += atLeastOne(writeSync(this.#fd, lines, at));
    fdatasyncSync(this.#fd);
    if (isNew) syncName(this.#file);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** What a killed process left half written is cut off: the next line must not be joined to it. */
function openAtLine(file: string): number {
  const content = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const fd = openSync(file, "a");
  const whole = content.lastIndexOf(NEWLINE) + 1;
  if (whole < content.byteLength) ftruncateSync(fd, whole);
  return fd;
}

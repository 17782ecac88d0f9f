/**
 * @file The lines of `log.jsonl` that tell how a run went through its loops. A line of a value is
 * recognised by its first bytes and left alone; of the last ones the path is looked at, because a
 * process that was killed says nowhere else how far it had come.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import type {
  CheckpointRecord,
  EnterRecord,
  ExitRecord,
  LoopPath,
  Record,
  SiteRecord,
} from "../../format/index.ts";
import { LOOP_OFF } from "../../format/index.ts";
import { parseLine } from "./raw-log.ts";

type RewindRecord = Extract<Record, { k: "rewind" }>;

/** Whether a checkpoint was taken in a part of the run that a resumed run did again. */
export type Superseded = (checkpoint: Pick<CheckpointRecord, "seq" | "logBytes">) => boolean;

export interface StructuralLines {
  /** Loops entered and left, in order, without what a `rewind` superseded. */
  readonly events: readonly LoopEvent[];
  readonly sites: ReadonlyMap<number, SiteRecord>;
  /** Path of the last logged value or item. */
  readonly lastPath: LoopPath;
  readonly superseded: Superseded;
  /** Why a loop was not recorded any more from some point on, for each such loop. */
  readonly loopsOff: readonly string[];
  /** Loops that were given up for what they cost, by name. */
  readonly givenUp: readonly string[];
}

/** A loop is entered or left, or another process goes on with what is left of the log. */
type LoopEvent = EnterRecord | LoopLeft | RewindRecord;

/** An exit, and where the last value before it was logged. */
export type LoopLeft = ExitRecord & { readonly lastPath: LoopPath };

const BLOCK_BYTES = 4 << 20;
const NEWLINE = 10;
/** Beginnings of lines that are not parsed. */
const VALUE_KINDS = ['{"k":"log",', '{"k":"iter",'].map((text) => Buffer.from(text));

/** Where the kind stands in a line. */
const KIND_AT = '{"k":"'.length;

/** Reads a log; a last line without its newline was never written. */
export function structuralLines(file: string): StructuralLines {
  const reader = new StructureReader();
  if (existsSync(file)) eachLine(file, (line, offset) => reader.take(line, offset));
  return reader.lines();
}

function eachLine(file: string, take: (line: Buffer, offset: number) => void): void {
  const descriptor = openSync(file, "r");
  try {
    let rest: Buffer = Buffer.alloc(0);
    // Most logs are smaller than a block: memory for a whole one would be most of the work.
    const { size } = fstatSync(descriptor);
    for (let read = 0; read < size;) {
      const block = Buffer.allocUnsafe(
        Math.min(size - read, Math.max(BLOCK_BYTES, rest.byteLength)),
      );
      const bytes = readSync(descriptor, block, 0, block.byteLength, read);
      if (bytes === 0) return;
      const fresh = block.subarray(0, bytes);
      const filled = rest.byteLength === 0 ? fresh : Buffer.concat([rest, fresh]);
      const base = read - rest.byteLength;
      let start = 0;
      for (let end; (end = filled.indexOf(NEWLINE, start)) >= 0; start = end + 1) {
        take(filled.subarray(start, end), base + start);
      }
      rest = filled.subarray(start);
      read += bytes;
    }
  } finally {
    closeSync(descriptor);
  }
}

class StructureReader {
  #events: LoopEvent[] = [];
  readonly #sites = new Map<number, SiteRecord>();
  readonly #rewinds: { readonly seq: number; readonly offset: number }[] = [];
  #lastValue: Buffer | undefined;
  readonly #loopsOff: string[] = [];
  readonly #givenUp: string[] = [];

  take(line: Buffer, offset: number): void {
    if (isValue(line)) {
      this.#lastValue = line;
      return;
    }
    const record = parseLine(line.toString()) as Record | undefined;
    if (record === undefined) return;
    if (record.k === "enter") this.#events.push(record);
    else if (record.k === "exit") {
      this.#events.push({ ...record, lastPath: pathOf(this.#lastValue) });
    } else if (record.k === "site") this.#sites.set(record.site, record);
    else if (record.k === "rewind") this.#rewind(record, offset);
    else if (record.k === "off" && record.feature.startsWith(LOOP_OFF)) {
      if (record.loop === undefined) this.#loopsOff.push(`${record.feature}: ${record.why}`);
      else this.#givenUp.push(record.loop);
    }
    // Other writers may put a blank after the colon: those lines are parsed after all.
    else if (record.k === "log" || record.k === "iter") this.#lastValue = line;
  }

  #rewind(rewind: RewindRecord, offset: number): void {
    const { seq } = rewind;
    this.#events = [...this.#events.filter((record) => record.seq <= seq), rewind];
    this.#rewinds.push({ seq, offset });
    this.#lastValue = undefined;
  }

  lines(): StructuralLines {
    const rewinds = this.#rewinds;
    return {
      events: this.#events,
      sites: this.#sites,
      lastPath: pathOf(this.#lastValue),
      loopsOff: this.#loopsOff,
      givenUp: this.#givenUp,
      superseded: ({ seq, logBytes }) => {
        return rewinds.some((rewind) => seq > rewind.seq && logBytes <= rewind.offset);
      },
    };
  }
}

function isValue(line: Buffer): boolean {
  return VALUE_KINDS.some((kind) => {
    const { byteLength } = kind;
    // The first byte that differs between kinds: comparing buffers costs more than the rest.
    if (line[KIND_AT] !== kind[KIND_AT] || line.byteLength <= byteLength) return false;
    return kind.compare(line, 0, byteLength) === 0;
  });
}

function pathOf(line: Buffer | undefined): LoopPath {
  if (!line) return [];
  return (parseLine(line.toString())?.["path"] as LoopPath | undefined) ?? [];
}

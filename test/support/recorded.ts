/**
 * @file What a run left on disk, read back with the store's own readers, and with a reader of the log
 * that shares nothing with the writer.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { restore } from "../../src/adapters/index.ts";
import type { CheckpointRecord, Manifest, Record } from "../../src/format/index.ts";
import { hex32 } from "../../src/format/index.ts";
import { openCheckpoint, readManifest, runPaths } from "../../src/store/index.ts";
import type { CheckpointReader } from "../../src/store/index.ts";

export interface ReadLog {
  readonly records: readonly Record[];
  /** Bytes after the last complete line. */
  readonly tornBytes: number;
  /** `done` or `failed` if the seal is there and right. */
  readonly sealed: string | undefined;
  /** Complete lines that are not JSON, and seals that do not fit. */
  readonly damage: readonly string[];
}

/** Reads `log.jsonl` by `docs/format.md`: complete lines only, checked against the seal. */
export function readLog(runFolder: string, upTo: number = Infinity): ReadLog {
  const file = runPaths.log(runFolder);
  const bytes = existsSync(file) ? readFileSync(file).subarray(0, upTo) : Buffer.alloc(0);
  const end = bytes.lastIndexOf(10) + 1;
  const records: Record[] = [];
  const damage: string[] = [];
  let sealed: string | undefined;
  for (let from = 0; from < end;) {
    const to = bytes.indexOf(10, from);
    const line = bytes.subarray(from, to).toString();
    const record = parseRecord(line);
    if (!record) damage.push(line.slice(0, 200));
    else records.push(record);
    if (record?.k === "seal") {
      const fits = record.crc32 === hex32(crc32(bytes.subarray(0, from)));
      const known = record.status === "done" || record.status === "failed";
      const last = to + 1 === bytes.byteLength;
      if (fits && known && last && record.count === records.length - 1) sealed = record.status;
      else damage.push(line);
    }
    from = to + 1;
  }
  return { records, tornBytes: bytes.byteLength - end, sealed, damage };
}

function parseRecord(line: string): Record | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "k" in value
      ? (value as Record)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The records of one kind. */
export function ofKind<K extends Record["k"]>(
  records: readonly Record[],
  kind: K,
): Extract<Record, { k: K }>[] {
  return records.filter((record): record is Extract<Record, { k: K }> => record.k === kind);
}

/** Numbers of the numbered records, in the order of the file. */
export function sequence(records: readonly Record[]): number[] {
  return records.flatMap((record) =>
    "seq" in record && record.k !== "rewind" ? [record.seq] : [],
  );
}

/** What a checkpoint restores, as the declared record. */
export function restoreRecord(runFolder: string, record: CheckpointRecord): RestoredState {
  using reader = openCheckpoint(runFolder, record);
  reader.verify();
  return restoreFrom(reader);
}

export type RestoredState = { [field: string]: unknown };

/** What an open checkpoint restores. */
export function restoreFrom(reader: CheckpointReader): RestoredState {
  const state: RestoredState = {};
  const structure = reader.structure();
  const places = structure.places.map(({ key, source }) => ({
    key,
    source,
    get: (): unknown => undefined,
    set: (value: unknown): void => {
      state[key.slice(key.indexOf(".") + 1)] = value;
    },
  }));
  restore(places, structure, (name) => reader.tensor(name));
  return state;
}

/** Lines of ours on stderr that warn. */
export function warnings(stderr: string): string[] {
  return stderr.split("\n").filter((line) => line.startsWith("afterlog: warning:"));
}

/** The manifest, or undefined when the program died before it could write one. */
export function manifestOf(runFolder: string): Manifest | undefined {
  return existsSync(runPaths.manifest(runFolder)) ? readManifest(runFolder) : undefined;
}

/** Names of files in the folder of checkpoints. */
export function checkpointFiles(runFolder: string): string[] {
  const folder = runPaths.checkpoints(runFolder);
  return existsSync(folder) ? readdirSync(folder) : [];
}

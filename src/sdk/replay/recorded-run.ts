/**
 * @file What a replay must know of the run that it repeats: its arguments, declarations, loop
 * entries and files. Read from the log by the beginning of each line; logged values, which are
 * most of it, are passed over.
 */
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import type {
  ExitRecord,
  FileRecord,
  LogRecord,
  LoopExit,
  LoopPath,
  Record,
} from "../../format/index.ts";
import { formatPath, LOOP_OFF, pathElement, valueFromJson } from "../../format/index.ts";
import { readManifest, runPaths } from "../../store/index.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import type { FoundBefore } from "../files/outside-files.ts";
import type { LeftFile } from "../files/replay-files.ts";
import { loopsOf } from "../files/watch-files.ts";

/** A loop entry of the run. */
export interface RecordedEntry {
  readonly iterator: number;
  /** Null: the process ended while it ran. */
  exit: { readonly how: LoopExit; readonly iterations: number } | null;
}

/** Beginnings of lines that are read; `{"k":"` is common to all. */
const READ = ["arg", "declare", "enter", "exit", "file", "off", "rewind", "seal"];

export class RecordedRun {
  readonly args: Map<string, unknown> = new Map();
  readonly entries: Map<string, RecordedEntry> = new Map();
  /** Loops that it gave up in its middle, by name, and why: what it entered of them stands in `entries`. */
  readonly givenUp: Map<string, string> = new Map();
  /** Loops of which it recorded no more because they ran at the same time: what it has of them is cut. */
  readonly leftAlone: Set<string> = new Set();
  /** Hash of each file at its first read. */
  readonly read: Map<string, string> = new Map();
  /** Files that the run wrote, with the loops in which it did (`loopsOf`). */
  readonly written: Map<string, Set<string>> = new Map();
  /** What was where it first wrote outside its project. */
  readonly before: Map<string, FoundBefore> = new Map();
  /** Files that it wrote, and that were there when it ended. */
  readonly left: Map<string, LeftFile> = new Map();
  /** Ordinals of the declarations made in an iteration, in order, by its path. */
  readonly #declared = new Map<string, number[]>();
  /** It ended by itself: what it did not do, it would not have done. */
  sealed = false;

  readonly #file: string;
  #logged: Map<string, LogRecord[]> | undefined;
  #calls: RecordedCalls | undefined;

  constructor(runFolder: string) {
    this.#file = runPaths.log(runFolder);
    for (const record of readRecords(this.#file, READ)) this.#add(record);
    // CommonJS loads source by reading it; the plan has compared sources, which may have statements
    // added.
    for (const file of sourcesOf(runFolder)) this.read.delete(file);
  }

  /** Of the loop entry that ends there; 0 if it did not end. */
  iterationsOf(end: LoopPath): number {
    return this.entries.get(formatPath(end))?.exit?.iterations ?? 0;
  }

  /** The values logged at a path; all are read when the first is asked for. */
  logged(path: LoopPath): readonly LogRecord[] {
    this.#logged ??= this.#readLogged();
    return this.#logged.get(formatPath(path)) ?? [];
  }

  /** Results of calls; all are read when the first is asked for. */
  get calls(): RecordedCalls {
    return (this.#calls ??= new RecordedCalls(
      readRecords(this.#file, ["calls", "called", "rewind"]),
    ));
  }

  #readLogged(): Map<string, LogRecord[]> {
    const byPath = new Map<string, LogRecord[]>();
    for (const record of readRecords(this.#file, ["log", "rewind"])) {
      if (record.k !== "log") continue;
      const path = formatPath(record.path);
      const known = byPath.get(path);
      if (known) known.push(record);
      else byPath.set(path, [record]);
    }
    return byPath;
  }

  /** The number of the `n`-th declaration in the iteration at `path`; undefined if there is none. */
  declaration(path: LoopPath, n: number): number | undefined {
    return this.#declared.get(formatPath(path))?.[n];
  }

  #add(record: Record): void {
    switch (record.k) {
      case "arg":
        if (!this.args.has(record.name)) this.args.set(record.name, valueFromJson(record.value));
        return;
      case "declare": {
        const path = formatPath(record.path);
        this.#declared.set(path, [...(this.#declared.get(path) ?? []), record.ordinal]);
        return;
      }
      case "enter":
        this.entries.set(entryKey(record), { iterator: record.iterator, exit: null });
        return;
      case "exit":
        return this.#exit(record);
      case "file":
        if (record.op === "read" && record.hash) this.read.set(record.file, record.hash);
        if (record.op !== "read") this.#wrote(record);
        return;
      case "off":
        this.#addOff(record);
        return;
      case "seal":
        this.sealed = true;
        return;
      case "header":
      case "site":
      case "iter":
      case "log":
      case "calls":
      case "called":
      case "fresh":
      case "restore":
      case "state":
      case "reached":
      case "rewind":
        return;
    }
  }

  #addOff({ loop, feature, why }: Extract<Record, { k: "off" }>): void {
    // Earlier versions gave a loop up by its entries alone, and told its name in words.
    const name = loop ?? (/entered more than/.test(why) && /^loop (.*) \(/.exec(feature)?.[1]);
    if (typeof name === "string") this.givenUp.set(name, why);
    else if (feature.startsWith(LOOP_OFF)) this.leftAlone.add(loopOff(feature));
  }

  #wrote({ file, path, op, hash, before, bytes = 0 }: FileRecord): void {
    const places = this.written.get(file) ?? new Set();
    this.written.set(file, places.add(loopsOf(path)));
    if (op === "sealed" && hash !== undefined) this.left.set(file, { path, hash });
    // What was written before the run began may lie inside after all.
    if (before === undefined || !isAbsolute(file) || this.before.has(file)) return;
    this.before.set(file, { before, bytes });
  }

  #exit(record: ExitRecord): void {
    const entry = this.entries.get(entryKey(record));
    if (entry) entry.exit = { how: record.how, iterations: record.iterations };
  }
}

/** The path of the loop end of an entry, as text. */
function entryKey(record: {
  readonly path: LoopPath;
  readonly loop: string;
  readonly entry: number;
}): string {
  return formatPath([...record.path, pathElement(record.loop, "end", record.entry)]);
}

/** The records of interest; those that a later `rewind` supersedes are dropped. */
export function readRecords(file: string, kinds: readonly string[]): Record[] {
  // A run that was killed at once has none.
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  let records: Record[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    if (end < 0) break;
    if (isRecordOfKind(kinds, bytes, at)) {
      const record = JSON.parse(bytes.toString("utf8", at, end)) as Record;
      if (record.k === "rewind") {
        records = records.filter((before) => "seq" in before && before.seq <= record.seq);
      } else records.push(record);
    }
    at = end + 1;
  }
  return records;
}

function isRecordOfKind(kinds: readonly string[], bytes: Buffer, at: number): boolean {
  const kind = bytes.toString("latin1", at + 6, at + 14);
  return kinds.some((word) => kind.startsWith(`${word}"`));
}

function sourcesOf(runFolder: string): string[] {
  try {
    return Object.keys(readManifest(runFolder).sources);
  } catch {
    // Then all that was read must be as it was.
    return [];
  }
}

/** The name of a loop that was turned off; a place may follow it. */
function loopOff(feature: string): string {
  return feature.slice(LOOP_OFF.length).replace(/ \([^()]*:\d+\)$/, "");
}

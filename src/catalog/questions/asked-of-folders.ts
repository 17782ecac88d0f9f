/**
 * @file What a question asks for, read from the run directories themselves: for whoever waits for its first value,
 * and where that is certain without tables. Else it answers nothing, and the index is asked (`read-asked.ts`).
 *
 * It is certain for statements outside of all loops, under no condition, whose names stand in no log: then each
 * run is asked as a whole.
 */
import { readFileSync, statSync } from "node:fs";
import type { LoopPath } from "../../format/index.ts";
import { listRunIds, runPaths, storePaths } from "../../store/index.ts";
import { readManifestRow } from "../ingest/read-manifest.ts";
import type { LoopsByValue } from "../loop-names.ts";
import type { AskedIterations, AskedQuestion } from "./read-asked.ts";

/** Of more than this the index is the quicker one. */
const LOG_BYTES_MAX = 8 * 1024 * 1024;
const RUNS_MAX = 200;
/** Names that every writer writes as they are. */
const PLAIN_NAME = /^[A-Za-z0-9_./ -]+$/;

/** As `readAsked`, where it is certain. */
export function askedOfFolders(
  store: string,
  question: AskedQuestion,
): AskedIterations | undefined {
  const { where, statements, except } = question;
  const names = statements.map(({ name }) => name);
  const isSimple =
    where === null &&
    except.length === 0 &&
    statements.length > 0 &&
    statements.every(({ loops }) => loops.length === 0) &&
    names.every((name) => PLAIN_NAME.test(name));
  const ids = isSimple ? listRunIds(store) : [];
  if (ids.length === 0 || ids.length > RUNS_MAX) return undefined;
  const logs = readLogs(store, ids);
  if (logs === undefined) return undefined;
  // Whatever it is that is called so there, the index knows.
  if (logs.some(({ log }) => names.some((name) => log.includes(`"${name}"`)))) return undefined;
  const runs = logs
    .map(({ folder }) => readManifestRow(folder))
    .filter(({ kind }) => kind !== "replay")
    .sort((a, b) => a.ordinal - b.ordinal || (a.run < b.run ? -1 : 1));
  return {
    runs: runs.map(({ run }) => ({ run, asked: "all", open: [[]] })),
    filled: [],
    after: null,
  };
}

interface ReadLog {
  readonly folder: string;
  readonly log: Buffer;
}

/** The logs of all that the index would take for runs; nothing if they are large. */
function readLogs(store: string, ids: readonly string[]): ReadLog[] | undefined {
  const found: ReadLog[] = [];
  let bytes = 0;
  for (const id of ids) {
    const folder = storePaths.run(store, id);
    const size = sizeOf(runPaths.log(folder));
    if (size === undefined && sizeOf(runPaths.manifest(folder)) === undefined) continue;
    bytes += size ?? 0;
    if (bytes > LOG_BYTES_MAX) return undefined;
    const log = size === undefined ? Buffer.alloc(0) : readFileSync(runPaths.log(folder));
    found.push({ folder, log });
  }
  return found;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** As `readLoopsByValue` of these runs, where it is certain. */
export function loopsByValueOfFolders(
  store: string,
  runs: readonly string[],
): LoopsByValue | undefined {
  const logs = runs.length > RUNS_MAX ? undefined : readLogs(store, runs);
  if (logs === undefined || logs.some(({ log }) => log.includes('"rewind"'))) return undefined;
  const found = new Map<string, Set<string>>();
  for (const { folder, log } of logs) {
    const manifest = readManifestRow(folder);
    const loops = manifest.loop_rules > 0 ? loopsByValueIn(log) : new Set<string>();
    if (loops.size > 0) found.set(manifest.run, loops);
  }
  return found;
}

/** Loops of one log whose own values are not just the indices. */
function loopsByValueIn(log: Buffer): Set<string> {
  const loops = new Set<string>();
  for (const line of log.toString().split("\n")) {
    if (!/"k": ?"(?:enter|iter)"/.test(line)) continue;
    const record = parseLine(line);
    if (record === undefined || typeof record.seq !== "number") continue;
    if (record.k === "enter" && typeof record.loop === "string") {
      const { start = 0, step = 1 } = record.range ?? {};
      if (start !== 0 || step !== 1) loops.add(record.loop);
    }
    const last = record.k === "iter" ? record.path?.at(-1) : undefined;
    if (last && numberOf(record.value) !== last[1]) loops.add(last[0]);
  }
  return loops;
}

/** As the index has it: texts and other values have no number. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  const { $, v } = (value ?? {}) as { readonly $?: unknown; readonly v?: unknown };
  return $ === "bigint" ? Number(v) : undefined;
}

interface LoopLine {
  readonly k?: unknown;
  readonly seq?: unknown;
  readonly loop?: unknown;
  readonly range?: { readonly start?: number; readonly step?: number };
  readonly path?: LoopPath;
  readonly value?: unknown;
}

function parseLine(line: string): LoopLine | undefined {
  try {
    return JSON.parse(line) as LoopLine;
  } catch {
    return undefined;
  }
}

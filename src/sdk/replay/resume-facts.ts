/**
 * @file Where a run that is continued left off: how long its files are, and the numbers that it
 * gave so far, so that the continuation gives others (format.md, `rewind`).
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import type { Record } from "../../format/index.ts";
import type { FilePositions } from "../../materialize/index.ts";
import { listCheckpoints, runPaths } from "../../store/index.ts";

export interface ResumeFacts {
  readonly positions: FilePositions;
  /** Lines of the log. */
  readonly lines: number;
  /** The next number of each kind that has not been given. */
  readonly site: number;
  readonly iterator: number;
  readonly declaration: number;
  /** Where it went back before, and from where in the log. */
  readonly rewinds: readonly { readonly seq: number; readonly offset: number }[];
}

export function readResumeFacts(runFolder: string): ResumeFacts {
  const log = wholeLines(runPaths.log(runFolder));
  let [lines, site, iterator, declaration] = [0, 0, 0, 0];
  const rewinds: { seq: number; offset: number }[] = [];
  let offset = 0;
  for (const line of log.toString().split("\n")) {
    const start = offset;
    offset += Buffer.byteLength(line) + 1;
    if (line === "") continue;
    lines++;
    if (!/^\{"k":"(?:site|enter|declare|rewind)"/.test(line)) continue;
    const record = JSON.parse(line) as Record;
    if (record.k === "site") site = Math.max(site, record.site + 1);
    if (record.k === "enter") iterator = Math.max(iterator, record.iterator + 1);
    if (record.k === "rewind") rewinds.push({ seq: record.seq, offset: start });
    if (record.k === "declare") declaration = Math.max(declaration, record.ordinal + 1);
  }
  // A dataset that no loop has gone through has a number too.
  for (const { iterators } of listCheckpoints(runFolder)) {
    for (const { id } of iterators) iterator = Math.max(iterator, id + 1);
  }
  const positions = {
    log: log.byteLength,
    profile: wholeLines(runPaths.profile(runFolder)).byteLength,
    values: runFileSize(runPaths.values(runFolder)),
  };
  return { positions, lines, site, iterator, declaration, rewinds };
}

/** The content up to the last newline: what follows was never written. */
function wholeLines(file: string): Buffer {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

function runFileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * @file Reading the facts of a recorded run from its directory, fast: a log has a line for each
 * logged value and only a few for each loop entry, so lines of values are not parsed.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointRecord, Manifest, ProfileRecord, UnseenCall } from "../../format/index.ts";
import { formatPath, machineOf } from "../../format/index.ts";
import type { RunFacts, RunTimes } from "../../planner/index.ts";
import { listCheckpoints, readManifest, runPaths } from "../../store/index.ts";
import { LoopTree } from "./loop-tree.ts";
import { readLines } from "./raw-log.ts";
import type { Superseded } from "./structural-lines.ts";
import { structuralLines } from "./structural-lines.ts";

/** Reads a run directory. Throws AL040 if its manifest is damaged, unless it is known already. */
export function readRunFacts(
  runFolder: string,
  manifest: Manifest = readManifest(runFolder),
): RunFacts {
  const log = structuralLines(runPaths.log(runFolder));
  const tree = new LoopTree(log);
  const times = new RunTimesReader();
  for (const line of readLines(runPaths.profile(runFolder))) {
    const record = line as unknown as ProfileRecord;
    if (record.k === "iterations") tree.addTimes(record);
    else times.add(record);
  }
  const { checkpoints, lost } = readCheckpoints(runFolder, log.superseded);
  for (const { path } of checkpoints.values()) tree.reached(path);
  return {
    ...manifestFacts(manifest),
    entries: tree.entries(),
    checkpoints,
    lost,
    times: times.times,
    calls: times.calls,
    loopsOff: log.loopsOff,
    givenUp: log.givenUp,
  };
}

function manifestFacts(
  manifest: Manifest,
): Omit<RunFacts, "entries" | "checkpoints" | "lost" | "times" | "calls" | "loopsOff" | "givenUp"> {
  const { run, program, started, order, status, rewriter, versions, host } = manifest;
  const { audit = [], handsFree = false } = manifest;
  const afterlog = versions["afterlog"] ?? null;
  return {
    run,
    program,
    started,
    order,
    status,
    // Python reaches variables without rewriting anything.
    rewritten: rewriter.rewritten || handsFree,
    afterlog,
    host: host.name,
    machine: machineOf(host),
    audit,
  };
}

/** The newest checkpoint at each path; those whose bytes are not all there are lost. */
function readCheckpoints(
  runFolder: string,
  superseded: Superseded,
): { checkpoints: Map<string, CheckpointRecord>; lost: string[] } {
  const listed = listCheckpoints(runFolder).filter((record) => !superseded(record));
  const folder = runPaths.checkpoints(runFolder);
  const sound = new Set(
    listed.filter(({ file, bytes }) => sizeOf(join(folder, file)) === bytes).map((r) => r.file),
  );
  const checkpoints = new Map<string, CheckpointRecord>();
  const lost = new Set<string>();
  for (const record of listed) {
    const path = formatPath(record.path);
    const isThere = [record.file, ...record.holds].every((file) => sound.has(file));
    // One taken again at this path replaces the one before, whether it is still there or not.
    if (isThere) checkpoints.set(path, record);
    else checkpoints.delete(path);
    if (isThere) lost.delete(path);
    else lost.add(path);
  }
  return { checkpoints, lost: [...lost] };
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

class RunTimesReader {
  #start = 0;
  #setup = 0;
  #prefix = 0;
  #suffix = 0;
  readonly #gaps: number[] = [];
  readonly calls: UnseenCall[] = [];
  #persistMs = 0;
  #persistBytes = 0;

  add(record: Exclude<ProfileRecord, { k: "iterations" }>): void {
    switch (record.k) {
      case "start":
        this.#start = record.ms;
        break;
      case "setup":
        this.#setup = record.ms;
        break;
      case "prefix":
        this.#prefix = record.ms;
        break;
      case "suffix":
        this.#suffix = record.ms;
        break;
      case "gap":
        this.#gaps.push(record.ms);
        break;
      case "call":
        this.calls.push(record);
        break;
      case "persist":
        this.#persistMs += record.ms;
        this.#persistBytes += record.bytes;
        break;
      case "snapshot":
      case "wait":
      case "load":
      case "frequency":
        break;
    }
  }

  get times(): RunTimes {
    const measured = this.#persistMs > 0 && this.#persistBytes > 0;
    return {
      start: this.#start,
      setup: this.#setup,
      prefix: this.#prefix,
      gaps: this.#gaps,
      suffix: this.#suffix,
      persistBytesPerMs: measured ? this.#persistBytes / this.#persistMs : null,
    };
  }
}

/**
 * @file A replay's values as a run directory that names its parent (format.md: a sealed run never
 * changes, so what is learned later stands in one of its own). It appears under its name complete
 * and sealed, or not at all.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import type {
  Box,
  CheckMark,
  LandedAs,
  Manifest,
  Plan,
  Scan,
  TensorReference,
  UnitPart,
} from "../../format/index.ts";
import { manifestToJson, numberToJson } from "../../format/index.ts";
import {
  LineFile,
  makeFolder,
  nextOrder,
  readManifest,
  replaceFile,
  runPaths,
  storePaths,
  syncName,
  ValueFile,
} from "../../store/index.ts";
import type { CheckedCell, Difference } from "../checking/check-replay.ts";
import { isTensor } from "../checking/compare-values.ts";
import type { Doubts } from "../checking/describe-doubts.ts";
import type { Judged } from "../checking/judge-unit.ts";
import { readLines } from "../recorded/raw-log.ts";
import type { Isolation } from "./isolation.ts";
import { ValueBytes } from "../recorded/value-bytes.ts";

/** What a replay was told and how it went: `directive` in its run.json. */
export interface ReplayDirective {
  readonly replay: string;
  readonly unit: number;
  readonly scan: Scan;
  readonly ranges: readonly Box[];
  /** What this process kept of these, and how many of the run shared them; absent: it alone kept all. */
  readonly part?: UnitPart;
  readonly parts?: number;
  readonly names: readonly string[];
  readonly statements: Plan["statements"];
  /** How they stood in the run's version; absent: nothing had to be put into it. */
  readonly landing?: LandedAs;
  readonly from_checkpoint: string | null;
  /** Share of the recorded iterations that were executed again, by the time that they took. */
  readonly share: number;
  readonly compared: Judged["compared"];
  readonly first_difference: Difference | null;
  /** Why values are `unchecked`, by their names; absent: none is. */
  readonly doubts?: Doubts;
  readonly predicted_s: number;
  readonly actual_s: number;
  /** The source: the version, and SHA-256 of the files that were put over it. */
  readonly commit: string | null;
  readonly overlays: string;
  /** Why it does not have all that was asked; null: it has. */
  readonly incomplete: string | null;
  /** The GPU that its process saw, as CUDA_VISIBLE_DEVICES named it; absent: nobody chose one. */
  readonly gpu?: string;
  /** Of code from elsewhere: what it was executed in; absent: it is the user's own. */
  readonly isolation?: Isolation;
  /** How far floats may differ that are marked `close`; absent: nobody chose it. */
  readonly tolerance?: number;
}

export interface ResultOptions {
  readonly store: string;
  readonly parent: Manifest;
  /** What the process wrote. */
  readonly out: string;
  /** A folder that does not exist, on the store's file system. */
  readonly temporary: string;
  readonly judged: Judged;
  readonly directive: ReplayDirective;
  readonly started: Date;
  readonly ended: Date;
  /** Called with the run's id before it appears: whoever dies here knows it again. */
  readonly announce: (run: string) => void;
}

export const CHECK_MARKS = ["verified", "restored", "close", "diverged", "unchecked"] as const;

/** How many values of results, of which the runs are given, have which mark. */
export function countMarks(
  store: string,
  results: readonly string[],
): { [mark in CheckMark]: number } {
  const marks = { verified: 0, restored: 0, close: 0, diverged: 0, unchecked: 0 };
  for (const run of results) {
    for (const { check } of readLines(runPaths.log(storePaths.run(store, run)), '{"k":"log"')) {
      const mark = CHECK_MARKS.find((one) => one === check);
      if (mark) marks[mark] += 1;
    }
  }
  return marks;
}

/** Writes the run and gives it its name; answers it. */
export function writeResult(options: ResultOptions): string {
  const { store, parent, temporary, started } = options;
  const run = newRunId(store, parent.run, started);
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  const status = options.directive.incomplete === null ? "done" : "failed";
  writeResultLog(options, run, status);
  const manifest = resultManifest(options, run, status);
  replaceFile(runPaths.manifest(temporary), manifestToJson(manifest));
  makeFolder(storePaths.runs(store));
  options.announce(run);
  const folder = storePaths.run(store, run);
  renameSync(temporary, folder);
  syncName(folder);
  return run;
}

/** The parent's program, the time, four random characters (docs/format.md, "Folders"). */
function newRunId(store: string, parent: string, started: Date): string {
  const stem = parent.replace(/-\d{8}-\d{6}-[0-9a-z]{4}$/, "");
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${started.getFullYear()}${two(started.getMonth() + 1)}${two(started.getDate())}`;
  const time = `${two(started.getHours())}${two(started.getMinutes())}${two(started.getSeconds())}`;
  for (;;) {
    const letters = Array.from(randomBytes(4), (byte) => (byte % 36).toString(36)).join("");
    const run = `${stem}-${day}-${time}-${letters}`;
    if (!existsSync(storePaths.run(store, run))) return run;
  }
}

function writeResultLog(options: ResultOptions, run: string, status: "done" | "failed"): void {
  const { temporary, judged, out } = options;
  using bytes = new ValueBytes(out);
  const values = new ValueFile(runPaths.values(temporary));
  const log = new LineFile(runPaths.log(temporary));
  try {
    const copy = new TensorCopy(bytes, values);
    const lines = [
      toJson({ k: "header", format: 1, run }),
      ...judged.sites.map((site) => toJson(site)),
      ...judged.cells.map((cell, seq) => cellLine(cell, seq, copy)),
    ];
    values.sync();
    log.write(Buffer.from(lines.map((line) => `${line}\n`).join("")));
    log.seal(status, lines.length);
  } finally {
    log.close();
    values.close();
  }
}

function cellLine({ record, check }: CheckedCell, seq: number, copy: TensorCopy): string {
  const { path, name, site, t } = record;
  const value = copy.value(record.value);
  return toJson({ k: "log", seq, path, name, site, value, probe: true, check, t });
}

/** Takes tensors along: a value's bytes get a place in the new file. */
class TensorCopy {
  readonly #from: ValueBytes;
  readonly #to: ValueFile;
  #end = 0;

  constructor(from: ValueBytes, to: ValueFile) {
    this.#from = from;
    this.#to = to;
  }

  value(value: unknown): unknown {
    if (isTensor(value)) return this.#copyTensor(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.value(item)]));
  }

  #copyTensor(tensor: TensorReference): unknown {
    const bytes = this.#from.read(tensor);
    const { offset: _, ...rest } = tensor;
    // Without an offset it says that its bytes were not kept.
    if (!bytes) return rest;
    const offset = this.#end;
    this.#to.write(bytes, offset);
    this.#end += bytes.byteLength;
    return { ...rest, offset };
  }
}

/** JSON of something that was read as JSON: `JSON.stringify` would lose the sign of `-0.0`. */
function toJson(value: unknown): string {
  if (typeof value === "number") return numberToJson(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toJson).join(",")}]`;
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${toJson(item)}`).join(",")}}`;
}

function resultManifest(options: ResultOptions, run: string, status: "done" | "failed"): Manifest {
  const { store, parent, out, directive, started, ended } = options;
  // The process knows its host, what it loaded, and whether its source was rewritten.
  const own = readManifest(out);
  const { project, program, language, argv, version, seed, generator } = parent;
  const shared = { project, program, language, argv, version, seed, generator };
  return {
    ...own,
    ...shared,
    run,
    name: null,
    kind: "replay",
    parent: parent.run,
    directive,
    started: started.toISOString(),
    ended: ended.toISOString(),
    order: nextOrder(store, started.getTime()),
    status,
    overhead: null,
  };
}

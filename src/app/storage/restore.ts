/** @file The tensors of a checkpoint in a file, for other tools. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CheckpointRecord, LoopPath } from "../../format/index.ts";
import { AfterlogError, formatPath, shownPath } from "../../format/index.ts";
import { exportCheckpoint, readManifest } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import type { RunPoint } from "../run-point.ts";
import { requireProject } from "../required-project.ts";
import { findPoint } from "../run-point.ts";

/** Where a checkpoint lies, as JSON: what the functions `restore` of the SDKs read it by. */
export interface CheckpointPlace {
  readonly run: string;
  readonly path: LoopPath;
  /** The path as people write it: `epoch=3`, or `epoch#=2` where that would mean another one. */
  readonly at: string;
  readonly exact: boolean;
  /** The project's folder, and that of the run. */
  readonly root: string;
  readonly folder: string;
  readonly program: string;
  readonly language: string;
  /** Those that must be read one after the other, the checkpoint itself last. */
  readonly checkpoints: readonly { readonly file: string; readonly crc32: string }[];
}

/** Finds a checkpoint. Throws AL001, AL004, AL035, AL040. */
export async function locateCheckpoint(ports: Ports, reference: string): Promise<CheckpointPlace> {
  const point = await findPoint(ports, reference);
  const { program, language } = readManifest(point.folder);
  return {
    run: point.run,
    path: point.record.path,
    at: shownPath(formatPath(point.record.path), point.byValue),
    exact: point.exact,
    root: requireProject(ports).root,
    folder: point.folder,
    program,
    language,
    checkpoints: recordsOf(point).map(({ file, crc32 }) => ({ file, crc32 })),
  };
}

export interface RestoreRequest {
  /** `RUN` for its last checkpoint, `RUN@end`, `RUN@epoch=3`, or a row of a frame as JSON. */
  readonly reference: string;
  /** Where to write it. */
  readonly file: string;
  /** Overwrites the file. */
  readonly force?: boolean | undefined;
}

/** What was written, as JSON. */
export interface RestoreReport {
  readonly run: string;
  readonly path: LoopPath;
  /** Loops whose names mean their own values, which are not the indices of the path; absent: none. */
  readonly by_value?: readonly string[];
  /** False: of a row that has no checkpoint of its own, the newest before it. */
  readonly exact: boolean;
  readonly file: string;
  readonly bytes: number;
  readonly tensors: readonly {
    readonly name: string;
    readonly dtype: string;
    readonly shape: readonly number[];
  }[];
}

/** Writes a safetensors file. Throws AL004, AL035, AL040, and AL042 if the file exists. */
export async function restoreCheckpoint(
  ports: Ports,
  { reference, file: given, force }: RestoreRequest,
): Promise<RestoreReport> {
  const file = resolve(ports.cwd, given);
  refuseExisting(file, given, force);
  const point = await findPoint(ports, reference);
  mkdirSync(dirname(file), { recursive: true });
  const { program, version } = readManifest(point.folder);
  const { tensors, bytes } = exportCheckpoint({
    runFolder: point.folder,
    records: recordsOf(point),
    file,
    metadata: { run: point.run, program, commit: version?.commit ?? "" },
  });
  return {
    run: point.run,
    path: point.record.path,
    ...(point.byValue.size === 0 ? {} : { by_value: [...point.byValue] }),
    exact: point.exact,
    file,
    bytes,
    tensors: tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape })),
  };
}

/** Throws AL042 if the file exists. */
export function refuseExisting(file: string, given: string, force: boolean | undefined): void {
  if (!existsSync(file) || force === true) return;
  throw new AfterlogError("AL042", `${given} exists already`, {
    help: ["name another file, or overwrite it with --force"],
  });
}

/** The checkpoint, after those that must be restored before it. */
function recordsOf({ record, facts, run }: RunPoint): CheckpointRecord[] {
  const before = record.needs.map((path) => {
    const needed = facts.checkpoints.get(path);
    if (needed) return needed;
    throw new AfterlogError("AL040", `the checkpoint at ${path}, which this one needs, is gone`, {
      help: [`take another one:  afterlog show ${run}`],
      data: { run, path },
    });
  });
  return [...before, record];
}

/** @file The tensors of a checkpoint in a file, for other tools. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CheckpointRecord, LoopPath } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { exportCheckpoint, readManifest } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import type { RunPoint } from "../run-point.ts";
import { findPoint } from "../run-point.ts";

export interface RestoreRequest {
  /** `RUN` for its last checkpoint, `RUN@end`, `RUN@epoch=3`. */
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
  if (existsSync(file) && force !== true) {
    throw new AfterlogError("AL042", `${given} exists already`, {
      help: ["name another file, or overwrite it with --force"],
    });
  }
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
    file,
    bytes,
    tensors: tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape })),
  };
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

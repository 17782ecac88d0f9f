/**
 * @file A checkpoint as one file for other tools: all tensors of the state, also those that other
 * files of the run hold, verified, under the names that viewers show, without our own structure.
 */
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync } from "node:fs";
import type { CheckpointRecord, TensorSpec } from "../../format/index.ts";
import { DTYPE_BYTES, encodePlainHeader, formatPath, STRUCTURE_NAME } from "../../format/index.ts";
import type { CheckpointReader } from "./checkpoint-reader.ts";
import { openCheckpoint } from "./checkpoint-reader.ts";
import { writeFully } from "../durable.ts";

export interface ExportedCheckpoint {
  readonly tensors: readonly TensorSpec[];
  readonly bytes: number;
}

/**
 * Writes the checkpoint to `file`, which appears whole or not at all. `records` are those that must
 * be restored one after the other, the checkpoint itself last. Throws AL040 if one is damaged.
 */
export function exportCheckpoint(options: {
  readonly runFolder: string;
  readonly records: readonly CheckpointRecord[];
  readonly file: string;
  readonly metadata: Readonly<{ [key: string]: string }>;
}): ExportedCheckpoint {
  const { runFolder, records, file } = options;
  const readers: CheckpointReader[] = [];
  const temporary = `${file}.tmp`;
  try {
    for (const record of records) readers.push(openCheckpoint(runFolder, record));
    const tensors = newestTensors(readers);
    const own = records.at(-1);
    const header = encodePlainHeader(
      tensors.map(({ spec }) => spec),
      {
        ...options.metadata,
        ...(own ? { path: formatPath(own.path), kind: own.kind, state_hash: own.stateHash } : {}),
      },
    );
    const bytes = writeTensorFile(temporary, header, tensors);
    renameSync(temporary, file);
    return { tensors: tensors.map(({ spec }) => spec), bytes };
  } finally {
    for (const reader of readers) reader[Symbol.dispose]();
    rmSync(temporary, { force: true });
  }
}

interface FoundTensor {
  readonly spec: TensorSpec;
  readonly reader: CheckpointReader;
}

/** Of each name the tensor that is restored last; the widest elements first, so all are aligned. */
function newestTensors(readers: readonly CheckpointReader[]): FoundTensor[] {
  const found = new Map<string, FoundTensor>();
  for (const reader of readers) {
    const { tensors, metadata } = reader.header;
    for (const spec of [...tensors, ...metadata.held]) {
      if (spec.name !== STRUCTURE_NAME) found.set(spec.name, { spec, reader });
    }
  }
  return [...found.values()].sort((a, b) => {
    const width = DTYPE_BYTES[b.spec.dtype] - DTYPE_BYTES[a.spec.dtype];
    return width || (a.spec.name < b.spec.name ? -1 : 1);
  });
}

function writeTensorFile(
  file: string,
  header: Uint8Array,
  tensors: readonly FoundTensor[],
): number {
  const fd = openSync(file, "w");
  try {
    writeFully(fd, header, 0);
    let end = header.byteLength;
    for (const { spec, reader } of tensors) {
      const bytes = reader.tensor(spec.name);
      writeFully(fd, bytes, end);
      end += bytes.byteLength;
    }
    fdatasyncSync(fd);
    return end;
  } finally {
    closeSync(fd);
  }
}

/**
 * @file The seam between recording and the disk: lines, values and checkpoints go in, durable
 * files come out, in the background or at once.
 *
 * Two implementations: `ThreadMaterializer` (a worker thread, the default) and
 * `InlineMaterializer` (all on the calling thread, for tests and where threads are not to be had).
 * Neither throws for a failure of the disk: it is reported once and the feature is off.
 */
import type {
  CheckpointKind,
  CheckpointRecord,
  GeneratorState,
  IteratorPosition,
  LoopPath,
  StateGraph,
  TensorSpec,
} from "../format/index.ts";
import type { CheckpointCost } from "./ledger.ts";

/** Speed assumed before anything was measured; low, to err on the side of the training. */
export const COPY_BYTES_PER_MS_ASSUMED = 2e6;

/** A tensor that can copy itself: what an adapter hands over. */
export interface SnapshotTensor extends TensorSpec {
  /** Its identity proves that the bytes are unchanged. */
  readonly immutable?: object;
  copyTo(target: Uint8Array): void;
}

export interface Snapshot {
  readonly graph: StateGraph;
  readonly entry: readonly (number | null)[];
  readonly leaves: readonly SnapshotTensor[];
}

export interface CheckpointRequest {
  readonly kind: CheckpointKind;
  readonly path: LoopPath;
  readonly seq: number;
  readonly file: string;
  readonly state: Snapshot;
  readonly generators: readonly GeneratorState[];
  readonly iterators: readonly IteratorPosition[];
  readonly draws?: CheckpointRecord["draws"];
  readonly needs: readonly string[];
  readonly captureMs: number;
  /**
   * Belongs to the checkpoint just taken: does not wait for it to be durable (semantics, "Snapshot
   * and persist").
   */
  readonly paired: boolean;
  /** Longest wait for memory and for the persist before; it is not taken if that is too short. */
  readonly waitMsMax: number;
  readonly t: number;
}

/** How long the files of a run are that is continued. */
export interface FilePositions {
  readonly log: number;
  readonly profile: number;
  readonly values: number;
}

/** Parts of recording that can be turned off on their own. */
export type Feature =
  | "checkpoints"
  | "checkpoints for want of memory"
  | "log"
  | "overlap of checkpoints"
  | "profile"
  | "retention"
  | "values";

export interface MaterializerEvents {
  /** Called on the calling thread, from within another call. */
  readonly committed: (record: CheckpointRecord) => void;
  readonly failed: (feature: Feature, why: string) => void;
}

export interface Materializer {
  /** Appends one line (with its newline) to the log, or to the profile. Returns at once. */
  log(line: string): void;
  profile(line: string): void;
  /** Length of the log so far, in bytes. */
  readonly logBytes: number;
  /**
   * Keeps a copy of the bytes in `values.bin` and returns their offset; undefined if they are not
   * kept.
   */
  value(bytes: Uint8Array): number | undefined;
  /** Announces the state, so that memory for it is ready before the first checkpoint. */
  prepare(state: Snapshot): void;
  /**
   * Copies the state and returns; it is durable when `committed` has been called. `taken` is false
   * if waiting would have cost too much, or checkpoints are off.
   */
  take(request: CheckpointRequest): CheckpointCost & { readonly taken: boolean };
  /**
   * Removes checkpoints that are durable, after whatever is being written; `t` as in records. A
   * checkpoint that is on its way may refer only to those that stay.
   */
  remove(files: readonly string[], t: number): void;
  /** Speed of copying into prepared memory; a low guess until it has been measured. */
  readonly copyBytesPerMs: number;
  /** For how long since `fromMs` (monotonic) something was being written or prepared. */
  busyMs(fromMs: number): number;
  /** Whether a checkpoint is on its way to the disk. */
  readonly isPersisting: boolean;
  /** Processor time of what runs beside the program's thread, ms. */
  readonly besideMs: number;
  /** Somebody outside asks for a last checkpoint; known within a fraction of a second. */
  readonly stopRequested: boolean;
  /** Waits until everything taken so far is durable, or has failed. */
  drain(): void;
  /**
   * Settles, seals the log with its count of lines, and ends. The count is asked for last: settling
   * may find a failure, and that it failed is a line too.
   */
  finish(status: "done" | "failed", lines: () => number): void;
}

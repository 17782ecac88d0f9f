/** @file What the training thread and the worker say to each other. */
import type {
  CheckpointKind,
  CheckpointRecord,
  GeneratorState,
  IteratorPosition,
  LoopPath,
  TensorSpec,
} from "../format/index.ts";
import type { Feature, FilePositions } from "./materializer.ts";
import type { SharedRing } from "./ring.ts";
import type { SlotLayout } from "./slot-layout.ts";

/** What the worker is started with. */
export interface WorkerStart {
  readonly run: string;
  readonly runFolder: string;
  readonly log: SharedRing;
  readonly profile: SharedRing;
  /** Cells: see `CONTROL`. */
  readonly control: SharedArrayBuffer;
  readonly crashAt: string | null;
  readonly from: FilePositions | undefined;
}

/**
 * Cells of `control`: a counter of events that whoever waits is woken by, whether the worker lives,
 * whether the run is asked to stop, a counter of what the worker has got done, and its processor time
 * since it was ready, ms.
 */
export const CONTROL = { events: 0, alive: 1, stop: 2, progress: 3, ranMs: 4 } as const;

/** A snapshot, described. Its memory is the slot. */
export interface PersistJob {
  readonly kind: CheckpointKind;
  readonly path: LoopPath;
  readonly seq: number;
  /** Length of the log at the boundary: durable before the checkpoint is listed. */
  readonly logBytes: number;
  readonly file: string;
  readonly layout: SlotLayout;
  /** `same`: the bytes are those of the checkpoint before, and are not in the slot. */
  readonly tensors: readonly (TensorSpec & { readonly same: boolean })[];
  readonly graphJson: string;
  readonly structureBytes: number;
  readonly needs: readonly string[];
  readonly generators: readonly GeneratorState[];
  readonly iterators: readonly IteratorPosition[];
  readonly draws?: CheckpointRecord["draws"];
  readonly absent: CheckpointRecord["absent"];
  readonly times: { readonly capture: number; readonly snapshot: number; readonly wait: number };
  readonly t: number;
}

export type ToWorker =
  | { readonly kind: "allocate"; readonly segmentBytes: readonly number[]; readonly count: number }
  | { readonly kind: "persist"; readonly job: PersistJob; readonly segments: SharedArrayBuffer[] }
  | { readonly kind: "value"; readonly offset: number; readonly bytes: SharedArrayBuffer }
  | { readonly kind: "remove"; readonly files: readonly string[]; readonly t: number }
  | { readonly kind: "flush" }
  | { readonly kind: "finish"; readonly status: "done" | "failed"; readonly count: number };

export type WorkerEvent =
  /** `fresh`: just allocated, not given back. */
  | { readonly kind: "slot"; readonly segments: SharedArrayBuffer[]; readonly fresh: boolean }
  | { readonly kind: "committed"; readonly record: CheckpointRecord }
  | {
      readonly kind: "failed";
      readonly feature: Feature;
      readonly why: string;
    }
  | { readonly kind: "value-written"; readonly bytes: number }
  | { readonly kind: "finished" };

/** An event, and when it happened: milliseconds since the epoch, of the monotonic clock. */
export type FromWorker = WorkerEvent & { readonly atMs: number };

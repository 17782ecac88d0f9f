/** @file The copy that blocks the training: from the state into a slot. */
import type { Segments } from "./persist.ts";
import type { PersistJob } from "./protocol.ts";
import type { CheckpointCost } from "./ledger.ts";
import type { CheckpointRequest, Snapshot, SnapshotTensor } from "./materializer.ts";
import type { GeneratorState, IteratorPosition } from "../format/index.ts";
import { copyBytes } from "../format/index.ts";
import type { SlotLayout } from "./slot-layout.ts";
import { isLarge, layoutSignature, layOut } from "./slot-layout.ts";

/** Remembers the layout, and which immutable tensors the last checkpoint took. */
export class Snapshotter {
  #signature = "";
  #layout: SlotLayout | undefined;
  #taken = new Map<string, object>();

  /** The layout for these tensors; the cached one while names and sizes stay the same. */
  layoutFor(leaves: readonly SnapshotTensor[], structureBytes: number): SlotLayout {
    const signature = layoutSignature(leaves);
    const fits = (this.#layout?.structure.capacity ?? 0) >= structureBytes;
    if (!this.#layout || !fits || signature !== this.#signature) {
      this.#layout = layOut(leaves, structureBytes);
      this.#signature = signature;
    }
    return this.#layout;
  }

  /** Copies what may have changed into the slot. */
  copy(
    leaves: readonly SnapshotTensor[],
    structure: Buffer,
    layout: SlotLayout,
    segments: Segments,
  ): PersistJob["tensors"] {
    const taken = new Map<string, object>();
    const tensors = leaves.map((leaf, index) => {
      const { name, dtype, shape, bytes, immutable } = leaf;
      if (immutable) taken.set(name, immutable);
      const same = isLarge(leaf) && immutable !== undefined && this.#taken.get(name) === immutable;
      const place = layout.placements[index];
      if (!same && place) leaf.copyTo(slotView(segments, place.segment, place.offset, bytes));
      return { name, dtype, shape, bytes, same };
    });
    const { segment, offset } = layout.structure;
    copyBytes(slotView(segments, segment, offset, structure.byteLength), structure);
    this.#taken = taken;
    return tensors;
  }
}

function slotView(segments: Segments, segment: number, offset: number, bytes: number): Uint8Array {
  const memory = segments[segment];
  if (!memory) throw new Error(`slot has no segment ${segment}`);
  return new Uint8Array(memory, offset, bytes);
}

/** The structure's two texts: what is hashed, and the whole. */
export function structureTexts(
  state: Snapshot,
  generators: readonly GeneratorState[],
  iterators: readonly IteratorPosition[],
): { graphJson: string; structure: Buffer } {
  const graphJson = JSON.stringify(state.graph);
  const rest = JSON.stringify({ v: 1, entry: state.entry, generators, iterators });
  return { graphJson, structure: Buffer.from(`${graphJson.slice(0, -1)},${rest.slice(1)}`) };
}

/** What the worker needs to know of a snapshot, besides its memory. */
export function persistJob(
  request: CheckpointRequest,
  made: Pick<PersistJob, "layout" | "tensors" | "graphJson" | "structureBytes" | "logBytes">,
  { captureMs, snapshotMs, waitMs }: CheckpointCost,
): PersistJob {
  const { kind, path, seq, file, needs, generators, iterators, draws, t } = request;
  const absent = request.state.graph.places
    .filter((place) => place.absent !== undefined)
    .map(({ key, absent: why = "" }) => ({ key, why }));
  const times = { capture: captureMs, snapshot: snapshotMs, wait: waitMs };
  const reached = { generators, iterators, draws, needs };
  return { ...made, ...reached, kind, path, seq, file, absent, times, t };
}

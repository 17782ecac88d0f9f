/**
 * @file Where each tensor lies in a slot: a pure function of names and sizes.
 *
 * Tensors of a page or more begin on a page and are units of reuse (unchanged ones are not written
 * again). Smaller ones are packed behind each other, wide elements first so that each is aligned
 * for its type, and are always written: a file per page of scalars would waste the disk.
 */
import type { TensorSpec } from "../format/index.ts";
import { alignPage, DTYPE_BYTES, PAGE_BYTES } from "../format/index.ts";

/** A segment is one buffer: Node 20 has none above 4 GiB, so a slot is a list of them. */
export const SEGMENT_BYTES: number = 1 << 30;

export interface Placement {
  readonly segment: number;
  readonly offset: number;
}

export interface SlotLayout {
  /** Parallel to the tensors it was made for. */
  readonly placements: readonly Placement[];
  /** The small tensors, as one page-aligned block; `bytes` is 0 if there are none. */
  readonly small: Placement & { readonly bytes: number };
  /** Room for the structure, whose length changes from checkpoint to checkpoint. */
  readonly structure: Placement & { readonly capacity: number };
  readonly segmentBytes: readonly number[];
}

/** Whether the tensor is a unit of its own in the slot and in the file. */
export function isLarge(tensor: TensorSpec): boolean {
  return tensor.bytes >= PAGE_BYTES;
}

/** Identifies a layout: equal signatures have equal layouts. */
export function layoutSignature(tensors: readonly TensorSpec[]): string {
  return tensors.map(({ name, dtype, bytes }) => `${name}:${dtype}:${bytes}`).join("\n");
}

/** Lays the tensors out, with room for a structure of `structureBytes` and half as much again. */
export function layOut(tensors: readonly TensorSpec[], structureBytes: number): SlotLayout {
  const allocate = segmentAllocator();
  const placements: Placement[] = Array<Placement>(tensors.length);
  for (const [index, tensor] of tensors.entries()) {
    if (isLarge(tensor)) placements[index] = allocate(tensor.bytes);
  }
  const smalls = [...tensors.entries()]
    .filter(([, tensor]) => !isLarge(tensor))
    .toSorted(([, a], [, b]) => DTYPE_BYTES[b.dtype] - DTYPE_BYTES[a.dtype]);
  const bytes = smalls.reduce((sum, [, tensor]) => sum + tensor.bytes, 0);
  const block = bytes === 0 ? { segment: 0, offset: 0 } : allocate(bytes);
  let at = block.offset;
  for (const [index, tensor] of smalls) {
    placements[index] = { segment: block.segment, offset: at };
    at += tensor.bytes;
  }
  const capacity = alignPage(structureBytes * 1.5);
  const structure = { ...allocate(capacity), capacity };
  return { placements, small: { ...block, bytes }, structure, segmentBytes: allocate.sizes };
}

function segmentAllocator(): ((bytes: number) => Placement) & { readonly sizes: number[] } {
  const sizes = [0];
  const allocate = (bytes: number): Placement => {
    const used = sizes.at(-1) ?? 0;
    if (used > 0 && used + bytes > SEGMENT_BYTES) sizes.push(0);
    const segment = sizes.length - 1;
    const offset = sizes[segment] ?? 0;
    sizes[segment] = offset + alignPage(bytes);
    return { segment, offset };
  };
  return Object.assign(allocate, { sizes });
}

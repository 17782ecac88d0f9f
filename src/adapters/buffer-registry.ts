/**
 * @file The buffers that a walk met. What a buffer's tensor looks like is decided when all views
 * on it are known: one typed array over all of it gives the element type, else it is bytes.
 *
 * Small `Buffer`s lie together in pools of Node. Of a pool only what captured views cover is
 * kept: the rest belongs to others and changes from run to run.
 */
import { copyBytes, DTYPE_BYTES } from "../format/index.ts";
import type { Dtype } from "../format/index.ts";
import type { GraphNode, NodeOf, TensorLeaf } from "./adapter.ts";

type ViewNode = NodeOf<"view">;
type BufferNode = NodeOf<"buffer">;

interface ViewRecord {
  readonly number: number;
  readonly view: ArrayBufferView;
  readonly node: ViewNode;
}

interface BufferRecord {
  readonly number: number;
  readonly buffer: ArrayBufferLike;
  readonly views: ViewRecord[];
}

/** A piece of a pool: where it lies there, and in the captured tensor. */
interface PoolRange {
  from: number;
  to: number;
  at: number;
}

interface FinishedBuffer {
  readonly number: number;
  readonly node: GraphNode;
  readonly leaf: TensorLeaf;
}

const DTYPES: Readonly<{ [type: string]: Dtype }> = {
  Int8Array: "I8",
  Uint8Array: "U8",
  Uint8ClampedArray: "U8",
  Int16Array: "I16",
  Uint16Array: "U16",
  Int32Array: "I32",
  Uint32Array: "U32",
  Float32Array: "F32",
  Float64Array: "F64",
  BigInt64Array: "I64",
  BigUint64Array: "U64",
  Buffer: "U8",
};

/** Safetensors' element type of a typed array; `undefined` for a DataView. */
export function viewDtype(type: string): Dtype | undefined {
  return DTYPES[type];
}

export class BufferRegistry {
  readonly #records = new Map<number, BufferRecord>();
  readonly #viewsBefore = new Map<number, ViewRecord[]>();
  readonly #pools = new Map<number, readonly PoolRange[]>();
  /** Buffers that the program holds by themselves, not only through views. */
  readonly #direct = new Set<number>();

  /** Notes that a buffer is held by itself. */
  addDirect(number: number): void {
    this.#direct.add(number);
  }

  /** Notes a buffer; its node is filled in by `finish`. */
  addBuffer(number: number, buffer: ArrayBufferLike): BufferNode {
    const views = this.#viewsBefore.get(number) ?? [];
    this.#records.set(number, { number, buffer, views });
    return { t: "buffer", tensor: "", bytes: buffer.byteLength };
  }

  /** Notes a view. The walk meets a view before its buffer, or long after. */
  addView(number: number, view: ArrayBufferView, node: ViewNode): void {
    const record = { number, view, node };
    const views = this.#records.get(node.buffer)?.views ?? this.#viewsBefore.get(node.buffer);
    if (views !== undefined) views.push(record);
    else this.#viewsBefore.set(node.buffer, [record]);
  }

  /** Whether the buffer of this number is a pool of which only pieces are captured. */
  isPooled(number: number): boolean {
    return this.#pools.has(number);
  }

  finish(nameOf: (node: number) => string): FinishedBuffer[] {
    return [...this.#records.values()].map((record) => {
      const tensor = nameOf(record.number);
      if (this.#direct.has(record.number) || !isPool(record)) return wholeBuffer(record, tensor);
      const ranges = coveredRanges(record.views);
      this.#pools.set(record.number, ranges);
      return pooledBuffer(record, ranges, tensor);
    });
  }

  /** Moves the views on pools to where their bytes lie in the captured piece. */
  rebaseViews(nodes: GraphNode[]): void {
    for (const [number, ranges] of this.#pools) {
      for (const { number: viewNumber, node } of this.#records.get(number)?.views ?? []) {
        const range = ranges.find(({ from, to }) => node.offset >= from && node.offset <= to);
        const offset = range === undefined ? 0 : node.offset - range.from + range.at;
        nodes[viewNumber] = { ...node, offset };
      }
    }
  }
}

function isPool({ buffer, views }: BufferRecord): boolean {
  return (
    buffer.byteLength === Buffer.poolSize &&
    views.every(({ node }) => node.type === "Buffer") &&
    views.some(({ view }) => view.byteLength < buffer.byteLength)
  );
}

/** The pieces that views cover, overlapping ones merged, in the order of their first view. */
function coveredRanges(views: readonly ViewRecord[]): PoolRange[] {
  let ranges: PoolRange[] = [];
  for (const { view } of views) {
    const merged = { from: view.byteOffset, to: view.byteOffset + view.byteLength, at: 0 };
    let first = -1;
    ranges = ranges.filter((range, i) => {
      if (range.to < merged.from || range.from > merged.to) return true;
      merged.from = Math.min(merged.from, range.from);
      merged.to = Math.max(merged.to, range.to);
      if (first < 0) first = i;
      return false;
    });
    ranges.splice(first < 0 ? ranges.length : first, 0, merged);
  }
  let at = 0;
  for (const range of ranges) {
    range.at = at;
    at += range.to - range.from;
  }
  return ranges;
}

function pooledBuffer(
  record: BufferRecord,
  ranges: readonly PoolRange[],
  name: string,
): FinishedBuffer {
  const bytes = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const copyTo = (target: Uint8Array): void => {
    for (const { from, to, at } of ranges) {
      const source = new Uint8Array(record.buffer, from, to - from);
      copyBytes(target.subarray(at, at + source.byteLength), source);
    }
  };
  return {
    number: record.number,
    node: { t: "buffer", tensor: name, bytes },
    leaf: { name, dtype: "U8", shape: [bytes], bytes, copyTo },
  };
}

function wholeBuffer({ number, buffer, views }: BufferRecord, name: string): FinishedBuffer {
  const bytes = buffer.byteLength;
  const whole = views.find(
    ({ view, node }) => view.byteLength === bytes && viewDtype(node.type) !== undefined,
  );
  const dtype = (whole && viewDtype(whole.node.type)) ?? "U8";
  const maxBytes = maxByteLength(buffer);
  return {
    number,
    node: {
      t: "buffer",
      tensor: name,
      bytes,
      ...(isShared(buffer) ? { shared: true } : {}),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    },
    leaf: {
      name,
      dtype,
      shape: [bytes / DTYPE_BYTES[dtype]],
      bytes,
      copyTo: (target) => copyBytes(target, new Uint8Array(buffer)),
    },
  };
}

/** Whether the memory may be seen by other threads. */
export function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
}

/** The size up to which the buffer can grow; `undefined` if it has a fixed size. */
export function maxByteLength(buffer: ArrayBufferLike): number | undefined {
  const grows = isShared(buffer) ? buffer.growable : buffer.resizable;
  return grows ? buffer.maxByteLength : undefined;
}

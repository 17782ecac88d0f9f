/**
 * @file The buffers that a walk met. What a buffer's tensor looks like is decided when all views
 * on it are known: one typed array over all of it gives the element type, else it is bytes.
 *
 * Of a pool of Node each piece that captured views cover is a buffer by itself, numbered behind all else.
 */
import { copyBytes, DTYPE_BYTES } from "../format/index.ts";
import type { Dtype } from "../format/index.ts";
import type { GraphNode, NodeOf, TensorLeaf } from "./adapter.ts";
import { isPool } from "./buffer-pools.ts";

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

/** Memory of a pool that views cover, each of which overlaps another. */
interface PoolPiece {
  readonly pool: ArrayBufferLike;
  readonly from: number;
  to: number;
  readonly views: ViewRecord[];
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
  readonly #pools = new Map<ArrayBufferLike, ViewRecord[]>();

  /** Notes a buffer; its node is filled in by `finish`. */
  addBuffer(number: number, buffer: ArrayBufferLike): BufferNode {
    const views = this.#viewsBefore.get(number) ?? [];
    this.#records.set(number, { number, buffer, views });
    return { t: "buffer", tensor: "", bytes: buffer.byteLength };
  }

  /** Notes a view. The walk meets a view before its buffer, or long after. */
  addView(number: number, view: ArrayBufferView, node: ViewNode): void {
    const record = { number, view, node };
    if (isPool(view.buffer)) {
      const views = this.#pools.get(view.buffer);
      if (views === undefined) this.#pools.set(view.buffer, [record]);
      else views.push(record);
      return;
    }
    const views = this.#records.get(node.buffer)?.views ?? this.#viewsBefore.get(node.buffer);
    if (views !== undefined) views.push(record);
    else this.#viewsBefore.set(node.buffer, [record]);
  }

  finish(nameOf: (node: number) => string): FinishedBuffer[] {
    return [...this.#records.values()].map((record) => wholeBuffer(record, nameOf(record.number)));
  }

  /**
   * The pieces of pools, in the order of their first views, and the views on them as they lie there. `numbered` gives
   * the number of a piece whose first view has that number.
   */
  finishPieces(
    numbered: (view: number) => number,
    nameOf: (node: number) => string,
  ): { buffers: FinishedBuffer[]; views: { number: number; node: ViewNode }[] } {
    const first = ({ views }: PoolPiece): number => Math.min(...views.map(({ number }) => number));
    const pieces = [...this.#pools].flatMap(([pool, views]) => piecesOf(pool, views));
    const finished = pieces
      .toSorted((a, b) => first(a) - first(b))
      .map((piece) => {
        const number = numbered(first(piece));
        const views = piece.views.map(({ number: view, node }) => {
          return {
            number: view,
            node: { ...node, buffer: number, offset: node.offset - piece.from },
          };
        });
        return { buffer: pieceBuffer(piece, number, nameOf(number)), views };
      });
    return {
      buffers: finished.map(({ buffer }) => buffer),
      views: finished.flatMap(({ views }) => views),
    };
  }
}

function piecesOf(pool: ArrayBufferLike, views: readonly ViewRecord[]): PoolPiece[] {
  const pieces: PoolPiece[] = [];
  for (const record of views.toSorted((a, b) => a.view.byteOffset - b.view.byteOffset)) {
    const from = record.view.byteOffset;
    const to = from + record.view.byteLength;
    const last = pieces.at(-1);
    // Pieces that only touch do so by chance.
    if (last === undefined || from >= last.to) pieces.push({ pool, from, to, views: [record] });
    else {
      last.to = Math.max(last.to, to);
      last.views.push(record);
    }
  }
  return pieces;
}

function pieceBuffer({ pool, from, to }: PoolPiece, number: number, name: string): FinishedBuffer {
  const bytes = to - from;
  return {
    number,
    node: { t: "buffer", tensor: name, bytes, pooled: true },
    leaf: {
      name,
      dtype: "U8",
      shape: [bytes],
      bytes,
      copyTo: (target) => copyBytes(target, new Uint8Array(pool, from, bytes)),
    },
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

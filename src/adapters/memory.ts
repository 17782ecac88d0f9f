/**
 * @file ArrayBuffer, SharedArrayBuffer and the views on them. A buffer is one tensor; views refer
 * to it by number, so that memory shared at capture is shared after restore.
 */
import { types } from "node:util";
import type { ViewType } from "../format/index.ts";
import type { Adapter, GraphNode, NodeReader } from "./adapter.ts";
import { isShared, maxByteLength } from "./buffer-book.ts";
import { construct } from "./collections.ts";
import { hasNamedProperties, isNamed } from "./named-properties.ts";
import { fillProperties, integrityOf, writeProperties } from "./properties.ts";

type BufferNode = Extract<GraphNode, { t: "buffer" }>;
type ViewNode = Extract<GraphNode, { t: "view" }>;

const VIEW_CLASSES = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  Buffer: Uint8Array,
} as const;

/** The kind of a view, whatever subclass it is of. */
export function viewType(view: ArrayBufferView): ViewType | undefined {
  if (types.isDataView(view)) return "DataView";
  if (Buffer.isBuffer(view)) return "Buffer";
  // `Symbol.toStringTag` of typed arrays is a getter that subclasses cannot blur.
  const tag = Object.prototype.toString.call(view).slice("[object ".length, -1);
  return Object.hasOwn(VIEW_CLASSES, tag) ? (tag as ViewType) : undefined;
}

function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    return new Uint8Array(buffer).byteLength !== 0;
  } catch {
    return true;
  }
}

export const bufferAdapter: Adapter = {
  name: "buffer",
  matches: (value) => types.isAnyArrayBuffer(value),
  write(value, writer) {
    const buffer = value as ArrayBufferLike;
    if (isDetached(buffer)) writer.refuse("a buffer whose memory was transferred away");
    if (Reflect.ownKeys(buffer).length > 0 || !Object.isExtensible(buffer)) {
      writer.refuse("a buffer with properties of its own");
    }
    return writer.buffer(buffer);
  },
  reads: (node) => node.t === "buffer",
  allocate(node, live, reader) {
    const wanted = node as BufferNode;
    if (live === undefined) return newBuffer(wanted);
    if (!types.isAnyArrayBuffer(live)) throw reader.mismatch("it was a buffer and is not now");
    if (live.byteLength !== wanted.bytes && !canResize(live, wanted.bytes)) {
      throw reader.mismatch(`it has ${live.byteLength} bytes now, and had ${wanted.bytes}`);
    }
    return live;
  },
  fill(node, object, reader) {
    const { tensor, bytes } = node as BufferNode;
    const buffer = object as ArrayBufferLike;
    if (buffer.byteLength !== bytes) resize(buffer, bytes);
    if (bytes > 0) new Uint8Array(buffer).set(reader.bytes(tensor));
  },
};

function newBuffer({ bytes, shared, maxBytes }: BufferNode): ArrayBufferLike {
  const options = maxBytes === undefined ? {} : { maxByteLength: maxBytes };
  return shared === true ? new SharedArrayBuffer(bytes, options) : new ArrayBuffer(bytes, options);
}

function canResize(buffer: ArrayBufferLike, bytes: number): boolean {
  const max = maxByteLength(buffer);
  if (max === undefined || bytes > max) return false;
  return !isShared(buffer) || bytes >= buffer.byteLength;
}

function resize(buffer: ArrayBufferLike, bytes: number): void {
  if (isShared(buffer)) buffer.grow(bytes);
  else buffer.resize(bytes);
}

/** Whether a view at the end of a resizable buffer follows its size: growing it by one tells. */
function tracksLength(view: ArrayBufferView): boolean {
  const { buffer, byteOffset, byteLength } = view;
  if (isShared(buffer) || !buffer.resizable) return false;
  const size = buffer.byteLength;
  const step = "BYTES_PER_ELEMENT" in view ? (view.BYTES_PER_ELEMENT as number) : 1;
  const reaches = size - (byteOffset + byteLength) < step;
  if (!reaches || size + step > buffer.maxByteLength) return false;
  buffer.resize(size + step);
  const follows = view.byteLength !== byteLength;
  buffer.resize(size);
  return follows;
}

/** Number of elements; a DataView has none. */
function elements(view: ArrayBufferView): number {
  return "length" in view ? (view.length as number) : 0;
}

export const viewAdapter: Adapter = {
  name: "view",
  matches: (value) => ArrayBuffer.isView(value),
  write(value, writer) {
    const view = value as ArrayBufferView;
    const type = viewType(view);
    if (type === undefined) return writer.refuse("a view of a kind that is not known");
    if (isDetached(view.buffer)) writer.refuse("a view whose memory was transferred away");
    const base = type === "Buffer" ? Buffer.prototype : VIEW_CLASSES[type].prototype;
    const name = writer.classOf(view, base);
    const length = "length" in view ? (view.length as number) : view.byteLength;
    const props = hasNamedProperties(view, elements(view))
      ? writeProperties(view, writer, isNamed)
      : [];
    const node = {
      t: "view" as const,
      type,
      buffer: writer.bufferOf(view),
      offset: view.byteOffset,
      length,
      ...(tracksLength(view) ? { tracks: true as const } : {}),
      ...(name === undefined || name === null ? {} : { class: name }),
      ...(props.length === 0 ? {} : { props }),
      ...integrityOf(view),
    };
    writer.view(view, node);
    return node;
  },
  reads: (node) => node.t === "view",
  allocate(node, live, reader) {
    const wanted = node as ViewNode;
    const buffer = reader.object(wanted.buffer) as ArrayBuffer;
    if (live === undefined) return newView(wanted, buffer, reader);
    checkView(wanted, live, buffer, reader);
    return live;
  },
  fill(node, object, reader) {
    const { buffer, offset, length } = node as ViewNode;
    const view = object as ArrayBufferView;
    if (view.buffer !== reader.object(buffer)) {
      // Of a pool of Node only pieces are captured: the live view is filled by itself.
      const { tensor } = reader.node(buffer) as BufferNode;
      (view as Buffer).set(reader.bytes(tensor).subarray(offset, offset + length));
    }
    if (node.props !== undefined || hasNamedProperties(view, elements(view))) {
      fillProperties(view, node.props ?? [], reader, isNamed);
    }
  },
};

function newView(node: ViewNode, buffer: ArrayBuffer, reader: NodeReader): object {
  const { type, offset, length } = node;
  const size = node.tracks === true ? [] : [length];
  if (type === "Buffer" && node.class === undefined) return Buffer.from(buffer, offset, length);
  return construct(VIEW_CLASSES[type], [buffer, offset, ...size], node, reader);
}

function checkView(
  node: ViewNode,
  live: object,
  buffer: ArrayBufferLike,
  reader: NodeReader,
): void {
  if (!ArrayBuffer.isView(live) || viewType(live) !== node.type) {
    throw reader.mismatch(`it was a ${node.type} and is not now`);
  }
  const length = "length" in live ? (live.length as number) : live.byteLength;
  const pooled = node.type === "Buffer" && !reader.isLive(node.buffer);
  const resizable = maxByteLength(live.buffer) !== undefined;
  if (length !== node.length && !resizable) {
    throw reader.mismatch(`it has ${length} elements now, and had ${node.length}`);
  }
  if (pooled) return;
  if (live.buffer !== buffer || (live.byteOffset !== node.offset && !resizable)) {
    throw reader.mismatch("it lies elsewhere in its memory than it did");
  }
}

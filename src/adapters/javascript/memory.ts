/**
 * @file ArrayBuffer, SharedArrayBuffer and the views on them. A buffer is one tensor; views refer
 * to it by number, so that memory shared at capture is shared after restore.
 */
import { types } from "node:util";
import type { ViewType } from "../../format/index.ts";
import { VIEW_CLASSES } from "../../format/index.ts";
import type { Adapter, NodeOf, NodeReader } from "../adapter.ts";
import { isPool, newPool } from "../buffer-pools.ts";
import { isShared, maxByteLength } from "../buffer-registry.ts";
import { ofClass } from "./collections.ts";
import { hasNamedProperties, isNamed } from "./named-properties.ts";
import { fillProperties, integrityOf, writeProperties } from "./properties.ts";

type BufferNode = NodeOf<"buffer">;
type ViewNode = NodeOf<"view">;

function viewPrototype(type: ViewType): object {
  return type === "Buffer" ? Buffer.prototype : (VIEW_CLASSES[type].prototype as object);
}

/** The kind of a view, whatever subclass it is of. */
export function viewType(view: ArrayBufferView): ViewType | undefined {
  if (types.isDataView(view)) return "DataView";
  if (Buffer.isBuffer(view)) return "Buffer";
  // `Symbol.toStringTag` of typed arrays is a getter that subclasses cannot blur.
  const tag = Object.prototype.toString.call(view).slice("[object ".length, -1);
  return Object.hasOwn(VIEW_CLASSES, tag) ? (tag as ViewType) : undefined;
}

const isBuffer = (value: object): value is ArrayBufferLike => types.isAnyArrayBuffer(value);

function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    return new Uint8Array(buffer).byteLength !== 0;
  } catch {
    return true;
  }
}

export const bufferAdapter: Adapter<ArrayBufferLike, BufferNode> = {
  name: "buffer",
  matches: isBuffer,
  write(buffer, writer) {
    if (isDetached(buffer)) writer.refuse("a buffer whose memory was transferred away");
    if (Reflect.ownKeys(buffer).length > 0 || !Object.isExtensible(buffer)) {
      writer.refuse("a buffer with properties of its own");
    }
    if (isPool(buffer)) writer.refuse("memory in which Node keeps small Buffers of everybody");
    return writer.buffer(buffer);
  },
  reads: (node): node is BufferNode => node.t === "buffer",
  allocate(wanted, live, reader) {
    if (live === undefined) return newBuffer(wanted);
    if (!isBuffer(live)) throw reader.mismatch("it was a buffer and is not now");
    if (live.byteLength !== wanted.bytes && !canResize(live, wanted.bytes)) {
      throw reader.mismatch(`it has ${live.byteLength} bytes now, and had ${wanted.bytes}`);
    }
    return live;
  },
  fill({ tensor, bytes }, buffer, reader) {
    if (buffer.byteLength !== bytes) resizeBuffer(buffer, bytes);
    if (bytes === 0) return;
    const target = new Uint8Array(buffer);
    // Straight from the file, but not into memory that another thread may be reading.
    const read = isShared(buffer) ? reader.bytes(tensor) : reader.bytes(tensor, target);
    if (read !== target) target.set(read);
  },
};

function newBuffer({ bytes, shared, maxBytes, pooled }: BufferNode): ArrayBufferLike {
  if (pooled === true) return newPool(bytes);
  const options = maxBytes === undefined ? {} : { maxByteLength: maxBytes };
  return shared === true ? new SharedArrayBuffer(bytes, options) : new ArrayBuffer(bytes, options);
}

function canResize(buffer: ArrayBufferLike, bytes: number): boolean {
  const max = maxByteLength(buffer);
  if (max === undefined || bytes > max) return false;
  return !isShared(buffer) || bytes >= buffer.byteLength;
}

function resizeBuffer(buffer: ArrayBufferLike, bytes: number): void {
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
function elementCount(view: ArrayBufferView): number {
  return "length" in view ? (view.length as number) : 0;
}

export const viewAdapter: Adapter<ArrayBufferView, ViewNode> = {
  name: "view",
  matches: (value): value is ArrayBufferView => ArrayBuffer.isView(value),
  write(view, writer) {
    const type = viewType(view);
    if (type === undefined) return writer.refuse("a view of a kind that is not known");
    if (isDetached(view.buffer)) writer.refuse("a view whose memory was transferred away");
    const name = writer.classOf(view, viewPrototype(type));
    const length = "length" in view ? (view.length as number) : view.byteLength;
    const props = hasNamedProperties(view, elementCount(view))
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
  reads: (node): node is ViewNode => node.t === "view",
  allocate(wanted, live, reader) {
    const memory = memoryOf(wanted, reader);
    if (live === undefined) return newView(wanted, memory, reader);
    return checkedView(wanted, live, memory, reader);
  },
  fill(node, view, reader) {
    const { buffer, offset, length } = node;
    if (view.buffer !== reader.object(buffer)) {
      // A piece of a pool that was there before: what others have beside it stays.
      const memory = reader.node(buffer);
      const bytes = memory.t === "buffer" ? reader.bytes(memory.tensor) : new Uint8Array(0);
      const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      target.set(bytes.subarray(offset, offset + length));
    }
    if (node.props !== undefined || hasNamedProperties(view, elementCount(view))) {
      fillProperties(view, node.props ?? [], reader, isNamed);
    }
  },
};

/** Where a view belongs: an offset of its node counts from `base` there. */
interface ViewMemory {
  readonly buffer: ArrayBufferLike;
  readonly base: number;
}

/** A piece of a pool is where a view on it is that was there before. */
function memoryOf(wanted: ViewNode, reader: NodeReader): ViewMemory {
  const node = reader.node(wanted.buffer);
  const known =
    node.t === "buffer" && node.pooled === true ? reader.liveViewOn(wanted.buffer) : undefined;
  if (known !== undefined) {
    return { buffer: known.view.buffer, base: known.view.byteOffset - known.offset };
  }
  const buffer = reader.object(wanted.buffer);
  if (!isBuffer(buffer)) throw reader.mismatch("its memory is not in the checkpoint");
  return { buffer, base: 0 };
}

function newView(node: ViewNode, memory: ViewMemory, reader: NodeReader): ArrayBufferView {
  // Views take shared memory as well, which their types leave out.
  const buffer = memory.buffer as ArrayBuffer;
  const { type } = node;
  const offset = memory.base + node.offset;
  const length = node.tracks === true ? undefined : node.length;
  const view =
    type === "Buffer"
      ? Buffer.from(buffer, offset, length)
      : new VIEW_CLASSES[type](buffer, offset, length);
  return ofClass(view, node, reader);
}

/** The live view, if it looks at the memory that the node says. */
function checkedView(
  node: ViewNode,
  live: object,
  { buffer, base }: ViewMemory,
  reader: NodeReader,
): ArrayBufferView {
  if (!ArrayBuffer.isView(live) || viewType(live) !== node.type) {
    throw reader.mismatch(`it was a ${node.type} and is not now`);
  }
  const length = "length" in live ? (live.length as number) : live.byteLength;
  const resizable = maxByteLength(live.buffer) !== undefined;
  if (length !== node.length && !resizable) {
    throw reader.mismatch(`it has ${length} elements now, and had ${node.length}`);
  }
  const offset = base + node.offset;
  if (live.buffer !== buffer || (live.byteOffset !== offset && !resizable)) {
    throw reader.mismatch("it lies elsewhere in its memory than it did");
  }
  return live;
}

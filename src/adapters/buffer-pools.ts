/**
 * @file The memory that Node keeps small `Buffer`s in (`Buffer.from`, `concat`, `allocUnsafe`). Which of them lie
 * in one pool, and where, is left to chance: it depends on what everybody in the process has made before. So each
 * piece is memory of its own in a checkpoint.
 */
import * as threads from "node:worker_threads";

/** Newer than the oldest Node that we support. */
const { isMarkedAsUntransferable } = threads as {
  isMarkedAsUntransferable?: (object: object) => boolean;
};
const clone = structuredClone;
const known = new WeakMap<ArrayBufferLike, boolean>();

/** Whether the memory is a pool, or was restored in the place of one. */
export function isPool(buffer: ArrayBufferLike): boolean {
  const before = known.get(buffer);
  if (before !== undefined || buffer.byteLength !== Buffer.poolSize) return before ?? false;
  const found = isHeldBack(buffer);
  known.set(buffer, found);
  return found;
}

/** Memory in the place of a pool. */
export function newPool(bytes: number): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  known.set(buffer, true);
  return buffer;
}

/** Node marks its pools, so that nobody gives them to another thread. */
function isHeldBack(buffer: ArrayBufferLike): boolean {
  if (isMarkedAsUntransferable) return isMarkedAsUntransferable(buffer);
  try {
    // To give one away twice is an error, found before anything is done, unless it is not given away at all.
    clone(null, { transfer: [buffer as ArrayBuffer, buffer as ArrayBuffer] });
    return true;
  } catch {
    return false;
  }
}

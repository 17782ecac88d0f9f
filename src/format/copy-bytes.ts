/** @file The quickest copy that a training thread can make. */

/**
 * Copies `source` into `target`, which is as long. Into shared memory V8's own `set` goes word by
 * word, at half of the speed; Node's `fill` is one memcpy wherever the memory lies.
 */
export function copyBytes(target: Uint8Array, source: Uint8Array): void {
  if (target.byteLength !== source.byteLength) throw new RangeError("copy of another length");
  if (source.byteLength === 0) return;
  Buffer.from(target.buffer, target.byteOffset, target.byteLength).fill(source);
}

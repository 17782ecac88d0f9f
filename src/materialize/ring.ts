/**
 * @file Bytes from the training thread to the worker through shared memory: no call into the
 * system for a log line, and what was appended is written though the training thread computes on
 * for minutes without coming back to us.
 *
 * One producer, one consumer. Counters wrap at 2^32; the ring is far smaller.
 */

const HEAD = 0;
const TAIL = 1;

export interface SharedRing {
  readonly bytes: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
}

export function makeRing(capacity: number): SharedRing {
  return {
    bytes: new SharedArrayBuffer(capacity),
    counters: new SharedArrayBuffer(8),
  };
}

/** Longest UTF-8 of one UTF-16 code unit. */
const UTF8_MAX = 3;

/** The training thread's end. */
export class RingWriter {
  readonly #bytes: Buffer;
  readonly #counters: Uint32Array;
  readonly #capacity: number;
  readonly #makeRoom: (isRoom: () => boolean) => boolean;
  readonly #halfFull: () => void;
  /** Bytes appended since the beginning: the position in the file. */
  #position = 0;
  #tail = 0;
  #left: Uint8Array = new Uint8Array(0);

  /**
   * `makeRoom` waits until there is room; false if nobody will make any.
   * `halfFull` asks the consumer to come soon.
   */
  constructor(
    ring: SharedRing,
    hooks: { readonly makeRoom: (isRoom: () => boolean) => boolean; readonly halfFull: () => void },
  ) {
    this.#bytes = Buffer.from(ring.bytes);
    this.#counters = new Uint32Array(ring.counters);
    this.#capacity = ring.bytes.byteLength;
    this.#makeRoom = hooks.makeRoom;
    this.#halfFull = hooks.halfFull;
  }

  get position(): number {
    return this.#position;
  }

  /** Appends the text; false if nobody consumes any more: then `left` is what is not in the ring. */
  append(text: string): boolean {
    const at = this.#position % this.#capacity;
    const most = text.length * UTF8_MAX;
    // The usual case: it fits between here and the end of the ring, however wide it turns out.
    if (most <= this.#capacity - at && this.#position + most - this.#tail <= this.#capacity) {
      this.#advance(this.#bytes.write(text, at));
      return true;
    }
    return this.#appendBytes(Buffer.from(text));
  }

  /** The end of the text that the last `append` could not place; its beginning is in the ring. */
  get left(): Uint8Array {
    return this.#left;
  }

  #advance(count: number): void {
    const before = this.#position - this.#tail;
    this.#position += count;
    Atomics.store(this.#counters, HEAD, this.#position % 2 ** 32);
    const half = this.#capacity / 2;
    if (before < half && before + count >= half) this.#halfFull();
  }

  #appendBytes(bytes: Buffer): boolean {
    for (let from = 0; from < bytes.byteLength;) {
      this.#refreshTail();
      const at = this.#position % this.#capacity;
      const free = this.#capacity - (this.#position - this.#tail);
      const count = Math.min(free, this.#capacity - at, bytes.byteLength - from);
      if (count === 0) {
        if (this.#makeRoom(() => this.#pending() < this.#capacity)) continue;
        this.#left = bytes.subarray(from);
        return false;
      }
      bytes.copy(this.#bytes, at, from, from + count);
      this.#advance(count);
      from += count;
    }
    return true;
  }

  #pending(): number {
    this.#refreshTail();
    return this.#position - this.#tail;
  }

  #refreshTail(): void {
    const pending = (this.#position - Atomics.load(this.#counters, TAIL)) % 2 ** 32;
    this.#tail = this.#position - (pending < 0 ? pending + 2 ** 32 : pending);
  }

  /** Position up to which the consumer has written. */
  get consumed(): number {
    this.#refreshTail();
    return this.#tail;
  }
}

/** The worker's end. */
export class RingReader {
  readonly #bytes: Buffer;
  readonly #counters: Uint32Array;
  readonly #capacity: number;

  constructor(ring: SharedRing) {
    this.#bytes = Buffer.from(ring.bytes);
    this.#counters = new Uint32Array(ring.counters);
    this.#capacity = ring.bytes.byteLength;
  }

  /** Hands over all pending bytes, oldest first, and frees them once `write` has returned. */
  drain(write: (bytes: Uint8Array) => void): void {
    for (;;) {
      const head = Atomics.load(this.#counters, HEAD);
      const tail = Atomics.load(this.#counters, TAIL);
      const pending = (head - tail) >>> 0;
      if (pending === 0) return;
      const at = tail % this.#capacity;
      const count = Math.min(pending, this.#capacity - at);
      // Written from a copy: system calls and checksums get memory nobody else writes to.
      write(Buffer.from(this.#bytes.subarray(at, at + count)));
      Atomics.store(this.#counters, TAIL, (tail + count) % 2 ** 32);
    }
  }
}

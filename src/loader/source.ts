/**
 * @file Where items come from. An indexed source gives any item at any time, so its order can be
 * chosen; a stream gives them once per epoch, one after the other, in an order of its own.
 */
import { createHash } from "node:crypto";
import { AfterlogError } from "../format/index.ts";

export interface IndexedSource<T> {
  readonly kind: "indexed";
  readonly count: number;
  at(index: number): T;
  /** How an item is named in errors. */
  describe(index: number): string;
  /** Same text for the same items. Called once, and only if a position is asked for. */
  fingerprint(): string;
}

export interface StreamSource<T> {
  readonly kind: "stream";
  /** Begins an epoch. */
  open(): AsyncIterator<T> | Promise<AsyncIterator<T>>;
  describe(index: number): string;
  fingerprint(): string;
}

export type ItemSource<T> = IndexedSource<T> | StreamSource<T>;

/** Numbers in memory. */
export type NumberArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Items are counted in 32 bits of the generator's counter. */
const COUNT_MAX = 2 ** 32;
/** Of numbers in memory this much is hashed: a fingerprint must not delay a resumption. */
const HASHED_BYTES_MAX = 2 ** 24;
/** Texts are hashed together: a call for each takes longer than the hashing. */
const TEXTS_AT_ONCE = 4096;

/** The source for what a program gave; throws AL061 if it is nothing of the kind. */
export function sourceOf(items: unknown): ItemSource<unknown> {
  if (typeof items === "number") return rangeSource(items);
  if (Array.isArray(items)) return arraySource(items);
  if (ArrayBuffer.isView(items) && "length" in items) return numbersSource(items as NumberArray);
  if (isAsyncIterable(items)) return streamSource(items);
  throw new AfterlogError("AL061", `a dataset cannot be made of ${typeof items}`, {
    help: [
      "give an array, a typed array, a number of items or an async iterable",
      "spread any other iterable:  al.dataset([...items])",
    ],
  });
}

function rangeSource(count: number): IndexedSource<number> {
  if (!Number.isInteger(count) || count < 0 || count > COUNT_MAX) {
    throw new AfterlogError("AL061", `a dataset cannot have ${count} items`, {
      help: ["give a whole number from 0 to 4294967296"],
    });
  }
  return {
    kind: "indexed",
    count,
    at: (index) => index,
    describe: (index) => `item ${index}`,
    fingerprint: () => itemsHash(createHash("sha256").update(`range\n${count}\n`)),
  };
}

function numbersSource(items: NumberArray): IndexedSource<number> {
  const { length: count } = items;
  return {
    kind: "indexed",
    count,
    at: (index) => items[index] ?? 0,
    describe: (index) => `item ${index}`,
    fingerprint() {
      const hash = createHash("sha256").update(`${items.constructor.name}\n${count}\n`);
      const bytes = Math.min(items.byteLength, HASHED_BYTES_MAX);
      return itemsHash(hash.update(new Uint8Array(items.buffer, items.byteOffset, bytes)));
    },
  };
}

function arraySource(items: readonly unknown[]): IndexedSource<unknown> {
  const { length: count } = items;
  return {
    kind: "indexed",
    count,
    at(index) {
      if (items.length === count) return items[index];
      throw new AfterlogError("AL061", `a dataset of ${count} items has ${items.length} now`, {
        help: ["leave the array as it is, or give a copy:  al.dataset([...items])"],
      });
    },
    describe: (index) => `item ${index}`,
    fingerprint: () => arrayFingerprint(items),
  };
}

/** Hashes numbers and texts themselves, of anything else the size: its bytes may be gigabytes. */
function arrayFingerprint(items: readonly unknown[]): string {
  const hash = createHash("sha256").update(`array\n${items.length}\n`);
  const sizes = new Float64Array(items.length);
  let texts: string[] = [];
  for (const [index, item] of items.entries()) {
    sizes[index] = itemSize(item);
    if (typeof item === "string" && texts.push(item) === TEXTS_AT_ONCE) {
      hash.update(texts.join(""));
      texts = [];
    }
  }
  return itemsHash(hash.update(texts.join("")).update(sizes));
}

function itemSize(item: unknown): number {
  if (typeof item === "number") return item;
  if (typeof item === "string") return item.length;
  const { byteLength, size, length } = Object(item) as { readonly [name: string]: unknown };
  return [byteLength, size, length].find((value) => typeof value === "number") ?? 0;
}

function streamSource(items: AsyncIterable<unknown>): StreamSource<unknown> {
  let opened = false;
  return {
    kind: "stream",
    open() {
      const iterator = items[Symbol.asyncIterator]();
      // A generator is its own iterator: it has been read, or is being read, and cannot start again.
      if (opened && Object.is(iterator, items)) throw readOnce();
      opened = true;
      return iterator;
    },
    describe: (index) => `item ${index}`,
    fingerprint: () => "stream",
  };
}

function readOnce(): AfterlogError {
  return new AfterlogError("AL061", "the stream of this dataset can be read only once", {
    help: [
      "give what can start again:  al.dataset({ [Symbol.asyncIterator]: () => read() })",
      "or read it into memory first:  await al.dataset.collect(stream)",
    ],
  });
}

function isAsyncIterable(items: unknown): items is AsyncIterable<unknown> {
  return typeof items === "object" && items !== null && Symbol.asyncIterator in items;
}

/** The text of a finished hash: 128 bits are enough to tell datasets apart. */
export function itemsHash(hash: ReturnType<typeof createHash>): string {
  return `sha256:${hash.digest("hex").slice(0, 32)}`;
}

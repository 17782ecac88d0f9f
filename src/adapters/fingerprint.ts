/**
 * @file Cheap fingerprints of values, to see whether one has changed (semantics, "Complete"; the
 * audit of changesets): primitives by value, memory by a sample of its bytes, tensors by
 * the identity of their data, plain data down to a bounded depth and number of parts. What is
 * inside of functions and of classes nobody knows is not looked at, only which one it is.
 *
 * Two different fingerprints prove a change. Two equal ones do not prove its absence.
 */
import { types } from "node:util";
import type { ClassRegistry } from "./javascript/class-registry.ts";
import { hasTraps } from "./javascript/has-traps.ts";
import { isJaxArray } from "./jax/jax.ts";
import { isTfLayer } from "./tfjs/tfjs-model.ts";
import { isTfOptimizer } from "./tfjs/tfjs-optimizer.ts";
import { isTfTensor } from "./tfjs/tfjs.ts";

/** How far plain data is followed, and how many values are looked at in one. */
const DEPTH_MAX = 4;
const PARTS_MAX = 512;
/** Of one array, map or object. */
const ITEMS_MAX = 128;
/** Memory up to this size is read whole; of more, so many runs of so many bytes. */
const BYTES_WHOLE = 8192;
const BYTE_RUNS = 256;
const RUN_BYTES = 8;
const TEXT_WHOLE = 4096;

/** Compares values with themselves at another time; numbers the objects that it meets. */
export class Fingerprints {
  readonly #classes: ClassRegistry;
  /** Weak: looking at a value keeps nothing alive. */
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  constructor(classes: ClassRegistry) {
    this.#classes = classes;
  }

  /** Never throws on what a value does; a getter is not called. */
  of(value: unknown): number {
    const walk = new FingerprintWalk(this.#classes, (object) => this.#number(object));
    walk.add(value, 0);
    return walk.digest;
  }

  #number(object: object): number {
    let number = this.#numbers.get(object);
    if (number === undefined) this.#numbers.set(object, (number = this.#count++));
    return number;
  }
}

const FLOAT = new Float64Array(1);
const WORDS = new Uint32Array(FLOAT.buffer);

/** One value on the way to a number of 53 bits. */
class FingerprintWalk {
  readonly #classes: ClassRegistry;
  readonly #number: (object: object) => number;
  #high = 0x811c9dc5;
  #low = 0x9e3779b9;
  #parts = 0;

  constructor(classes: ClassRegistry, number: (object: object) => number) {
    this.#classes = classes;
    this.#number = number;
  }

  get digest(): number {
    return (this.#high >>> 0) * 2 ** 21 + (this.#low >>> 11);
  }

  add(value: unknown, depth: number): void {
    if (this.#parts++ > PARTS_MAX) return;
    switch (typeof value) {
      case "number":
        return this.#float(value);
      case "string":
        return this.#text(value);
      case "object":
        if (value !== null) return this.#object(value, depth);
        break;
      case "function":
        return this.#word(this.#number(value));
      case "bigint":
      case "boolean":
      case "symbol":
      case "undefined":
    }
    this.#text(`${typeof value} ${String(value)}`);
  }

  #object(value: object, depth: number): void {
    this.#word(this.#number(value));
    if (hasTraps(value)) return;
    if (ArrayBuffer.isView(value)) {
      return this.#bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    }
    if (types.isAnyArrayBuffer(value)) return this.#bytes(new Uint8Array(value));
    if (depth >= DEPTH_MAX) return;
    if (Array.isArray(value)) return this.#array(value, depth);
    if (types.isMap(value) || types.isSet(value)) return this.#collection(value, depth);
    if (types.isDate(value)) return this.#float(Date.prototype.getTime.call(value));
    if (types.isRegExp(value)) return this.#float(value.lastIndex);
    if (this.#isPlain(value)) return this.#fields(value, depth);
    this.#framework(value, depth);
  }

  /** A tensor does not change: a variable has other data after each assignment. */
  #framework(value: object, depth: number): void {
    if (isJaxArray(value)) return;
    if (isTfTensor(value)) {
      this.#word(this.#number(value.dataId));
      this.#word(value.isDisposed ? 1 : 0);
    } else if (isTfOptimizer(value)) this.#fields(value, depth);
    else if (isTfLayer(value)) {
      for (const { val } of value.weights) this.add(val, depth + 1);
    }
  }

  /** Plain data, or an instance of a class that the program declares. */
  #isPlain(value: object): boolean {
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === null || prototype === Object.prototype) return true;
    const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
    return typeof constructor === "function" && this.#classes.fieldsOf(constructor) !== undefined;
  }

  #fields(value: object, depth: number): void {
    const keys = Object.keys(value);
    this.#word(keys.length);
    for (const key of keys.slice(0, ITEMS_MAX)) {
      this.#text(key);
      const own = Object.getOwnPropertyDescriptor(value, key);
      if (own && "value" in own) this.add(own.value, depth + 1);
    }
    for (const field of this.#classes.fieldsIn(value)) this.add(field.get(value), depth + 1);
  }

  #array(value: readonly unknown[], depth: number): void {
    const { length } = value;
    this.#word(length);
    const step = Math.max(1, length / ITEMS_MAX);
    for (let at = 0; at < length; at += step) {
      const own = Object.getOwnPropertyDescriptor(value, Math.floor(at));
      if (own && "value" in own) this.add(own.value, depth + 1);
    }
    if (length > ITEMS_MAX) this.add(value.at(-1), depth + 1);
  }

  #collection(value: Map<unknown, unknown> | Set<unknown>, depth: number): void {
    this.#word(value.size);
    let seen = 0;
    for (const [key, held] of types.isMap(value)
      ? Map.prototype.entries.call(value)
      : Set.prototype.entries.call(value)) {
      if (seen++ >= ITEMS_MAX) return;
      this.add(key, depth + 1);
      if (held !== key) this.add(held, depth + 1);
    }
  }

  #bytes(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#word(length);
    if (length <= BYTES_WHOLE) return this.#run(bytes, 0, length);
    const step = (length - RUN_BYTES) / (BYTE_RUNS - 1);
    for (let run = 0; run < BYTE_RUNS; run++) {
      const from = Math.floor(run * step);
      this.#run(bytes, from, from + RUN_BYTES);
    }
  }

  #run(bytes: Uint8Array, from: number, to: number): void {
    let high = this.#high;
    let low = this.#low;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      high = Math.imul(high ^ byte, 0x01000193);
      low = Math.imul(low ^ (byte + (low >>> 15)), 0x85ebca6b);
    }
    this.#high = high;
    this.#low = low;
  }

  #text(text: string): void {
    this.#word(text.length);
    const step = Math.max(1, text.length / TEXT_WHOLE);
    for (let at = 0; at < text.length; at += step) this.#word(text.charCodeAt(Math.floor(at)));
  }

  #float(value: number): void {
    FLOAT[0] = value;
    this.#word(WORDS[0] ?? 0);
    this.#word(WORDS[1] ?? 0);
  }

  #word(word: number): void {
    this.#high = Math.imul(this.#high ^ word, 0x01000193) ^ (word >>> 16);
    this.#low = Math.imul(this.#low ^ (word + (this.#low >>> 15)), 0x85ebca6b);
  }
}

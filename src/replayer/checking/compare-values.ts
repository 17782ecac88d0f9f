/**
 * @file Whether a value that was logged again is the recorded one: to the bit, nearly, or not.
 * Values are as they stand in the logs (docs/format.md, "Values").
 */
import type { TensorReference } from "../../format/index.ts";

export type Closeness = "equal" | "close" | "different";

export interface CompareOptions {
  /** Largest relative difference of two floats that are close (semantics, "Marks"). */
  readonly tolerance: number;
  /** Bytes of tensors; undefined where they were not kept. */
  readonly recordedBytes: (tensor: TensorReference) => Uint8Array | undefined;
  readonly replayedBytes: (tensor: TensorReference) => Uint8Array | undefined;
}

export const TOLERANCE = 1e-6;

/** Compares a recorded value with the one that a replay logged in its place. */
export function compareValues(
  recorded: unknown,
  replayed: unknown,
  options: CompareOptions,
): Closeness {
  if (typeof recorded === "number" && typeof replayed === "number") {
    return compareNumbers(recorded, replayed, options.tolerance);
  }
  if (!isObject(recorded) || !isObject(replayed)) {
    return recorded === replayed ? "equal" : "different";
  }
  if (isTensor(recorded) && isTensor(replayed)) return compareTensors(recorded, replayed, options);
  if (Array.isArray(recorded) !== Array.isArray(replayed)) return "different";
  const keys = Object.keys(recorded);
  if (keys.length !== Object.keys(replayed).length) return "different";
  return worst(keys, (key) =>
    key in replayed ? compareValues(recorded[key], replayed[key], options) : "different",
  );
}

/** Zero and minus zero differ in a bit, and in nothing else. */
function compareNumbers(recorded: number, replayed: number, tolerance: number): Closeness {
  if (Object.is(recorded, replayed)) return "equal";
  const scale = Math.max(Math.abs(recorded), Math.abs(replayed));
  return Math.abs(recorded - replayed) <= tolerance * scale ? "close" : "different";
}

function compareTensors(
  recorded: TensorReference,
  replayed: TensorReference,
  options: CompareOptions,
): Closeness {
  const alike =
    recorded.dtype === replayed.dtype &&
    recorded.bytes === replayed.bytes &&
    recorded.shape.join() === replayed.shape.join();
  if (!alike) return "different";
  if (recorded.crc32 === replayed.crc32) return "equal";
  const decode = FLOATS[recorded.dtype];
  const before = decode && options.recordedBytes(recorded);
  const after = decode && options.replayedBytes(replayed);
  if (!before || !after) return "different";
  const [first, second] = [decode(before), decode(after)];
  return worst(first.keys(), (at) => {
    const [a = Number.NaN, b = Number.NaN] = [first[at], second[at]];
    return compareNumbers(a, b, options.tolerance);
  });
}

type Floats = Float64Array | Float32Array;

/** Elements of the floating types, by their name in safetensors. */
const FLOATS: Readonly<{ [dtype: string]: ((bytes: Uint8Array) => Floats) | undefined }> = {
  F64: (bytes) => new Float64Array(Uint8Array.from(bytes).buffer),
  F32: (bytes) => new Float32Array(Uint8Array.from(bytes).buffer),
  BF16: (bytes) => Float32Array.from(halves(bytes), bfloat16),
  F16: (bytes) => Float32Array.from(halves(bytes), float16),
};

function halves(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(Uint8Array.from(bytes).buffer);
}

function bfloat16(bits: number): number {
  return new Float32Array(Uint32Array.of(bits << 16).buffer)[0] ?? Number.NaN;
}

/** IEEE 754 binary16: one bit of sign, five of exponent, ten of fraction. */
function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function worst<T>(items: Iterable<T>, compare: (item: T) => Closeness): Closeness {
  let result: Closeness = "equal";
  for (const item of items) {
    const next = compare(item);
    if (next === "different") return next;
    if (next === "close") result = next;
  }
  return result;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** Whether a logged value is a tensor, whose bytes are in `values.bin`. */
export function isTensor(value: unknown): value is TensorReference {
  return isObject(value) && value["$"] === "tensor";
}

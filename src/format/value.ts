/**
 * @file Logged values as JSON that every reader understands: JavaScript, Python and DuckDB.
 *
 * What JSON has no word for is an object with the single-character key `$`. The strings that
 * DuckDB refuses (lone surrogates) and the numbers JSON lacks are written so.
 */

import { VIEW_CLASSES } from "./structure.ts";

export type TaggedValue =
  | { readonly $: "float"; readonly v: "NaN" | "Infinity" | "-Infinity" }
  | { readonly $: "bigint"; readonly v: string }
  | { readonly $: "utf16"; readonly v: string }
  | { readonly $: "undefined" }
  | { readonly $: "date"; readonly v: string }
  | { readonly $: "map"; readonly v: readonly (readonly [unknown, unknown])[] }
  | { readonly $: "set"; readonly v: readonly unknown[] }
  | { readonly $: "typed"; readonly type: string; readonly v: string }
  | { readonly $: "object"; readonly v: readonly (readonly [string, unknown])[] }
  | { readonly $: "unsupported"; readonly v: string }
  | TensorReference;

/** A tensor in `values.bin`: where it is, what it is, and what a table can show of it. */
export interface TensorReference {
  readonly $: "tensor";
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Byte offset and length in `values.bin`; absent when the bytes could not be kept. */
  readonly offset?: number;
  readonly bytes: number;
  readonly crc32: string;
  readonly stats: TensorStats;
}

export interface TensorStats {
  readonly count: number;
  readonly nan: number;
  readonly min: unknown;
  readonly max: unknown;
  readonly mean: unknown;
  readonly std: unknown;
  /** The element itself when there is exactly one. */
  readonly item?: unknown;
}

/** JSON text of a number: exact for every double, and `-0` stays `-0`. */
export function numberToJson(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return `{"$":"float","v":"${value}"}`;
}

/** JSON text of plain data as `JSON.stringify` writes it, except that `-0` stays `-0`. */
export function plainToJson(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? numberToJson(value) : "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => plainToJson(one ?? null)).join(",")}]`;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${plainToJson(one)}`).join(",")}}`;
}

/** JSON text of a string. */
export function stringToJson(value: string): string {
  if (value.isWellFormed()) return JSON.stringify(value);
  return `{"$":"utf16","v":"${Buffer.from(value, "utf16le").toString("base64")}"}`;
}

/** How deep a logged value may nest, and of how much it may consist, to be looked at in a table. */
const DEPTH_MAX = 64;
const PARTS_MAX = 1_000_000;

/** Hook for values that only other layers understand (tensors): JSON text, or `undefined`. */
export type EncodeOther = (value: object) => string | undefined;

/**
 * JSON text of any logged value. Never throws on user data: what cannot be written becomes
 * `{"$":"unsupported"}` with a description.
 */
export function valueToJson(value: unknown, other?: EncodeOther): string {
  try {
    return encodeValue(value, { other, parts: 0 }, []);
  } catch (error) {
    return unsupportedValue(error instanceof Error ? error.message : String(error));
  }
}

function unsupportedValue(description: string): string {
  return `{"$":"unsupported","v":${stringToJson(description.toWellFormed())}}`;
}

interface Encoding {
  readonly other: EncodeOther | undefined;
  /** Values written so far: an object that is shared is written each time it is met. */
  parts: number;
}

function encodeValue(value: unknown, encoding: Encoding, parents: object[]): string {
  if (++encoding.parts > PARTS_MAX) {
    throw new RangeError(`more than ${PARTS_MAX} values; log a typed array instead`);
  }
  switch (typeof value) {
    case "number":
      return numberToJson(value);
    case "string":
      return stringToJson(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return `{"$":"bigint","v":"${value}"}`;
    case "undefined":
      return `{"$":"undefined"}`;
    case "function":
      return unsupportedValue(`function ${value.name}`);
    case "symbol":
      return unsupportedValue(String(value));
    case "object":
      return value === null ? "null" : encodeObject(value, encoding, parents);
  }
}

function encodeObject(value: object, encoding: Encoding, parents: object[]): string {
  const special = encoding.other?.(value);
  if (special !== undefined) return special;
  if (parents.includes(value)) return unsupportedValue("circular value");
  if (parents.length >= DEPTH_MAX) return unsupportedValue(`nested more than ${DEPTH_MAX} deep`);
  const inner = [...parents, value];
  const go = (item: unknown): string => encodeValue(item, encoding, inner);
  // Not `map`: the holes of a sparse array are values too.
  if (Array.isArray(value)) return `[${Array.from(value, go).join(",")}]`;
  if (value instanceof Date) return dateToJson(value);
  if (value instanceof Map) {
    return `{"$":"map","v":[${[...value].map(([k, v]) => `[${go(k)},${go(v)}]`).join(",")}]}`;
  }
  if (value instanceof Set) return `{"$":"set","v":[${[...value].map(go).join(",")}]}`;
  if (ArrayBuffer.isView(value)) return viewToJson(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return go(value.toJSON());
  return recordToJson(Object.entries(value), go);
}

function dateToJson(value: Date): string {
  const text = Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  return `{"$":"date","v":"${text}"}`;
}

/** Memory as it lies there, for values that stand by themselves; `log` stores tensors apart. */
function viewToJson(view: ArrayBufferView): string {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  return `{"$":"typed","type":"${view.constructor.name}","v":"${bytes.toString("base64")}"}`;
}

function recordToJson(
  entries: readonly (readonly [string, unknown])[],
  go: (v: unknown) => string,
): string {
  const kept = entries.filter(([, item]) => item !== undefined && typeof item !== "function");
  // A user's own `$` key, and a key DuckDB would refuse, are kept as pairs.
  if (kept.some(([key]) => key === "$" || !key.isWellFormed())) {
    return `{"$":"object","v":[${kept.map(([k, v]) => `[${stringToJson(k)},${go(v)}]`).join(",")}]}`;
  }
  return `{${kept.map(([key, item]) => `${JSON.stringify(key)}:${go(item)}`).join(",")}}`;
}

/** The value that `valueToJson` wrote, as JavaScript. Tensors stay references. */
export function valueFromJson(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(valueFromJson);
  if (typeof json !== "object" || json === null) return json;
  if ("$" in json) return untagValue(json as TaggedValue);
  return Object.fromEntries(Object.entries(json).map(([key, item]) => [key, valueFromJson(item)]));
}

function untagValue(tagged: TaggedValue): unknown {
  switch (tagged.$) {
    case "float":
      return Number(tagged.v);
    case "bigint":
      return BigInt(tagged.v);
    case "utf16":
      return Buffer.from(tagged.v, "base64").toString("utf16le");
    case "undefined":
      return undefined;
    case "date":
      return new Date(tagged.v);
    case "map":
      return new Map(tagged.v.map(([k, v]) => [valueFromJson(k), valueFromJson(v)]));
    case "set":
      return new Set(tagged.v.map(valueFromJson));
    case "object":
      return Object.fromEntries(
        tagged.v.map(([k, v]) => [valueFromJson(k) as string, valueFromJson(v)]),
      );
    case "typed":
      return viewFrom(tagged.type, Buffer.from(tagged.v, "base64"));
    case "unsupported":
    case "tensor":
      return tagged;
  }
}

function viewFrom(type: string, bytes: Buffer): ArrayBufferView {
  const View = Object.entries(VIEW_CLASSES).find(([name]) => name === type)?.[1] ?? Uint8Array;
  return new View(new Uint8Array(bytes).buffer);
}

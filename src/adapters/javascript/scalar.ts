/**
 * @file Values without identity: what JSON lacks is a tagged tuple (`EncodedValue`).
 */
import type { EncodedValue } from "../../format/index.ts";

const WELL_KNOWN = "@@";
/** Marks a registered symbol whose own name looks like that of a well-known one. */
const REGISTERED = "@@for:";

/** Encodes a primitive; `undefined` for a symbol that cannot be found again, and for objects. */
export function encodeScalar(value: unknown): EncodedValue | undefined {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return encodeString(value);
  if (typeof value === "number") return encodeNumber(value);
  if (typeof value === "undefined") return ["undefined"];
  if (typeof value === "bigint") return ["bigint", value.toString()];
  return typeof value === "symbol" ? encodeSymbol(value) : undefined;
}

function encodeString(value: string): EncodedValue {
  if (value.isWellFormed()) return value;
  return ["utf16", Buffer.from(value, "utf16le").toString("base64")];
}

function encodeNumber(value: number): EncodedValue {
  if (Number.isFinite(value)) return Object.is(value, -0) ? ["float", "-0"] : value;
  return ["float", Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"];
}

function encodeSymbol(value: symbol): EncodedValue | undefined {
  const key = Symbol.keyFor(value);
  if (key !== undefined) return ["symbol", key.startsWith(WELL_KNOWN) ? REGISTERED + key : key];
  const name = wellKnownName(value);
  return name === undefined ? undefined : ["symbol", WELL_KNOWN + name];
}

function wellKnownName(value: symbol): string | undefined {
  for (const name of Object.getOwnPropertyNames(Symbol)) {
    if (Reflect.get(Symbol, name) === value) return name;
  }
  return undefined;
}

/** Tells a node or entry reference from a value that stands for itself. */
export function isReference(
  encoded: EncodedValue,
): encoded is readonly ["ref", number] | readonly ["entry", number] {
  return Array.isArray(encoded) && (encoded[0] === "ref" || encoded[0] === "entry");
}

/** Decodes what `encodeScalar` wrote. */
export function decodeScalar(encoded: EncodedValue): unknown {
  if (!Array.isArray(encoded)) return encoded;
  const [tag, text] = encoded as readonly [string, string];
  switch (tag) {
    case "float":
      return Number(text);
    case "bigint":
      return BigInt(text);
    case "utf16":
      return Buffer.from(text, "base64").toString("utf16le");
    case "symbol":
      return decodeSymbol(text);
    default:
      return undefined;
  }
}

function decodeSymbol(text: string): unknown {
  if (text.startsWith(REGISTERED)) return Symbol.for(text.slice(REGISTERED.length));
  if (!text.startsWith(WELL_KNOWN)) return Symbol.for(text);
  return Reflect.get(Symbol, text.slice(WELL_KNOWN.length));
}

/**
 * @file Own properties of an object: written in their order, with attributes, and put back.
 */
import type { EncodedProperty } from "../../format/index.ts";
import type { GraphNode, Integrity, NodeReader, NodeWriter } from "../adapter.ts";
import { encodeScalar } from "./scalar.ts";

const READ_ONLY = 1;
const HIDDEN = 2;
const PERMANENT = 4;

/** How far the object is closed to changes. */
export function integrityOf(value: object): { integrity?: Integrity } {
  if (Object.isExtensible(value)) return {};
  // V8 calls an empty array frozen although its length can be written.
  const open = Array.isArray(value) && Object.getOwnPropertyDescriptor(value, "length")?.writable;
  if (Object.isFrozen(value) && open !== true) return { integrity: "frozen" };
  return { integrity: Object.isSealed(value) ? "sealed" : "fixed" };
}

/** Closes the object as it was when captured. */
export function applyIntegrity(node: GraphNode, object: object): void {
  if (node.integrity === "frozen") Object.freeze(object);
  else if (node.integrity === "sealed") Object.seal(object);
  else if (node.integrity === "fixed") Object.preventExtensions(object);
}

/** Writes the own properties that `keep` lets through. */
export function writeProperties(
  value: object,
  writer: NodeWriter,
  keep?: (key: string | symbol) => boolean,
): EncodedProperty[] {
  const properties: EncodedProperty[] = [];
  const implied = impliedAttributes(value);
  for (const key of Reflect.ownKeys(value)) {
    if (keep !== undefined && !keep(key)) continue;
    const segment = typeof key === "string" ? key : `@@${key.description ?? "symbol"}`;
    const encodedKey = encodeScalar(key);
    if (encodedKey === undefined) {
      writer.refuse(
        `a property whose key is the local symbol ${String(key)}`,
        "use Symbol.for(…) for the key, so that another process finds the same symbol",
        segment,
      );
    }
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined) continue;
    if (!("value" in property)) {
      writer.refuse("a property with a getter or setter of its own", undefined, segment);
    }
    const encoded = writer.value(property.value, segment);
    const attributes = attributesOf(property) & ~implied;
    properties.push(attributes === 0 ? [encodedKey, encoded] : [encodedKey, encoded, attributes]);
  }
  return properties;
}

/** Freezing and sealing say these of every property already. */
function impliedAttributes(value: object): number {
  if (Object.isExtensible(value)) return 0;
  if (Object.isFrozen(value)) return READ_ONLY | PERMANENT;
  return Object.isSealed(value) ? PERMANENT : 0;
}

function attributesOf(property: PropertyDescriptor): number {
  return (
    (property.writable === true ? 0 : READ_ONLY) |
    (property.enumerable === true ? 0 : HIDDEN) |
    (property.configurable === true ? 0 : PERMANENT)
  );
}

interface DecodedProperty {
  readonly key: string | symbol;
  readonly value: unknown;
  readonly attributes: number;
}

/** Gives `object` exactly these own properties, in this order, among those that `keep` lets through. */
export function fillProperties(
  object: object,
  properties: readonly EncodedProperty[],
  reader: NodeReader,
  keep?: (key: string | symbol) => boolean,
): void {
  const wanted = properties.map((property): DecodedProperty => {
    const [key, value, attributes = 0] = property;
    const decodedKey = reader.value(key) as string | symbol;
    return { key: decodedKey, value: reader.value(value), attributes };
  });
  let present = Reflect.ownKeys(object);
  if (keep !== undefined) present = present.filter(keep);
  const sameKeys =
    present.length === wanted.length && present.every((key, i) => key === wanted[i]?.key);
  if (!sameKeys) removeProperties(object, present, wanted, reader);
  const plain = !sameKeys && isPlain(object);
  for (const property of wanted) {
    if (plain && property.attributes === 0 && property.key !== "__proto__") {
      Reflect.set(object, property.key, property.value);
    } else {
      putProperty(object, property, reader);
    }
  }
}

/** No setter of a prototype can come between (`__proto__` apart). */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || prototype === Object.prototype;
}

/** Removes all, also what stays: only then is the order of the keys the captured one. */
function removeProperties(
  object: object,
  present: readonly (string | symbol)[],
  wanted: readonly DecodedProperty[],
  reader: NodeReader,
): void {
  const kept = new Set(wanted.map(({ key }) => key));
  if (!Object.isExtensible(object) && wanted.some(({ key }) => !Object.hasOwn(object, key))) {
    throw reader.mismatch("it lacks properties and is closed to new ones");
  }
  for (const key of present) {
    if (!Object.isExtensible(object) && kept.has(key)) continue;
    const property = Object.getOwnPropertyDescriptor(object, key);
    // A key that stays and cannot be removed keeps its place.
    if (property?.configurable !== true && kept.has(key)) continue;
    if (!Reflect.deleteProperty(object, key)) {
      throw reader.mismatch(`its property ${String(key)} cannot be removed`);
    }
  }
}

function putProperty(object: object, property: DecodedProperty, reader: NodeReader): void {
  const { key, value, attributes } = property;
  const present = Object.getOwnPropertyDescriptor(object, key);
  if (present !== undefined && "value" in present) {
    if (Object.is(present.value, value) && present.writable !== true) return;
    if (present.writable === true && attributesOf(present) === attributes) {
      Reflect.defineProperty(object, key, { value });
      return;
    }
  }
  const done = Reflect.defineProperty(object, key, {
    value,
    writable: (attributes & READ_ONLY) === 0,
    enumerable: (attributes & HIDDEN) === 0,
    configurable: (attributes & PERMANENT) === 0,
  });
  // A property that cannot be redefined may still take the value.
  if (!done && !Reflect.defineProperty(object, key, { value })) {
    throw reader.mismatch(`its property ${String(key)} cannot be written`);
  }
}

/**
 * @file Whether two values are the same graph: equal content, and shared exactly where the other
 * is shared. Written apart from the adapters, with none of their code, because it judges them.
 */
import { types } from "node:util";

/** The first difference as text, or `undefined` if there is none. */
export function graphDifference(left: unknown, right: unknown): string | undefined {
  const forth = new Map<unknown, unknown>();
  const back = new Map<unknown, unknown>();
  const queue: { a: unknown; b: unknown; path: string }[] = [{ a: left, b: right, path: "$" }];
  for (const { a, b, path } of queue) {
    if (!isObject(a) || !isObject(b)) {
      if (!Object.is(a, b)) return `${path}: ${String(a)} is not ${String(b)}`;
      continue;
    }
    if (forth.has(a) || back.has(b)) {
      if (forth.get(a) !== b || back.get(b) !== a) return `${path}: shared otherwise`;
      continue;
    }
    forth.set(a, b);
    back.set(b, a);
    const found = differ(a, b, (x, y, segment) => queue.push({ a: x, b: y, path: path + segment }));
    if (found !== undefined) return `${path}: ${found}`;
  }
  return undefined;
}

type Push = (a: unknown, b: unknown, segment: string) => void;

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function differ(a: object, b: object, push: Push): string | undefined {
  if (typeof a === "function" || typeof b === "function") return a === b ? undefined : "function";
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return "another class";
  if (tag(a) !== tag(b)) return `${tag(a)} is not ${tag(b)}`;
  if (types.isNativeError(a) !== types.isNativeError(b)) return "error mark";
  if (closed(a) !== closed(b)) return `integrity ${closed(a)} is not ${closed(b)}`;
  return slots(a, b, push) ?? properties(a, b, push);
}

function closed(value: object): string {
  return [Object.isExtensible(value), Object.isSealed(value), Object.isFrozen(value)].join();
}

function tag(value: object): string {
  return Object.prototype.toString.call(value);
}

function slots(a: object, b: object, push: Push): string | undefined {
  if (types.isMap(a)) return pairs(mapItems(a), mapItems(b), push);
  if (types.isSet(a)) return pairs(setItems(a), setItems(b), push);
  if (types.isDate(a)) push(time(a), time(b), ".ms");
  if (types.isRegExp(a))
    push(a.source + a.flags, (b as RegExp).source + (b as RegExp).flags, ".source");
  if (types.isAnyArrayBuffer(a)) return buffers(a, b as ArrayBuffer, push);
  if (ArrayBuffer.isView(a)) {
    const other = b as ArrayBufferView;
    push(a.byteLength, other.byteLength, ".byteLength");
    // Where in a pool of Node a small Buffer lies is not part of the state.
    if (isPooled(a) || isPooled(b))
      return Buffer.compare(a as Buffer, other as Buffer) === 0 ? undefined : "bytes";
    push(a.byteOffset, other.byteOffset, ".byteOffset");
    push(a.buffer, other.buffer, ".buffer");
  }
  return undefined;
}

const isPooled = (value: object): boolean =>
  Buffer.isBuffer(value) && value.buffer.byteLength === Buffer.poolSize;

const time = (date: object): number => Date.prototype.getTime.call(date as Date);

function mapItems(map: object): unknown[] {
  const items: unknown[] = [];
  Map.prototype.forEach.call(map as Map<unknown, unknown>, (value, key) => items.push(key, value));
  return items;
}

function setItems(set: object): unknown[] {
  const items: unknown[] = [];
  Set.prototype.forEach.call(set as Set<unknown>, (value) => items.push(value));
  return items;
}

function buffers(a: ArrayBufferLike, b: ArrayBufferLike, push: Push): string | undefined {
  push(a.byteLength, b.byteLength, ".byteLength");
  push(a.maxByteLength, b.maxByteLength, ".maxByteLength");
  return Buffer.compare(new Uint8Array(a), new Uint8Array(b)) === 0 ? undefined : "bytes";
}

function pairs(a: unknown[], b: unknown[], push: Push): string | undefined {
  if (a.length !== b.length) return `size ${a.length} is not ${b.length}`;
  for (const [i, item] of a.entries()) push(item, b[i], `<${i}>`);
  return undefined;
}

function properties(a: object, b: object, push: Push): string | undefined {
  const [keysA, keysB] = [Reflect.ownKeys(a), Reflect.ownKeys(b)];
  const elements = ArrayBuffer.isView(a);
  if (keysA.length !== keysB.length)
    return `keys ${keysA.map(String).join()} are not ${keysB.map(String).join()}`;
  for (const [i, key] of keysA.entries()) {
    if (key !== keysB[i]) return `key ${String(key)} is not ${String(keysB[i])}`;
    if (elements && typeof key === "string" && /^\d+$/.test(key)) continue;
    const left = Object.getOwnPropertyDescriptor(a, key) ?? {};
    const right = Object.getOwnPropertyDescriptor(b, key) ?? {};
    for (const attribute of ["writable", "enumerable", "configurable"] as const) {
      if (left[attribute] !== right[attribute]) return `${String(key)} ${attribute}`;
    }
    push(left.value, right.value, `.${String(key)}`);
  }
  return undefined;
}

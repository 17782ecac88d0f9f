/**
 * @file Arrays (with holes and extra properties), Map and Set (in their order), and their
 * subclasses. Methods are taken from the base classes, because a subclass may override them.
 */
import { types } from "node:util";
import type { EncodedProperty, EncodedValue } from "../../format/index.ts";
import type { Adapter, GraphNode, NodeOf, NodeReader, NodeWriter } from "../adapter.ts";
import { checkClass } from "./plain.ts";
import { hasNamedProperties, isNamed } from "./named-properties.ts";
import { fillProperties, integrityOf, writeProperties } from "./properties.ts";

type Key = string | symbol;

/** An array with more holes than this beyond its items is written by index. */
const HOLES_MAX = 1024;
/** Attributes of the items are looked at up to this length. */
const LOOKED_AT_MAX = 1024;
const HOLE: EncodedValue = ["hole"];

/** Class, own properties and integrity, each only where there is something to say. */
function writeClassAndProperties(
  value: object,
  base: object,
  writer: NodeWriter,
  props: readonly EncodedProperty[],
): Pick<GraphNode, "props" | "integrity"> & { class?: NonNullable<GraphNode["class"]> } {
  const name = writer.classOf(value, base);
  if (name === null) writer.refuse("a collection without a prototype");
  return {
    ...(props.length === 0 ? {} : { props }),
    ...(name === undefined || name === null ? {} : { class: name }),
    ...integrityOf(value),
  };
}

/** Makes a new base object one of the node's class, whose constructor does not run. */
export function ofClass<T extends object>(object: T, node: GraphNode, reader: NodeReader): T {
  if (node.class !== undefined && node.class !== null) {
    Object.setPrototypeOf(object, reader.prototypeOf(node.class));
  }
  return object;
}

/** The live object if it is what the node says, or a new one. */
function reuseLiveObject<T extends object>(
  node: GraphNode,
  live: object | undefined,
  reader: NodeReader,
  kind: { is: (value: object) => value is T; make: () => T; base: object },
): T {
  if (live === undefined) return ofClass(kind.make(), node, reader);
  if (!kind.is(live)) {
    throw reader.mismatch(`it was of class ${kind.base.constructor.name} and is not now`);
  }
  checkClass(node, live, kind.base, reader);
  return live;
}

const isArray = (value: object): value is unknown[] => Array.isArray(value);
const isMap = (value: object): value is Map<unknown, unknown> => types.isMap(value);
const isSet = (value: object): value is Set<unknown> => types.isSet(value);
const isDate = (value: object): value is Date => types.isDate(value);
const isRegExp = (value: object): value is RegExp => types.isRegExp(value);

/** The items, or `undefined` for an array that is mostly holes. */
function writeItems(array: readonly unknown[], writer: NodeWriter): EncodedValue[] | undefined {
  const items: EncodedValue[] = [];
  let holes = 0;
  for (let i = 0; i < array.length; i++) {
    const value = array[i];
    const hole = value === undefined && !Object.hasOwn(array, i);
    items.push(hole ? HOLE : writer.value(value, i));
    if (hole && ++holes > HOLES_MAX + items.length / 2) return undefined;
  }
  return items;
}

/** Whether the length or an item is not as an assignment makes it. Long arrays are not looked at. */
function isUnusual(array: readonly unknown[]): boolean {
  if (Object.isFrozen(array)) return false;
  if (Object.getOwnPropertyDescriptor(array, "length")?.writable !== true) return true;
  if (array.length > LOOKED_AT_MAX) return false;
  const closed = Object.isSealed(array);
  return array.some((_, i) => {
    const property = Object.getOwnPropertyDescriptor(array, i);
    const { writable, enumerable, configurable } = property ?? {};
    return !(writable === true && enumerable === true && (configurable === true || closed));
  });
}

export const arrayAdapter: Adapter<unknown[], NodeOf<"array">> = {
  name: "array",
  matches: isArray,
  write(array, writer) {
    const items = isUnusual(array) ? undefined : writeItems(array, writer);
    // Written by index, an array lists its `length` among its properties, and has no items.
    if (items === undefined) {
      const props = writeProperties(array, writer);
      return {
        t: "array",
        items: [],
        ...writeClassAndProperties(array, Array.prototype, writer, props),
      };
    }
    const props = hasNamedProperties(array, array.length)
      ? writeProperties(array, writer, isOther)
      : [];
    return { t: "array", items, ...writeClassAndProperties(array, Array.prototype, writer, props) };
  },
  reads: (node): node is NodeOf<"array"> => node.t === "array",
  allocate: (node, live, reader) =>
    reuseLiveObject(node, live, reader, {
      is: isArray,
      make: (): unknown[] => [],
      base: Array.prototype,
    }),
  fill(node, object, reader) {
    fillArray(object, node.items, node.props ?? [], reader);
  },
};

const isOther = (key: Key): boolean => key !== "length" && isNamed(key);
const isHole = (item: EncodedValue): boolean => Array.isArray(item) && item[0] === "hole";

function fillArray(
  array: unknown[],
  items: readonly EncodedValue[],
  props: readonly EncodedProperty[],
  reader: NodeReader,
): void {
  const byIndex = props.some(([key]) => key === "length");
  if (byIndex) {
    fillProperties(array, props, reader);
    return;
  }
  if (array.length !== items.length && !Reflect.set(array, "length", items.length)) {
    throw reader.mismatch(`it has ${array.length} items now, had ${items.length}, and is closed`);
  }
  // No setter can come between an assignment and an item of a plain array that takes new ones.
  const plain = Object.getPrototypeOf(array) === Array.prototype && Object.isExtensible(array);
  for (const [i, item] of items.entries()) {
    if (!isHole(item)) {
      if (plain) array[i] = reader.value(item);
      else restoreItem(array, i, item, reader);
    } else if (!Reflect.deleteProperty(array, i)) throw reader.mismatch(`its item ${i} cannot go`);
  }
  if (props.length > 0 || hasNamedProperties(array, array.length)) {
    fillProperties(array, props, reader, isOther);
  }
}

function restoreItem(array: unknown[], i: number, item: EncodedValue, reader: NodeReader): void {
  const value = reader.value(item);
  const present = Object.hasOwn(array, i);
  if (present && Object.is(array[i], value)) return;
  // An assignment could meet a setter of the class; defining an own item cannot.
  const attributes = present ? {} : { writable: true, enumerable: true, configurable: true };
  if (!Reflect.defineProperty(array, i, { value, ...attributes })) {
    throw reader.mismatch(`its item ${i} cannot be written`);
  }
}

/** How the key of a Map entry, or an item of a Set, reads in a path. */
function keySegment(key: unknown, index: number): string {
  return (typeof key === "object" && key !== null) || typeof key === "function"
    ? `key${index}`
    : String(key);
}

/**
 * Keys that must go before all that is wanted can be put in, in order. The others stay where they
 * are: a loop that goes over the collection right now keeps its place, as `clear` would not let it.
 */
function misplacedKeys(keys: readonly unknown[], wanted: readonly unknown[]): unknown[] {
  let kept = 0;
  return keys.filter((key) => {
    const stays = kept < wanted.length && isSameKey(key, wanted[kept]);
    if (stays) kept++;
    return !stays;
  });
}

/** As a Map compares its keys: NaN is itself, and both zeros are one. */
function isSameKey(a: unknown, b: unknown): boolean {
  return a === b || Object.is(a, b);
}

export const mapAdapter: Adapter<Map<unknown, unknown>, NodeOf<"map">> = {
  name: "map",
  matches: isMap,
  write(value, writer) {
    const entries: (readonly [EncodedValue, EncodedValue])[] = [];
    Map.prototype.forEach.call(value, (item, key) => {
      const segment = keySegment(key, entries.length);
      entries.push([writer.value(key, `${segment}(key)`), writer.value(item, segment)]);
    });
    const props = writeProperties(value, writer);
    return { t: "map", entries, ...writeClassAndProperties(value, Map.prototype, writer, props) };
  },
  reads: (node): node is NodeOf<"map"> => node.t === "map",
  allocate: (node, live, reader) =>
    reuseLiveObject(node, live, reader, { is: isMap, make: () => new Map(), base: Map.prototype }),
  fill(node, map, reader) {
    const entries = node.entries.map(
      ([key, item]) => [reader.value(key), reader.value(item)] as const,
    );
    const keys = [...Map.prototype.keys.call(map)];
    for (const key of misplacedKeys(
      keys,
      entries.map(([wanted]) => wanted),
    )) {
      Map.prototype.delete.call(map, key);
    }
    for (const [key, item] of entries) Map.prototype.set.call(map, key, item);
    fillProperties(map, node.props ?? [], reader);
  },
};

export const setAdapter: Adapter<Set<unknown>, NodeOf<"set">> = {
  name: "set",
  matches: isSet,
  write(value, writer) {
    const items: EncodedValue[] = [];
    Set.prototype.forEach.call(value, (item) => {
      items.push(writer.value(item, keySegment(item, items.length)));
    });
    const props = writeProperties(value, writer);
    return { t: "set", items, ...writeClassAndProperties(value, Set.prototype, writer, props) };
  },
  reads: (node): node is NodeOf<"set"> => node.t === "set",
  allocate: (node, live, reader) =>
    reuseLiveObject(node, live, reader, { is: isSet, make: () => new Set(), base: Set.prototype }),
  fill(node, set, reader) {
    const items = node.items.map((item) => reader.value(item));
    for (const item of misplacedKeys([...Set.prototype.values.call(set)], items)) {
      Set.prototype.delete.call(set, item);
    }
    for (const item of items) Set.prototype.add.call(set, item);
    fillProperties(set, node.props ?? [], reader);
  },
};

export const dateAdapter: Adapter<Date, NodeOf<"date">> = {
  name: "date",
  matches: isDate,
  write(value, writer) {
    const ms = writer.value(Date.prototype.getTime.call(value), "");
    return {
      t: "date",
      ms,
      ...writeClassAndProperties(value, Date.prototype, writer, writeProperties(value, writer)),
    };
  },
  reads: (node): node is NodeOf<"date"> => node.t === "date",
  allocate: (node, live, reader) =>
    reuseLiveObject(node, live, reader, {
      is: isDate,
      make: () => new Date(0),
      base: Date.prototype,
    }),
  fill(node, object, reader) {
    Date.prototype.setTime.call(object, Number(reader.value(node.ms)));
    fillProperties(object, node.props ?? [], reader);
  },
};

const isLastIndex = (key: Key): boolean => key === "lastIndex";

export const regexpAdapter: Adapter<RegExp, NodeOf<"regexp">> = {
  name: "regexp",
  matches: isRegExp,
  write(value, writer) {
    const { source, flags, lastIndex } = value;
    const props = writeProperties(value, writer, (key) => !isLastIndex(key));
    return {
      t: "regexp",
      source,
      flags,
      lastIndex,
      ...writeClassAndProperties(value, RegExp.prototype, writer, props),
    };
  },
  reads: (node): node is NodeOf<"regexp"> => node.t === "regexp",
  allocate(node, live, reader) {
    if (live === undefined) return ofClass(new RegExp(node.source, node.flags), node, reader);
    if (!isRegExp(live) || live.source !== node.source || live.flags !== node.flags) {
      throw reader.mismatch(`it was the regular expression /${node.source}/${node.flags}`);
    }
    return live;
  },
  fill(node, regexp, reader) {
    if (regexp.lastIndex !== node.lastIndex) regexp.lastIndex = node.lastIndex;
    fillProperties(regexp, node.props ?? [], reader, (key) => !isLastIndex(key));
  },
};

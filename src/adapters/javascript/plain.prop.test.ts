import fc from "fast-check";
import { expect, test } from "vitest";
import { graphDifference } from "../../../test/adapters/same-graph.ts";
import { load, placesOf, rebuilt, save } from "../../../test/adapters/round-trip.ts";
import { identify } from "../index.ts";

class Point {
  x: unknown = 1;
  y: unknown = 2;
}
class Stack extends Array<unknown> {}
class Table extends Map<unknown, unknown> {}
class Bag extends Set<unknown> {}
class Broken extends RangeError {
  detail: unknown = "d";
}
class Samples extends Float32Array {}
const CLASSES = [Point, Stack, Table, Bag, Broken, Samples];
const shout = (): string => "!";

/** Recipes for one object: made empty, then given the values that it refers to. */
type Recipe = (seed: number) => { object: object; give(key: unknown, value: unknown): void };

const byProperty = (object: object) => ({
  object,
  give: (key: unknown, value: unknown) => {
    const name = typeof key === "string" || typeof key === "symbol" ? key : "p";
    // Numbers as keys of a typed array are its elements.
    if (name === "length" || (ArrayBuffer.isView(object) && isNumeric(name))) return;
    Reflect.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  },
});
const isNumeric = (key: string | symbol): boolean => String(Number(String(key))) === String(key);
const byIndex = (object: unknown[]) => ({
  object,
  give: (_: unknown, value: unknown) => void object.push(value),
});
const byKey = (object: Map<unknown, unknown>) => ({
  object,
  give: (key: unknown, value: unknown) => void object.set(key, value),
});
const byItem = (object: Set<unknown>) => ({
  object,
  give: (_: unknown, value: unknown) => void object.add(value),
});
const sharedMemory = new SharedArrayBuffer(16);
const memory = new ArrayBuffer(64);

const RECIPES: readonly Recipe[] = [
  () => byProperty({}),
  () => byProperty(Object.create(null) as object),
  () => byProperty(new Point()),
  () => byIndex([]),
  () => byIndex(new Stack()),
  (seed) => byProperty(Object.assign([], { [seed % 5]: seed })),
  () => byKey(new Map()),
  () => byKey(new Table()),
  () => byItem(new Set()),
  () => byItem(new Bag()),
  (seed) => byProperty(new Date(seed % 7 === 0 ? Number.NaN : seed)),
  (seed) => {
    const regexp = /a.(b)/dg;
    regexp.lastIndex = seed % 3;
    return byProperty(regexp);
  },
  () => byProperty(new Error("plain", { cause: "c" })),
  () => byProperty(new Broken("own")),
  (seed) => byProperty(new Float32Array([seed, Number.NaN, -0, Infinity])),
  (seed) => byProperty(new Float64Array(memory, 8 * (seed % 4), 2)),
  (seed) => byProperty(new DataView(memory, seed % 9, 3)),
  (seed) => byProperty(new BigInt64Array([BigInt(seed)])),
  (seed) => byProperty(new Uint8ClampedArray(sharedMemory, seed % 8, 4)),
  (seed) => byProperty(Buffer.from(`pooled ${seed}`)),
  (seed) => byProperty(Buffer.alloc(seed % 5, 7)),
  () => byProperty(new Samples(3)),
  () => byProperty(new Uint16Array(new ArrayBuffer(4, { maxByteLength: 12 }))),
  () => byProperty(new Float32Array(40)),
];

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`no item ${index}`);
  return item;
}

const scalar = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "__proto__", "0", "", "length", Symbol.iterator, Symbol.for("@@x")),
  fc.double(),
  fc.constantFrom(-0, Number.NaN, Infinity, -Infinity, undefined, null, true, shout),
  fc.bigInt(),
);

const graph = fc
  .array(fc.record({ recipe: fc.nat(RECIPES.length - 1), seed: fc.nat(1000) }), {
    minLength: 1,
    maxLength: 14,
  })
  .chain((objects) => {
    const reference = fc.nat(objects.length - 1).map((target) => ({ target }));
    const edge = fc.record({
      from: fc.nat(objects.length - 1),
      key: fc.oneof(scalar, reference),
      value: fc.oneof(reference, scalar),
    });
    const closing = fc.record({ at: fc.nat(objects.length - 1), how: fc.nat(2) });
    return fc.record({
      objects: fc.constant(objects),
      edges: fc.array(edge, { maxLength: 40 }),
      closings: fc.array(closing, { maxLength: 3 }),
    });
  })
  .map(({ objects, edges, closings }) => {
    const made = objects.map(({ recipe, seed }) => pick(RECIPES, recipe)(seed));
    const resolve = (value: unknown): unknown =>
      typeof value === "object" && value !== null && "target" in value
        ? pick(made, Number(value.target)).object
        : value;
    for (const { from, key, value } of edges) pick(made, from).give(resolve(key), resolve(value));
    for (const { at, how } of closings) {
      const { object } = pick(made, at);
      if (ArrayBuffer.isView(object)) continue;
      pick([Object.freeze, Object.seal, Object.preventExtensions], how)(object);
    }
    return made.map(({ object }) => object);
  });

test("a captured graph is restored as new objects, equal and shared as it was", () => {
  fc.assert(
    fc.property(graph, (value) => {
      const copy = rebuilt(value, [...CLASSES, shout]);
      expect(graphDifference(value, copy)).toBeUndefined();
      expect(copy === value).toBe(false);
    }),
    { numRuns: 400 },
  );
});

test("a captured graph is restored in place, whatever the objects hold meanwhile", () => {
  fc.assert(
    fc.property(graph, (value) => {
      const expected = rebuilt(value, [...CLASSES, shout]);
      const record: { [field: string]: unknown } = { value, classes: [...CLASSES, shout] };
      const entry = identify(placesOf(record), { hold: true });
      const saved = save(placesOf(record), entry);
      for (const object of value) spoil(object);
      record["value"] = 5;
      load(placesOf(record), saved, entry);
      expect(record["value"] === value).toBe(true);
      expect(graphDifference(expected, value)).toBeUndefined();
    }),
    { numRuns: 400 },
  );
});

/** Changes all that can be changed of an object. */
function spoil(object: object): void {
  if (ArrayBuffer.isView(object)) new Uint8Array(object.buffer).fill(9);
  if (object instanceof Map) Map.prototype.clear.call(object);
  if (object instanceof Set) Set.prototype.clear.call(object);
  if (object instanceof Date) Date.prototype.setTime.call(object, 1);
  for (const key of Reflect.ownKeys(object)) {
    if (key === "length" || key === "lastIndex") continue;
    if (ArrayBuffer.isView(object) && /^\d+$/.test(String(key))) continue;
    // Nothing brings a property back to an object that takes no new ones.
    if (Object.isExtensible(object)) Reflect.deleteProperty(object, key);
    else Reflect.set(object, key, 7);
  }
  Reflect.set(object, "spoiled", object);
}

test("the same state gives the same graph", () => {
  fc.assert(
    fc.property(graph, (value) => {
      const places = placesOf({ value, classes: [...CLASSES, shout] });
      const entry = identify(places);
      const first = save(places, entry);
      const again = save(places, entry);
      expect(again.json).toBe(first.json);
      expect(again.taken.entry).toStrictEqual(first.taken.entry);
      expect(new Set(first.taken.leaves.map(({ name }) => name)).size).toBe(
        first.taken.leaves.length,
      );
    }),
    { numRuns: 100 },
  );
});

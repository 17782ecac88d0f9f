import { expect, test } from "vitest";
import { graphDifference } from "../../test/adapters/same-graph.ts";
import { load, placesOf, rebuilt, save } from "../../test/adapters/round-trip.ts";
import { isAfterlogError } from "../format/index.ts";
import { capture, ClassRegistry, identify, WalkTooLong } from "./index.ts";
import type { StatePlace } from "./index.ts";

type Fields = { [field: string]: unknown };

class Secret {
  #hidden = 1;
  read(): number {
    return this.#hidden;
  }
}
class Child extends Secret {
  open = 2;
}
class Saves extends Secret {
  value = 0;
  stateDict(): unknown {
    return { value: this.value };
  }
  loadStateDict(state: { value: number }): void {
    this.value = state.value;
  }
}

function* upTo(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i;
}

const bytesPlace = (key: string): StatePlace => ({
  key,
  source: "a",
  get: () => new Uint8Array(1),
});
const place = (key: string, source: "a" | "b", value: unknown): StatePlace => ({
  key,
  source,
  get: () => value,
});
const unset = (): unknown => {
  throw new ReferenceError("x is not initialized");
};

function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

/** Nothing may be asked of it. */
function trapped(made: object = {}): object {
  const fail = (): never => {
    throw new Error("called");
  };
  const traps = Reflect.ownKeys(Reflect).filter((name) => name !== Symbol.toStringTag);
  return new Proxy(made, Object.fromEntries(traps.map((name) => [name, fail])));
}

function failure(action: () => unknown): { code: string; message: string; help: string } {
  try {
    action();
  } catch (error) {
    if (!isAfterlogError(error)) throw error;
    return { code: error.code, message: error.message, help: error.help.join("\n") };
  }
  throw new Error("nothing was refused");
}

const REFUSED: readonly [what: string, value: () => unknown, path: string, reason: RegExp][] = [
  ["private fields", () => ({ cache: { handle: new Secret() } }), "state.cache.handle", /#/],
  ["inherited private fields", () => [new Child()], "state.0", /Child.*private/],
  ["promise", () => ({ p: Promise.resolve() }), "state.p", /Promise/],
  ["weak map", () => ({ w: new WeakMap() }), "state.w", /WeakMap/],
  ["weak set", () => new WeakSet(), "state", /WeakSet/],
  ["weak reference", () => ({ w: new WeakRef({}) }), "state.w", /WeakRef/],
  ["generator", () => ({ g: upTo(1) }), "state.g", /generator/],
  ["iterator", () => ({ i: new Map().entries() }), "state.i", /iterator/],
  ["proxy", () => ({ p: new Proxy({}, {}) }), "state.p", /Proxy/],
  ["heir of a proxy", () => ({ p: Object.create(trapped()) }), "state.p", /inherits from a Proxy/],
  ["proxy of a function", () => ({ p: trapped(() => 0) }), "state.p", /is a Proxy/],
  [
    "getter",
    () => ({
      deep: {
        get now() {
          return 1;
        },
      },
    }),
    "state.deep.now",
    /getter/,
  ],
  ["boxed number", () => ({ n: Object(1) as unknown }), "state.n", /boxed/],
  ["new function", () => ({ f: () => 1 }), "state.f", /function f/],
  ["local symbol", () => ({ s: Symbol("mine") }), "state.s", /Symbol\(mine\)/],
  ["local symbol key", () => ({ [Symbol("mine")]: 1 }), "state.@@mine", /Symbol\(mine\)/],
  ["detached buffer", () => ({ b: detached() }), "state.b", /transferred/],
  [
    "view on detached buffer",
    () => {
      const view = new Uint8Array(4);
      structuredClone(view.buffer, { transfer: [view.buffer] });
      return new Map([["k", view]]);
    },
    "state.k",
    /transferred/,
  ],
  ["class of the runtime", () => ({ f: new Intl.NumberFormat("en") }), "state.f", /NumberFormat/],
  ["class of Node", () => ({ u: new URL("http://a.b") }), "state.u", /URL/],
  ["prototype of no class", () => Object.create({ a: 1 }) as unknown, "state", /prototype/],
  [
    "method that throws",
    () => ({
      stateDict() {
        throw new Error("not now");
      },
      loadStateDict() {},
    }),
    "state",
    /not now/,
  ],
  [
    "asynchronous stateDict",
    () => ({ async stateDict() {}, loadStateDict() {} }),
    "state",
    /asynch/,
  ],
];

test.each(REFUSED)("refuses: %s", (_what, make, path, reason) => {
  const { code, message, help } = failure(() => capture(placesOf({ state: make() })));
  expect(code).toBe("AL070");
  expect(message.startsWith(`${path} cannot be captured`)).toBe(true);
  expect(message).toMatch(reason);
  expect(help).not.toBe("");
});

test.each(REFUSED)("numbers all the same: %s", (_what, make) => {
  expect(identify(placesOf({ state: make(), other: {} })).size).toBeGreaterThan(1);
});

const LEAVES: readonly [
  what: string,
  record: () => { [field: string]: unknown },
  leaves: string[],
][] = [
  ["field", () => ({ w: new Float32Array(3) }), ["w F32 [3]"]],
  [
    "nested",
    () => ({ params: { w1: new Float64Array(2), b: [new Int8Array(1)] } }),
    ["params.w1 F64 [2]", "params.b.0 I8 [1]"],
  ],
  ["map", () => ({ m: new Map([["a", new Uint8ClampedArray(1)]]) }), ["m.a U8 [1]"]],
  [
    "64 bits",
    () => ({ a: new BigInt64Array(1), b: new BigUint64Array(2) }),
    ["a I64 [1]", "b U64 [2]"],
  ],
  ["a view on a part", () => ({ a: new Float32Array(new ArrayBuffer(16), 4, 1) }), ["a U8 [16]"]],
  [
    "two views on one buffer",
    () => {
      const all = new Float32Array(4);
      return { all, tail: all.subarray(2) };
    },
    ["all F32 [4]"],
  ],
  [
    "reserved",
    () => ({
      __structure__: new Uint8Array(1),
      "__pad.0": new Uint8Array(1),
      "": new Uint8Array(1),
    }),
    ["state.__structure__ U8 [1]", "state.__pad.0 U8 [1]", "d0. U8 [1]"],
  ],
  [
    "equal paths",
    () => ({ "a.b": new Uint8Array(1), a: { b: new Uint8Array(2) } }),
    ["a.b U8 [1]", "a.b~1 U8 [2]"],
  ],
  ["empty", () => ({ a: new Float32Array(0) }), ["a F32 [0]"]],
  [
    "pieces of a pool",
    () => {
      const [first, second] = [Buffer.from("abc"), Buffer.from("de")];
      return { first, again: first.subarray(1), second };
    },
    ["first U8 [3]", "second U8 [2]"],
  ],
];

test.each(LEAVES)("names leaves: %s", (_what, make, expected) => {
  const { leaves } = capture(placesOf(make()));
  const text = leaves.map(({ name, dtype, shape }) => `${name} ${dtype} [${shape.join(",")}]`);
  expect(text).toStrictEqual(expected);
});

/** A Buffer in a pool of Node, which is the one before or a new one. */
function pooled(text: string, pool: "same" | "next"): Buffer {
  // What does not fit into the rest of a pool begins another.
  const before = Buffer.from(".").buffer;
  const isFull = (): boolean => Buffer.allocUnsafe(Buffer.poolSize / 4).buffer !== before;
  for (let filled = pool === "same"; !filled; filled = isFull());
  return Buffer.from(text);
}

const bytesOf = (buffer: Buffer): DataView =>
  new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

const IN_POOLS: readonly [what: string, make: (pool: "same" | "next") => Fields][] = [
  ["two Buffers", (pool) => ({ a: pooled("one", "next"), b: pooled("other", pool) })],
  ["that touch", (pool) => ({ a: pooled("12345678", "next"), b: pooled("12345678", pool) })],
  [
    "with objects behind them",
    (pool) => ({ a: pooled("one", "next"), b: pooled("two", pool), c: { d: { e: 1 }, f: [2] } }),
  ],
  [
    "seen by other views",
    (pool) => ({ a: bytesOf(pooled("one", "next")), b: new Uint8Array(1), c: pooled("two", pool) }),
  ],
];

test.each(IN_POOLS)("which pools Buffers lie in is no part of a state: %s", (_what, make) => {
  const [one, two] = (["same", "next"] as const).map((pool) => {
    const fields = make(pool);
    const entry = identify(placesOf(fields));
    const { json, tensors, taken } = save(placesOf(fields), entry);
    return { json, tensors, entry: taken.entry, size: entry.size };
  });
  expect(one).toStrictEqual(two);
});

test("a pool is not captured as a whole: others have their memory in it", () => {
  const { message } = failure(() => save(placesOf({ all: Buffer.from("one").buffer })));
  expect(message).toContain("all cannot be captured: it is memory in which Node keeps");
});

test("fields of several declarations are told apart only where they must", () => {
  const { leaves } = capture([
    bytesPlace("d0.w"),
    bytesPlace("d1.w"),
    bytesPlace("d1.b"),
    bytesPlace("train.ts:main:x#0"),
  ]);
  expect(leaves.map(({ name }) => name)).toStrictEqual(["w", "d1.w", "b", "x"]);
});

test("a long chain and many small objects need no stack", () => {
  interface Link {
    next: Link | null;
    bytes?: Uint8Array;
  }
  let head: Link = { next: null, bytes: new Uint8Array([7]) };
  for (let i = 0; i < 100_000; i++) head = { next: head };
  const many = Array.from({ length: 5_000 }, (_, id) => ({ id, tags: ["a"] }));
  const value = { head, many };
  const copy = rebuilt(value);
  expect(graphDifference(value, copy)).toBeUndefined();
  const { leaves } = capture(placesOf(value));
  expect(leaves[0]?.name).toBe(`head.${"next.".repeat(8)}…${".next".repeat(7)}.bytes`);
});

test("a walk that takes too long is given up, and another one is whole", () => {
  const state = Array.from({ length: 3000 }, (_, n) => [n, { n }]);
  const places = [place("d0.kept", "a", state), place("m:0:n#1", "b", { n: 1 })];
  const entry = identify(places);
  expect(() => capture(places, entry, new ClassRegistry(), 0)).toThrow(WalkTooLong);
  const whole = capture(places, entry, new ClassRegistry(), Infinity);
  expect(whole.graph).toEqual(capture(places, entry).graph);
  expect(whole.graph.nodes.length).toBe(2 * state.length + 2);
});

const KEPT: readonly [what: string, value: () => unknown][] = [
  [
    "sparse array of great length",
    () => {
      const array: unknown[] = [1];
      array[3_000_000_000] = { far: true };
      return array;
    },
  ],
  ["holes and extra properties", () => Object.assign([1], { 2: 3, extra: [undefined] })],
  ["match of a regular expression", () => /(?<l>b)/d.exec("abc")],
  [
    "read-only and hidden properties",
    () =>
      Object.defineProperties(
        {},
        {
          fixed: { value: 1, enumerable: true },
          hidden: { value: { a: 1 }, writable: true, configurable: true },
        },
      ),
  ],
  ["array with a read-only item", () => Object.defineProperty([1, 2], 1, { writable: false })],
  ["array of fixed length", () => Object.defineProperty([1, 2], "length", { writable: false })],
  ["key __proto__", () => JSON.parse('{"__proto__":{"a":1},"b":2}') as unknown],
  ["error with a cause", () => new TypeError("bad", { cause: new AggregateError([1], "all") })],
  [
    "long typed array with properties",
    () => Object.assign(new Float32Array(99), { shape: [9, 11] }),
  ],
  [
    "view that follows a resizable buffer",
    () => {
      const buffer = new ArrayBuffer(8, { maxByteLength: 32 });
      return [new Uint8Array(buffer), new Uint8Array(buffer, 0, 8), new DataView(buffer)];
    },
  ],
  ["growable shared memory", () => new Uint8Array(new SharedArrayBuffer(4, { maxByteLength: 8 }))],
  ["buffer alone", () => [new ArrayBuffer(3), new ArrayBuffer(0)]],
  [
    "map in itself",
    () => {
      const map = new Map<unknown, unknown>();
      return map.set(map, [map]);
    },
  ],
  ["object of another realm", () => structuredClone({ a: [new Map([[1, new Date(3)]])] })],
];

test.each(KEPT)("keeps: %s", (_what, make) => {
  const value = make();
  expect(graphDifference(value, rebuilt(value))).toBeUndefined();
});

test("a view that followed its buffer follows the new one", () => {
  const buffer = new ArrayBuffer(8, { maxByteLength: 32 });
  const [follows, stays] = rebuilt([new Uint8Array(buffer), new Uint8Array(buffer, 0, 8)]);
  if (follows?.buffer instanceof ArrayBuffer) follows.buffer.resize(16);
  expect([follows?.length, stays?.length]).toStrictEqual([16, 8]);
});

test("an object that saves itself is loaded in place, private fields and all", () => {
  const record = { value: new Saves(), alias: null as unknown };
  record.alias = { same: record.value };
  const entry = identify(placesOf(record), { hold: true });
  record.value.value = 5;
  const saved = save(placesOf(record), entry);
  const before = record.value;
  record.value.value = 6;
  record.value = new Saves();
  load(placesOf(record), saved, entry);
  expect(record.value === before && (record.alias as { same: unknown }).same === before).toBe(true);
  expect(before.value).toBe(5);
  expect(before.read()).toBe(1);
});

test("an uninitialized variable is unbound", () => {
  expect(capture([{ key: "a.ts:m:x#0", source: "b", get: unset }]).graph.places).toStrictEqual([
    { key: "a.ts:m:x#0", source: "b", unbound: true },
  ]);
});

test("a captured name that cannot be captured is absent, a declared one is an error", () => {
  const shared = { p: Promise.resolve() };
  const names = [place("a.ts:m:x#0", "b", shared), place("a.ts:m:y#0", "b", [shared])];
  const { graph, leaves } = capture([...names, place("d0.w", "a", new Uint8Array(1))]);
  expect(graph.places.map(({ absent }) => absent?.replace(/ cannot.*/, ""))).toStrictEqual([
    "AL070: x.p",
    "AL070: y.0.p",
    undefined,
  ]);
  expect(leaves.map(({ name }) => name)).toStrictEqual(["w"]);
  const declared = failure(() => capture([place("d0.z", "a", shared), ...names]));
  expect(declared.message).toMatch(/^z\.p /);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClassRegistry } from "./javascript/class-registry.ts";
import { Fingerprints } from "./fingerprint.ts";

class Known {
  #hidden = 1;
  shown = 1;

  static lend(classes: ClassRegistry): void {
    classes.add(Known, "p.ts:0:Known", [
      {
        name: "#hidden",
        has: (o) => #hidden in o,
        get: (o) => (o as Known).#hidden,
        set: (o, value) => {
          (o as Known).#hidden = value as number;
        },
      },
    ]);
  }

  bump(): void {
    this.#hidden++;
  }
}

class Unknown {
  value = 1;
}

/** Whether a change is seen. */
function check<T>(value: T, change: (value: T) => unknown): boolean {
  const classes = new ClassRegistry();
  Known.lend(classes);
  const prints = new Fingerprints(classes);
  const before = prints.of(value);
  expect(prints.of(value)).toBe(before);
  change(value);
  return prints.of(value) !== before;
}

const tensor = (): { dataId: object; isDisposed: boolean } => {
  const methods = { dataSync: () => [], throwIfDisposed: () => undefined };
  return Object.assign(Object.create(methods), { dataId: {}, isDisposed: false });
};

describe("a change is seen", () => {
  const cyclic: { self?: unknown; x: number } = { x: 1 };
  cyclic.self = cyclic;
  const rows: [what: string, seen: boolean][] = [
    ["a field", check({ a: 1 }, (o) => (o.a = 2))],
    ["a field deep inside", check({ a: { b: { c: 1 } } }, (o) => (o.a.b.c = 2))],
    ["a new field", check<{ b?: number }>({}, (o) => (o.b = 2))],
    ["another object of the same content", check({ a: { b: 1 } }, (o) => (o.a = { b: 1 }))],
    ["minus zero", check({ a: 0 }, (o) => (o.a = -0))],
    ["text of the same length", check({ a: "ab" }, (o) => (o.a = "ac"))],
    ["null to undefined", check<{ a: unknown }>({ a: null }, (o) => (o.a = undefined))],
    ["a bigint", check({ a: 1n }, (o) => (o.a = 2n))],
    ["an item", check([1, 2, 3], (list) => (list[1] = 9))],
    ["a longer list", check([1, 2, 3], (list) => list.push(4))],
    ["the last of many items", check(Array<number>(1000).fill(0), (list) => (list[999] = 1))],
    ["an entry of a map", check(new Map([["a", 1]]), (map) => map.set("a", 2))],
    ["a member of a set", check(new Set([1]), (set) => set.add(2))],
    ["a date", check(new Date(0), (date) => date.setTime(5))],
    ["where an expression stands", check(/a/g, (expression) => expression.test("a"))],
    ["a float of a small array", check(new Float32Array(100), (view) => (view[57] = 1e-30))],
    ["all of a large array", check(new Float64Array(1e6), (view) => view.fill(0.5))],
    ["the end of a large array", check(new Uint8Array(1e6), (view) => (view[999_999] = 1))],
    ["a buffer", check(new ArrayBuffer(16), (buffer) => (new Uint8Array(buffer)[3] = 1))],
    ["an instance of a known class", check(new Known(), (known) => (known.shown = 2))],
    ["a private field", check(new Known(), (known) => known.bump())],
    ["data of a tensor", check({ t: tensor() }, ({ t }) => (t.dataId = {}))],
    ["a tensor that is disposed of", check({ t: tensor() }, ({ t }) => (t.isDisposed = true))],
    ["a cycle", check(cyclic, (o) => (o.x = 2))],
    ["another function", check({ f: () => 1 }, (o) => (o.f = () => 2))],
  ];
  test.each(rows)("%s", (_, seen) => {
    expect(seen).toBe(true);
  });
});

describe("nothing is looked at that must not be", () => {
  test("classes that nobody knows are only told apart", () => {
    expect(check({ u: new Unknown() }, ({ u }) => (u.value = 2))).toBe(false);
    expect(check({ u: new Unknown() }, (o) => (o.u = new Unknown()))).toBe(true);
  });

  test("no getter and no trap is called", () => {
    const fail = (): never => {
      throw new Error("called");
    };
    const prints = new Fingerprints(new ClassRegistry());
    const own = Object.defineProperty({}, "x", { get: fail, enumerable: true });
    const trapped = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, has: fail });
    const heir: unknown = Object.create(
      new Proxy({}, { get: fail, getOwnPropertyDescriptor: fail, ownKeys: fail, has: fail }),
    );
    expect(() => prints.of([own, trapped, heir])).not.toThrow();
  });
});

test("the same value always has the same fingerprint, and copies of it have others", () => {
  fc.assert(
    fc.property(fc.object({ withMap: true, withSet: true, withBigInt: true }), (value) => {
      const prints = new Fingerprints(new ClassRegistry());
      expect(prints.of(value)).toBe(prints.of(value));
      expect(prints.of(structuredClone(value))).not.toBe(prints.of(value));
    }),
  );
});

/** Classes that rewritten source makes known: private fields, and instances made in the loop. */
import { expect, test } from "vitest";
import type { StatePlace } from "../index.ts";
import { capture, ClassRegistry, identify, restore } from "../index.ts";

const classes = new ClassRegistry();

class Counter {
  #count = 0;
  #seen: number[] = [];
  static {
    classes.add(this, "t.ts:0:Counter", [
      {
        name: "#count",
        has: (o) => #count in o,
        get: (o) => (o as Counter).#count,
        set: (o, v) => void ((o as Counter).#count = v as number),
      },
      {
        name: "#seen",
        has: (o) => #seen in o,
        get: (o) => (o as Counter).#seen,
        set: (o, v) => void ((o as Counter).#seen = v as number[]),
      },
    ]);
  }
  add(): number {
    this.#seen.push(++this.#count);
    return this.#seen.length;
  }
  get text(): string {
    return `${this.#count}:${this.#seen.join()}`;
  }
}

class Plain {
  at = 0;
  static {
    classes.add(this, "t.ts:0:Plain", []);
  }
  next(): number {
    return ++this.at;
  }
}

function place(cell: { value: unknown }): StatePlace {
  return { key: "t.ts:0:cell#0", source: "b", get: () => cell.value, set: (v) => (cell.value = v) };
}

test("private fields are captured, and given back to the object that has them", () => {
  const counter = new Counter();
  const places = [place({ value: counter })];
  const entry = identify(places, { hold: true, classes });
  counter.add();
  counter.add();
  const { graph, entry: numbers } = capture(places, entry, classes);
  counter.add();
  restore(places, { ...graph, entry: numbers }, () => new Uint8Array(), { entry, classes });
  expect(counter.text).toBe("2:1,2");
});

test("an instance made in the loop is of its class again", () => {
  const cell: { value: unknown } = { value: null };
  const entry = identify([place(cell)], { hold: true, classes });
  cell.value = Object.assign(new Plain(), { at: 4 });
  const { graph, entry: numbers } = capture([place(cell)], entry, classes);
  cell.value = null;
  restore([place(cell)], { ...graph, entry: numbers }, () => new Uint8Array(), { entry, classes });
  expect((cell.value as Plain).next()).toBe(5);
});

test("one with private fields cannot be made again, and nothing is changed", () => {
  const cell: { value: unknown } = { value: null };
  const entry = identify([place(cell)], { hold: true, classes });
  cell.value = new Counter();
  const { graph, entry: numbers } = capture([place(cell)], entry, classes);
  cell.value = "before";
  expect(() =>
    restore([place(cell)], { ...graph, entry: numbers }, () => new Uint8Array(), {
      entry,
      classes,
    }),
  ).toThrow("private fields");
  expect(cell.value).toBe("before");
});

test("a class that is not known is refused as before", () => {
  const places = [place({ value: new Counter() })];
  expect(capture(places, identify(places)).graph.places[0]?.absent).toContain("private fields");
});

/** As constructors were written before there were classes. */
function Old(this: { at: number }): void {
  this.at = 0;
}
Old.prototype = {
  next(this: { at: number }): number {
    return ++this.at;
  },
};
const old = (at: number): { at: number; next(): number } =>
  Object.assign(Object.create(Old.prototype as object) as ReturnType<typeof old>, { at });

test("an object whose prototype tells no class is known by its methods, and can be made again", () => {
  const cell: { value: ReturnType<typeof old>[] } = { value: [old(1)] };
  const first = cell.value[0];
  const entry = identify([place(cell)], { hold: true, classes });
  cell.value.push(old(4));
  const { graph, entry: numbers } = capture([place(cell)], entry, classes);
  cell.value.pop();
  first?.next();
  restore([place(cell)], { ...graph, entry: numbers }, () => new Uint8Array(), { entry, classes });
  expect(cell.value[0]).toBe(first);
  expect(cell.value.map((one) => one.next())).toEqual([2, 5]);
});

test("it is not taken for a plain object, nor for one with other methods", () => {
  const cell: { value: object } = { value: old(1) };
  const entry = identify([place(cell)], { hold: true, classes });
  const { graph, entry: numbers } = capture([place(cell)], entry, classes);
  for (const other of [{ at: 1 }, Object.create({ back: () => 0 }) as object]) {
    const given = { value: other };
    const now = identify([place(given)], { hold: true, classes });
    expect(() =>
      restore([place(given)], { ...graph, entry: numbers }, () => new Uint8Array(), {
        entry: now,
        classes,
      }),
    ).toThrow("of class { next }");
  }
});

/**
 * @file What a question left behind in the captured state and the run has not touched since: a model
 * that is evaluated keeps its last input for the next `backward`. The run shows whether that lasts: it
 * goes on with it, and either sets it before it reads it, or computes another thing, which the state
 * and the logged values tell. So it is compared as it was before the question.
 */
import { hasTraps } from "../../adapters/index.ts";
import type { ClassRegistry, StatePlace } from "../../adapters/index.ts";

/** Objects and elements looked at for each part; of a larger state nothing is noted. */
const OBJECTS_MAX = 100_000;
const ELEMENTS_MAX = 10_000_000;

/** No such property, or no value of a variable. */
const ABSENT = Symbol("absent");

/** Something of an object, or a variable, that a question has changed. */
interface Cell {
  readonly before: unknown;
  /** As the question left it. */
  readonly after: unknown;
  readonly read: () => unknown;
  readonly write: (value: unknown) => void;
  readonly isSame: (one: unknown, other: unknown) => boolean;
}

/** By the property, the element, or what stands for the whole. */
type Cells = Map<unknown, Cell>;

export class LeftBehind {
  readonly #classes: ClassRegistry;
  readonly #changed = new Map<unknown, Cells>();

  constructor(classes: ClassRegistry) {
    this.#classes = classes;
  }

  /** A part of a question begins; what is returned is called behind it. */
  begin(places: readonly StatePlace[]): () => void {
    this.#forgetTouched();
    const variables = places.flatMap((place) => (place.set ? [{ place, value: read(place) }] : []));
    const contents = this.#contents(places);
    return () => {
      for (const { place, value } of variables) {
        const write = (next: unknown): void => place.set?.(next);
        this.#note(place.key, "", {
          before: value,
          read: () => read(place),
          write,
          isSame: Object.is,
        });
      }
      for (const [object, content] of contents ?? []) {
        for (const [key, cell] of content()) this.#note(object, key, cell);
      }
    };
  }

  /** Whether the run has not touched all of it yet. */
  get isAny(): boolean {
    this.#forgetTouched();
    return this.#changed.size > 0;
  }

  /** What `look` gives while everything is as it was before the question. */
  asBefore<T>(look: () => T): T {
    const cells = [...this.#changed.values()].flatMap((own) => [...own.values()]);
    for (const { write, before } of cells.toReversed()) write(before);
    try {
      return look();
    } finally {
      for (const { write, after } of cells) write(after);
    }
  }

  /** The state is that of the run. */
  clear(): void {
    this.#changed.clear();
  }

  #note(object: unknown, key: unknown, cell: Omit<Cell, "after">): void {
    const after = cell.read();
    const own: Cells = this.#changed.get(object) ?? new Map<unknown, Cell>();
    // What an earlier part left is as it was before that one.
    const before = own.has(key) ? own.get(key)?.before : cell.before;
    if (cell.isSame(before, after)) own.delete(key);
    else own.set(key, { ...cell, before, after });
    if (own.size > 0) this.#changed.set(object, own);
    else this.#changed.delete(object);
  }

  #forgetTouched(): void {
    for (const [object, own] of this.#changed) {
      for (const [key, cell] of own) if (!cell.isSame(cell.read(), cell.after)) own.delete(key);
      if (own.size === 0) this.#changed.delete(object);
    }
  }

  /** Of all objects that can be reached: how to find what of each has changed. */
  #contents(places: readonly StatePlace[]): Map<object, () => Changes> | undefined {
    const found = new Set<object>();
    const add = (value: unknown): void => {
      if (typeof value === "object" && value !== null && !hasTraps(value)) found.add(value);
    };
    for (const place of places) add(read(place));
    const contents = new Map<object, () => Changes>();
    let elements = 0;
    // A set gives what is added to it meanwhile, too.
    for (const object of found) {
      const { size, values, changes } = this.#contentOf(object);
      elements += size;
      if (found.size > OBJECTS_MAX || elements > ELEMENTS_MAX) return undefined;
      for (const value of values) add(value);
      contents.set(object, changes);
    }
    return contents;
  }

  #contentOf(object: object): Content {
    if (ArrayBuffer.isView(object)) return contentOfView(object);
    if (Array.isArray(object)) return contentOfArray(object as unknown[]);
    if (object instanceof Map) {
      const { size } = object;
      return contentOfCollection(object, size, () => [...object.entries()].flat(), fillMap);
    }
    if (object instanceof Set) {
      return contentOfCollection(object, object.size, () => [...object], fillSet);
    }
    return this.#contentOfObject(object as { [name: PropertyKey]: unknown });
  }

  #contentOfObject(object: { [name: PropertyKey]: unknown }): Content {
    const names = ownNames(object);
    const values = names.map((name) => object[name]);
    const fields = this.#classes.fieldsIn(object);
    const held = fields.map((field) => field.get(object));
    const changes = function* (): Changes {
      const cellOf = (name: PropertyKey, before: unknown): [unknown, Omit<Cell, "after">] => [
        name,
        {
          before,
          isSame: Object.is,
          read: () => (Object.hasOwn(object, name) ? object[name] : ABSENT),
          write: (value) => {
            if (value === ABSENT) Reflect.deleteProperty(object, name);
            else Reflect.set(object, name, value);
          },
        },
      ];
      for (const [at, name] of names.entries()) {
        if (!Object.is(values[at], object[name])) yield cellOf(name, values[at]);
      }
      const known = new Set(names);
      for (const name of ownNames(object)) if (!known.has(name)) yield cellOf(name, ABSENT);
      for (const [at, { get, set }] of fields.entries()) {
        const write = (value: unknown): void => set(object, value);
        if (Object.is(held[at], get(object))) continue;
        const isSame = Object.is;
        yield [fields[at], { before: held[at], read: () => get(object), write, isSame }];
      }
    };
    return { size: names.length, values: [...values, ...held], changes };
  }
}

type Changes = Iterable<readonly [key: unknown, cell: Omit<Cell, "after">]>;

/** What an object holds now, and later what of it is not so any more. */
interface Content {
  readonly size: number;
  readonly values: readonly unknown[];
  readonly changes: () => Changes;
}

function contentOfArray(array: unknown[]): Content {
  const before = array.slice();
  const changes = function* (): Changes {
    if (array.length !== before.length) {
      const write = (value: unknown): void => {
        array.splice(0, array.length, ...(value as unknown[]));
      };
      yield ["", { before, read: () => array.slice(), write, isSame: hasSameValues }];
      return;
    }
    for (const [at, value] of before.entries()) {
      if (Object.is(value, array[at])) continue;
      const write = (next: unknown): void => {
        array[at] = next;
      };
      yield [at, { before: value, read: () => array[at], write, isSame: Object.is }];
    }
  };
  return { size: before.length, values: before, changes };
}

function contentOfView(view: ArrayBufferView): Content {
  const bytes = (): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const before = bytes().slice();
  const changes = function* (): Changes {
    const write = (value: unknown): void => bytes().set(value as Uint8Array);
    if (hasSameBytes(before, bytes())) return;
    yield ["", { before, read: () => bytes().slice(), write, isSame: hasSameBytes }];
  };
  return { size: before.length / 8, values: [], changes };
}

function contentOfCollection<T extends object>(
  object: T,
  size: number,
  list: () => unknown[],
  fill: (object: T, values: readonly unknown[]) => void,
): Content {
  const before = list();
  const changes = function* (): Changes {
    const write = (value: unknown): void => fill(object, value as unknown[]);
    if (hasSameValues(before, list())) return;
    yield ["", { before, read: list, write, isSame: hasSameValues }];
  };
  return { size, values: before, changes };
}

function fillMap(map: Map<unknown, unknown>, values: readonly unknown[]): void {
  map.clear();
  for (let at = 0; at < values.length; at += 2) map.set(values[at], values[at + 1]);
}

function fillSet(set: Set<unknown>, values: readonly unknown[]): void {
  set.clear();
  for (const value of values) set.add(value);
}

/** Getters may do anything: only what is held is looked at. */
function ownNames(object: object): PropertyKey[] {
  return Reflect.ownKeys(object).filter((name) => {
    return Object.getOwnPropertyDescriptor(object, name)?.writable === true;
  });
}

function hasSameBytes(one: unknown, other: unknown): boolean {
  return Buffer.compare(one as Uint8Array, other as Uint8Array) === 0;
}

function hasSameValues(one: unknown, other: unknown): boolean {
  const [these, those] = [one as unknown[], other as unknown[]];
  return these.length === those.length && these.every((value, at) => Object.is(value, those[at]));
}

function read(place: StatePlace): unknown {
  try {
    return place.get();
  } catch {
    return ABSENT;
  }
}

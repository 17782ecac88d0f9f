/**
 * @file Flags that say whether a model trains or is evaluated, found in the captured state by their
 * names.
 */
import { hasTraps } from "../adapters/index.ts";
import type { StatePlace } from "../adapters/index.ts";
import { flagKind } from "../format/index.ts";

/** Objects looked at; a model with more is looked at in part. */
const OBJECTS_MAX = 20_000;

/** A flag of an object, and the value that it had. */
export interface Flag {
  readonly object: object;
  readonly name: string;
  readonly value: unknown;
  readonly read: () => unknown;
  readonly set: (value: unknown) => void;
}

/** Notes all flags that can be reached from the places. */
export function noteTrainingFlags(places: readonly StatePlace[]): readonly Flag[] {
  const flags: Flag[] = [];
  const found = new Set<object>();
  const find = (values: Iterable<unknown>): void => {
    for (const value of values) {
      if (found.size >= OBJECTS_MAX) return;
      if (isWalked(value)) found.add(value);
    }
  };
  find(places.map((place) => readFlagQuietly(() => place.get())));
  const inherited = new InheritedNames();
  // A set gives what is added to it meanwhile, too.
  for (const object of found) {
    for (const flag of flagsOf(object, inherited)) flags.push(flag);
    find(contentOf(object));
  }
  return flags;
}

/** Sets back those that changed. */
export function setBackFlags(flags: readonly Flag[]): void {
  for (const { read, set, value } of flags) if (read() !== value) set(value);
}

function isWalked(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !hasTraps(value)
  );
}

function contentOf(object: object): Iterable<unknown> {
  if (Array.isArray(object)) return object as unknown[];
  if (object instanceof Map) return contentOfMap(object);
  if (object instanceof Set) return object as Set<unknown>;
  // Getters may do anything: only what is held is looked at.
  return Object.getOwnPropertyNames(object).map((name): unknown => {
    return Object.getOwnPropertyDescriptor(object, name)?.value;
  });
}

function* contentOfMap(map: Map<unknown, unknown>): Iterable<unknown> {
  yield* map.keys();
  yield* map.values();
}

/** The flags of one object; a pair of accessors that its class has counts too. */
function flagsOf(object: object, inherited: InheritedNames): Flag[] {
  const names = [
    ...flagNames(object),
    ...inherited.of(Object.getPrototypeOf(object) as object | null),
  ];
  if (names.length === 0) return [];
  return [...new Set(names)].flatMap((name) => {
    const get = (): unknown => (object as { readonly [name: string]: unknown })[name];
    const read = (): unknown => readFlagQuietly(get);
    const value = read();
    if (typeof value !== flagKind(name)) return [];
    const set = (next: unknown): void => {
      readFlagQuietly(() => Reflect.set(object, name, next));
    };
    return [{ object, name, value, read, set }];
  });
}

/** What a prototype has of such names, with those that it inherits: looked at once for all its objects. */
class InheritedNames {
  readonly #known = new Map<object, readonly string[]>();

  of(prototype: object | null): readonly string[] {
    if (!prototype || prototype === Object.prototype || prototype === Array.prototype) return [];
    const known = this.#known.get(prototype);
    if (known) return known;
    const above = this.of(Object.getPrototypeOf(prototype) as object | null);
    const names = [...flagNames(prototype), ...above];
    this.#known.set(prototype, names);
    return names;
  }
}

/** By name: objects of a program have few names between them. */
const sounding = new Map<string, boolean>();
const NAMES_MAX = 10_000;

function soundsLikeFlag(name: string): boolean {
  const known = sounding.get(name);
  if (known !== undefined) return known;
  const sounds = flagKind(name) !== undefined;
  if (sounding.size < NAMES_MAX) sounding.set(name, sounds);
  return sounds;
}

/** Names of its own that sound like a flag and can be set. */
function flagNames(object: object): string[] {
  return Object.getOwnPropertyNames(object).filter((name) => {
    if (!soundsLikeFlag(name)) return false;
    const property = Object.getOwnPropertyDescriptor(object, name);
    return property?.writable === true || (property?.get && property.set) !== undefined;
  });
}

/** Accessors of the program may throw: a name before its declaration, a getter. */
function readFlagQuietly(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

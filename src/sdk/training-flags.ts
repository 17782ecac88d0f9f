/**
 * @file Flags that say whether a model trains or is evaluated, found in the captured state by their
 * names: no framework of the language has one convention, and programs write their own.
 */
import type { StatePlace } from "../adapters/index.ts";

/** `training`, `isTraining`, `_training`, `is_training`; `train`, `eval`, … */
const FLAG = /^[_$]?(?:is_?)?(?:training|train|eval|evaluating|evaluation|inference)$/i;
/** `mode = "train"` */
const MODE = /^[_$]?(?:mode|phase)$/i;
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
  // A set gives what is added to it meanwhile, too.
  for (const object of found) {
    flags.push(...flagsOf(object));
    find(contentOf(object));
  }
  return flags;
}

/** Sets back those that changed. */
export function setBackFlags(flags: readonly Flag[]): void {
  for (const { read, set, value } of flags) if (read() !== value) set(value);
}

function isWalked(value: unknown): value is object {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
}

function contentOf(object: object): Iterable<unknown> {
  if (Array.isArray(object)) return object as unknown[];
  if (object instanceof Map) return contentOfMap(object);
  if (object instanceof Set) return object as Set<unknown>;
  // Getters may do anything: only what is held is looked at.
  return Object.values(Object.getOwnPropertyDescriptors(object)).map(({ value }): unknown => value);
}

function* contentOfMap(map: Map<unknown, unknown>): Iterable<unknown> {
  yield* map.keys();
  yield* map.values();
}

/** The flags of one object; a pair of accessors that its class has counts too. */
function flagsOf(object: object): Flag[] {
  const names = new Set<string>();
  for (let owner: object | null = object; owner; owner = Object.getPrototypeOf(owner) as object) {
    if (owner === Object.prototype || owner === Array.prototype) break;
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (property.writable || (property.get && property.set)) names.add(name);
    }
  }
  return [...names].flatMap((name) => {
    if (!FLAG.test(name) && !MODE.test(name)) return [];
    const get = (): unknown => (object as { readonly [name: string]: unknown })[name];
    const read = (): unknown => readFlagQuietly(get);
    const value = read();
    const isFlag = FLAG.test(name) ? typeof value === "boolean" : typeof value === "string";
    if (!isFlag) return [];
    const set = (next: unknown): void => {
      readFlagQuietly(() => Reflect.set(object, name, next));
    };
    return [{ object, name, value, read, set }];
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

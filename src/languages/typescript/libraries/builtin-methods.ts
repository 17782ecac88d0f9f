/**
 * @file Methods of the language's own objects, by name: arrays, typed arrays, Maps, Sets, promises,
 * iterators, dates. One table serves all kinds, since a name means the same on each that has it.
 */
import type { CallEffect } from "./described-effect.ts";
import { entryEffect } from "./described-effect.ts";
import { languageDescription, methodEntry } from "./javascript-descriptions.ts";

/** What a method of an object of the language does; undefined: it has no such method. */
export function builtinMethod(name: string): CallEffect | undefined {
  const entry = languageDescription().methods.find(name);
  return entry && entryEffect(entry, "call");
}

/** Names of all methods that objects of the language have. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    Array,
    Map,
    Set,
    WeakMap,
    Date,
    RegExp,
    Promise,
    ArrayBuffer,
    DataView,
    Object.getPrototypeOf(Uint8Array) as { prototype: object },
    Buffer,
    TextEncoder,
    TextDecoder,
    URL,
    URLSearchParams,
    AbortController,
    AbortSignal,
    FinalizationRegistry,
  ].flatMap(({ prototype }) => methodsOf(prototype)),
);

function methodsOf(prototype: object): string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  return own.flatMap(([name, { value }]) => (typeof value === "function" ? name : []));
}

/** Whether objects of the language have such a method: what the tables lack may do anything. */
export function isBuiltinName(name: string): boolean {
  return KNOWN.has(name) && !(name in Object.prototype);
}

/** Methods of texts and numbers, which are no objects: what they make, whom they call. */
export function textMethod(name: string): CallEffect | undefined {
  const entry = methodEntry("text", name);
  return entry && entryEffect(entry, "call");
}

/** Whether it is one of texts that moves, or sets back, the regular expression that it is given. */
export function searches(name: string): boolean {
  return methodEntry("text", name)?.words.has("searches") === true;
}

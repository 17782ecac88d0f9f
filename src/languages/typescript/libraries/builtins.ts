/**
 * @file Methods of the language's own objects, by name: arrays, typed arrays, Maps, Sets, promises,
 * iterators, dates. One table serves all kinds, since a name means the same on each that has it.
 */
import type { Effect } from "./effect.ts";
import { ARRAY_OF_CONTENT, NOTHING } from "./effect.ts";

const ITEM: Effect["calls"] = [["content"], [], ["receiver"]];
const PAIR_ITEM: Effect["calls"] = [["content"], ["content"], ["receiver"]];
const FOLD: Effect["calls"] = [["arguments", "content", "results"], ["content"], [], ["receiver"]];
const COMPARE: Effect["calls"] = [["content"], ["content"]];
const LOOKUP: Effect = { compares: true };
const CHANGED: Effect = { mutates: ["receiver"] };
const ONE: Effect = { returns: ["content"] };
const TAKEN: Effect = { mutates: ["receiver"], returns: ["content"] };
const ALL: Effect = { makes: "iterator", holds: ["content"] };
const MOVED: Effect = { mutates: ["receiver"], puts: ["content"], returns: ["receiver"] };

const TABLE: readonly (readonly [names: string, effect: Effect])[] = [
  // Arrays and typed arrays.
  ["push unshift", { mutates: ["receiver"], puts: ["arguments"] }],
  ["pop shift", { ...TAKEN, puts: ["content"] }],
  [
    "splice",
    { ...MOVED, puts: ["arguments", "content"], returns: [], makes: "array", holds: ["content"] },
  ],
  ["sort", { ...MOVED, calls: COMPARE }],
  ["reverse copyWithin", MOVED],
  ["fill", { ...MOVED, puts: ["arguments"] }],
  ["at find findLast", { ...ONE, calls: ITEM }],
  ["map", { calls: ITEM, makes: "same", holds: ["results"] }],
  ["flatMap", { calls: ITEM, makes: "array", holds: ["results", "content"] }],
  ["filter", { calls: ITEM, makes: "same", holds: ["content"] }],
  ["slice toReversed with", { makes: "same", holds: ["content", "arguments"] }],
  ["toSorted", { calls: COMPARE, makes: "same", holds: ["content"] }],
  ["toSpliced concat flat", { makes: "array", holds: ["content", "arguments", "fields"] }],
  ["forEach", { calls: PAIR_ITEM }],
  ["some every findIndex findLastIndex", { calls: ITEM }],
  ["reduce reduceRight", { calls: FOLD, returns: ["arguments", "content", "results"] }],
  ["join", { converts: ["content"] }],
  ["includes indexOf lastIndexOf", LOOKUP],
  ["values keys @@iterator", ALL],
  ["entries", { makes: "iterator", holds: ["content"], pairs: true }],
  ["subarray", { returns: ["receiver"] }],
  // Maps and Sets; `set` and `get` also of typed arrays and DataViews.
  ["set", { mutates: ["receiver"], puts: ["arguments"], returns: ["receiver"], compares: true }],
  ["add", { mutates: ["receiver"], puts: ["arguments"], returns: ["receiver"], compares: true }],
  ["get deref", { ...ONE, compares: true }],
  ["has", LOOKUP],
  ["delete clear", { ...CHANGED, compares: true }],
  [
    "union intersection difference symmetricDifference",
    { makes: "set", holds: ["content", "elements"] },
  ],
  ["isSubsetOf isSupersetOf isDisjointFrom", NOTHING],
  // Iterators and generators; `next` runs the body of a generator, which the solver does itself.
  ["take drop toArray", { ...ARRAY_OF_CONTENT, mutates: ["receiver"] }],
  // Regular expressions remember where they were.
  ["exec", { mutates: ["receiver"], makes: "array" }],
  ["test compile", CHANGED],
  ["hasOwnProperty isPrototypeOf propertyIsEnumerable valueOf toString toLocaleString", NOTHING],
  ["toJSON toISOString toDateString toTimeString toUTCString toLocaleDateString", NOTHING],
];

const METHODS = new Map(
  TABLE.flatMap(([names, effect]) => names.split(" ").map((name) => [name, effect] as const)),
);

/** What a method of an object of the language does; undefined: it has no such method. */
export function builtinMethod(name: string): Effect | undefined {
  const known = METHODS.get(name);
  if (known) return known;
  // Dates, typed arrays by way of a DataView, buffers: the verb says it.
  if (/^(?:set|write|swap|copy|resize|transfer)[A-Z0-9]?/.test(name)) {
    return { mutates: ["receiver", "arguments"] };
  }
  return /^(?:get|read|to)[A-Z]/.test(name) ? NOTHING : undefined;
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
  ].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)),
);

/** Whether objects of the language have such a method: what the tables lack may do anything. */
export function isBuiltinName(name: string): boolean {
  return KNOWN.has(name) && !(name in Object.prototype);
}

/** Methods of texts that move, or set back, the regular expression that they are given. */
export const SEARCHES: ReadonlySet<string> = new Set([
  "match",
  "matchAll",
  "replace",
  "replaceAll",
  "search",
  "split",
]);

/** Methods of texts and numbers, which are no objects: what they make, whom they call. */
export const TEXT_METHODS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ["split", { makes: "array" }],
  ["match", { makes: "array" }],
  ["matchAll", { makes: "iterator", pairs: true }],
  ["replace", { calls: [] }],
  ["replaceAll", { calls: [] }],
  ["@@iterator", { makes: "iterator" }],
]);

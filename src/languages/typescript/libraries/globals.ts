/** @file Functions and classes that every program has: `Math`, `Object`, `Array`, timers. */
import type { Effect, Library } from "./effect.ts";
import { NOTHING } from "./effect.ts";

const CALLED_LATER: Effect = {
  calls: [["arguments"]],
  when: "later",
  makes: "opaque",
  path: "handle",
};
const COPY: Effect = { makes: "opaque", path: "data", holds: ["self"] };
const TYPED: Effect = { makes: "typed", holds: ["arguments"] };
const SETTLED: Effect = { makes: "promise", holds: ["arguments", "elements"] };

const CALLS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ["Object.assign", { mutates: ["first"], puts: ["fields"], into: "first", returns: ["first"] }],
  ["Object.freeze", { returns: ["first"] }],
  ["Object.seal", { returns: ["first"] }],
  ["Object.preventExtensions", { returns: ["first"] }],
  ["Object.keys", { makes: "array" }],
  ["Object.getOwnPropertyNames", { makes: "array" }],
  ["Object.values", { makes: "array", holds: ["fields"] }],
  ["Object.entries", { makes: "array", holds: ["fields"], pairs: true }],
  ["Object.fromEntries", { makes: "plain", holds: ["elements", "fields"] }],
  ["Object.create", { makes: "plain", holds: ["arguments", "fields"] }],
  ["Object.is", NOTHING],
  ["Object.hasOwn", NOTHING],
  ["Object.getPrototypeOf", { returns: ["first", "fields"] }],
  ["Object.groupBy", { makes: "plain", holds: ["elements", "self"], calls: [["elements"]] }],
  ["Object", { returns: ["first"], makes: "plain" }],
  ["Array.from", { makes: "array", holds: ["elements", "results"], calls: [["elements"]] }],
  ["Array.of", { makes: "array", holds: ["arguments"] }],
  ["Array.isArray", NOTHING],
  ["Array", { makes: "array", holds: ["arguments"] }],
  ["Map", { makes: "map", holds: ["elements", "fields"] }],
  ["WeakMap", { makes: "map", holds: ["elements", "fields"] }],
  ["Set", { makes: "set", holds: ["elements"] }],
  ["WeakSet", { makes: "set", holds: ["elements"] }],
  ["WeakRef", { makes: "map", holds: ["arguments"] }],
  ["ArrayBuffer", { makes: "buffer" }],
  ["SharedArrayBuffer", { makes: "buffer" }],
  ["Promise.all", { makes: "promise", holds: ["arguments", "elements"] }],
  ["Promise.allSettled", { makes: "promise", holds: ["arguments", "elements"] }],
  ["Promise.race", SETTLED],
  ["Promise.any", SETTLED],
  ["Promise.resolve", SETTLED],
  ["Promise.reject", SETTLED],
  ["Promise", { makes: "promise", holds: ["arguments"], calls: [] }],
  ["structuredClone", COPY],
  ["JSON.parse", { ...COPY, calls: [[], ["self"]] }],
  ["JSON.stringify", { calls: [[], ["arguments", "fields"]], converts: ["arguments", "fields"] }],
  ["setTimeout", CALLED_LATER],
  ["setInterval", CALLED_LATER],
  ["setImmediate", CALLED_LATER],
  ["queueMicrotask", CALLED_LATER],
  ["process.nextTick", CALLED_LATER],
  ["process.on", CALLED_LATER],
  ["process.once", CALLED_LATER],
  ["fetch", { makes: "promise", holds: ["self"] }],
  ["Buffer.from", { makes: "typed", path: "slices", holds: ["arguments"] }],
  ["crypto.getRandomValues", { mutates: ["first"], returns: ["first"] }],
  ["Atomics.store", { mutates: ["first"] }],
  ["Atomics.add", { mutates: ["first"] }],
  ["Atomics.sub", { mutates: ["first"] }],
  ["Atomics.exchange", { mutates: ["first"] }],
  ["Atomics.compareExchange", { mutates: ["first"] }],
  ["Reflect.get", { returns: ["fields"] }],
  ["Reflect.has", NOTHING],
  ["Reflect.ownKeys", { makes: "array" }],
]);

/** Whole families whose functions change nothing and give no object. */
const HARMLESS =
  /^(?:Math|console|Number|String|BigInt|Boolean|Symbol|Intl|performance|URLSearchParams)(?:\.|$)|^(?:parseInt|parseFloat|isNaN|isFinite|encodeURIComponent|decodeURIComponent|encodeURI|decodeURI|atob|btoa|clearTimeout|clearInterval|clearImmediate)$|^(?:Date\.(?:now|UTC|parse)|crypto\.randomUUID|ArrayBuffer\.isView|Buffer\.(?:isBuffer|byteLength|compare))$|^process\.(?:exit|cwd|hrtime|uptime|memoryUsage|cpuUsage|abort|stdout\.\w+|stderr\.\w+|hrtime\.\w+)$/;
const TYPED_ARRAY =
  /^(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array(?:\.(?:from|of))?$|^DataView$|^Buffer\.(?:alloc|allocUnsafe|concat|of)$/;
/** Functions that make a text or a number of what they get. */
const CONVERTS = /^(?:Math\.\w+|Number|String|BigInt|parseInt|parseFloat|isNaN|isFinite)$/;
const ERROR = /^(?:\w*Error|DOMException)$/;
const VALUE = /^(?:Date|RegExp|URL|TextEncoder|TextDecoder|AbortController|FinalizationRegistry)$/;

export const GLOBALS: Library = {
  call(path, how) {
    const known = CALLS.get(path);
    if (known) return known;
    if (TYPED_ARRAY.test(path)) {
      if (path.startsWith("Buffer.")) return { ...TYPED, path: "slices" };
      return path.endsWith(".from") ? { makes: "typed", calls: [["elements"]] } : TYPED;
    }
    if (ERROR.test(path)) return { makes: "plain", holds: ["arguments", "fields"] };
    if (VALUE.test(path)) return how === "new" ? { makes: "date" } : NOTHING;
    if (CONVERTS.test(path)) return { converts: ["arguments"] };
    return HARMLESS.test(path) ? NOTHING : undefined;
  },
  /** Data that was read or copied: objects and arrays, all its own. */
  method: () => undefined,
};

/**
 * @file What can only compute, by name: it gives the same for the same arguments, in any process with
 * the same Node, apart from `Math.random`, whose generator a restore sets. A name that is not here
 * proves nothing.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Of the language itself. */
export const GLOBALS: ReadonlySet<string> = words(`
  Math Number String Boolean Array Object Map Set JSON BigInt Infinity NaN undefined isNaN isFinite
  parseInt parseFloat Float32Array Float64Array Int8Array Uint8Array Uint8ClampedArray Int16Array
  Uint16Array Int32Array Uint32Array Error TypeError RangeError console structuredClone arguments`);

/** Methods of the language's own objects, whatever they are called on, and functions of `Math`. */
const METHODS = words(`
  push pop shift unshift splice slice concat map filter reduce reduceRight forEach some every find
  findIndex findLast findLastIndex includes indexOf lastIndexOf join sort reverse fill flat flatMap
  at keys values entries set get has delete add clear toFixed toPrecision toString padStart padEnd
  split trim trimStart trimEnd toUpperCase toLowerCase startsWith endsWith replace replaceAll repeat
  charCodeAt charAt codePointAt subarray toSorted toReversed toSpliced with copyWithin
  log info debug warn error from of isArray assign fromEntries freeze stringify parse fromCharCode
  isInteger isFinite isNaN isSafeInteger abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32
  cos cosh exp expm1 floor fround hypot imul log10 log1p log2 max min pow random round sign sin sinh
  sqrt tan tanh trunc`);

/** Of these, those that change what they are called on, or are given. */
const CHANGING = words(
  "push pop shift unshift splice sort reverse fill set delete add clear copyWithin assign freeze random",
);

export function isComputing(method: string): boolean {
  return METHODS.has(method);
}

export function isReading(method: string): boolean {
  return METHODS.has(method) && !CHANGING.has(method);
}

/** Something else may run in between, or code and prototypes are changed: nobody can follow it. */
export const HIDING: ReadonlySet<string> = words(`
  eval Function Proxy Reflect globalThis window global prototype __proto__
  defineProperty defineProperties setPrototypeOf __defineGetter__ setTimeout setInterval setImmediate
  queueMicrotask nextTick Promise then Worker worker_threads child_process cluster WeakRef
  FinalizationRegistry SharedArrayBuffer Atomics on once addListener addEventListener emit postMessage
  caller callee`);

/** Methods that are called without being named. */
export const IMPLICIT: ReadonlySet<string> = words(
  "valueOf toString toJSON toPrimitive iterator asyncIterator hasInstance species",
);

/** Of Afterlog itself. */
export const AFTERLOG: ReadonlySet<string> = words("log loop range arg checkpointing");

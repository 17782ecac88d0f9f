/**
 * @file What is built in and takes no time of its own: arithmetic, arrays, Maps and Sets, texts.
 * Which loops are worth a record is decided by it, never what a loop changes.
 */

const OBJECTS = new Set(
  (
    "Math Number String Boolean BigInt Symbol Object Array JSON Date RegExp Reflect Atomics " +
    "Map Set WeakMap WeakSet WeakRef ArrayBuffer SharedArrayBuffer DataView Intl " +
    "Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
    "BigInt64Array BigUint64Array Float32Array Float64Array Float16Array Buffer " +
    "Error TypeError RangeError SyntaxError EvalError ReferenceError AggregateError " +
    "isNaN isFinite parseInt parseFloat structuredClone performance console"
  ).split(" "),
);

const METHODS = new Set(
  (
    "push pop shift unshift splice sort reverse fill copyWithin at map flatMap filter slice concat " +
    "flat toReversed toSorted toSpliced with forEach some every find findLast findIndex " +
    "findLastIndex reduce reduceRight join includes indexOf lastIndexOf keys values entries " +
    "subarray set get has add delete clear next charAt charCodeAt codePointAt split trim " +
    "trimStart trimEnd padStart padEnd repeat replace replaceAll startsWith endsWith toFixed " +
    "toPrecision toExponential toString toLowerCase toUpperCase toLocaleString localeCompare " +
    "substring normalize match matchAll search test exec getTime toISOString valueOf " +
    "hasOwnProperty getFloat32 getFloat64 getInt32 getUint32 setFloat32 setFloat64 setInt32 setUint32"
  ).split(" "),
);

/** Methods that tensors of the known packages have as well, and that then compute. */
const OF_TENSORS = new Set("add concat reverse slice split at flat fill repeat".split(" "));

const CALLBACKS = new Set(
  (
    "sort map flatMap filter toSorted forEach some every find findLast findIndex findLastIndex " +
    "reduce reduceRight"
  ).split(" "),
);

/** `path`: as the analysis names what is from outside, `global|Math.floor`. */
export function isLightNative(path: string): boolean {
  const [root, members = ""] = path.split("|");
  return root === "global" && OBJECTS.has(members.split(".")[0] ?? "");
}

/** Whether a method of that name is one of the language's own objects, as far as a name tells. */
export function isLightMethod(name: string, usesPackages: () => boolean): boolean {
  return METHODS.has(name) && !(OF_TENSORS.has(name) && usesPackages());
}

/** Whether such a method calls what it is given. */
export function takesFunctions(name: string): boolean {
  return CALLBACKS.has(name);
}

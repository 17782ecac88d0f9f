/**
 * @file jax-js arrays: immutable, reference-counted, consumed by use. Reading goes through `.ref`,
 * so that the count is afterwards what it was. A pytree is plain data with arrays in it.
 */
import { AfterlogError, copyBytes } from "../../format/index.ts";
import type { Dtype } from "../../format/index.ts";
import type { Adapter, NodeOf, NodeReader } from "../adapter.ts";
import { isLazy, lazyBytes, lazyConstant } from "./jax-lazy.ts";

type TensorNode = NodeOf<"tensor">;

export interface JaxArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly size: number;
  readonly weakType: boolean;
  readonly device: string;
  readonly refCount: number;
  /** The array itself, with one more reference. */
  readonly ref: JaxArray;
  dataSync(): ArrayBufferView;
  dispose(): void;
  astype(dtype: string): JaxArray;
  reshape(shape: readonly number[]): JaxArray;
  _realizeSource?(): unknown;
  /** Moves the array; what the "device" is asked for is up to the caller. */
  _putSync?(backend: { readonly type: string | undefined }): JaxArray;
}

interface JaxOptions {
  readonly shape?: readonly number[];
  readonly dtype?: string;
  readonly device?: string;
}

interface JaxModule {
  readonly Array: Function;
  readonly defaultDevice: () => string;
  readonly numpy: {
    array(values: ArrayBufferView | number, options?: JaxOptions): JaxArray;
    zeros(shape: readonly number[], options?: JaxOptions): JaxArray;
    full(shape: readonly number[], value: number, options?: JaxOptions): JaxArray;
    fullLike(like: JaxArray, value: number, options?: JaxOptions): JaxArray;
  };
}

const FRAMEWORK = "jax-js";
const PACKAGE = "@jax-js/jax";

/** How jax-js lays out its types; a boolean takes four bytes. */
const DTYPES: Readonly<{ [dtype: string]: Dtype }> = {
  float32: "F32",
  float64: "F64",
  float16: "F16",
  int32: "I32",
  uint32: "U32",
  bool: "I32",
};

const BYTES: Readonly<{ [dtype: string]: number }> = { float64: 8, float16: 2 };

export function isJaxArray(value: unknown): value is JaxArray {
  return (
    typeof value === "object" &&
    value !== null &&
    "dataSync" in value &&
    typeof value.dataSync === "function" &&
    "refCount" in value &&
    typeof value.refCount === "number" &&
    "ref" in value &&
    "aval" in value
  );
}

/** Element type in the file; `undefined` for a type that cannot be read on this Node. */
export function jaxDtype(array: JaxArray): Dtype | undefined {
  if (array.dtype === "float16" && !("Float16Array" in globalThis)) return undefined;
  return DTYPES[array.dtype];
}

function byteSize(array: JaxArray): number {
  return array.size * (BYTES[array.dtype] ?? 4);
}

/** The bytes, row-major, in memory of their own. Consumes nothing and evaluates nothing in place. */
export function jaxBytes(array: JaxArray): Uint8Array {
  if (array.size === 0) return new Uint8Array(0);
  const data = isLazy(array) ? lazyBytes(array) : readData(array);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function readData(array: JaxArray): ArrayBufferView {
  const held = array.ref;
  const { refCount } = array;
  try {
    return held.dataSync();
  } finally {
    // `dataSync` takes the reference only when it succeeds.
    if (array.refCount === refCount) held.dispose();
  }
}

function flagsOf(array: JaxArray): { flags?: { [flag: string]: boolean | number | string } } {
  const constant = lazyConstant(array);
  const flags = {
    ...(array.weakType ? { weakType: true } : {}),
    // Two holders own two references: one new array has to have as many.
    ...(array.refCount === 1 ? {} : { references: array.refCount }),
    ...(constant === undefined ? {} : { constant: constantText(constant) }),
  };
  return Object.keys(flags).length === 0 ? {} : { flags };
}

/** Exact for every double, also where JSON has no number. */
function constantText(constant: number): string {
  return Object.is(constant, -0) ? "-0" : String(constant);
}

/** The module whose arrays the program uses. */
function jaxModule(reader: NodeReader): JaxModule {
  const known = reader.memo.get(PACKAGE) as JaxModule | undefined;
  if (known !== undefined) return known;
  const found = findModule(reader);
  reader.memo.set(PACKAGE, found);
  return found;
}

function findModule(reader: NodeReader): JaxModule {
  const live = reader.find(isJaxArray);
  let first: JaxModule | undefined;
  for (const candidate of reader.modules(PACKAGE) as Iterable<JaxModule>) {
    if (live === undefined || live.constructor === candidate.Array) return candidate;
    first ??= candidate;
  }
  throw new AfterlogError(
    "AL071",
    first === undefined
      ? `the checkpoint holds arrays of ${PACKAGE}, which cannot be found`
      : `the checkpoint holds arrays of ${PACKAGE}, and the program uses another copy of it`,
    { help: [`install ${PACKAGE} once, where the program can import it`] },
  );
}

function newArray(node: TensorNode, reader: NodeReader): JaxArray {
  const jax = jaxModule(reader);
  const { shape, dtype, flags } = node;
  // Naming the device would commit the array to it; the default needs no name.
  const elsewhere = node.device !== undefined && node.device !== jax.defaultDevice();
  const device = elsewhere ? { device: node.device } : {};
  const weak = flags?.["weakType"] === true;
  if (flags?.["constant"] !== undefined) {
    const constant = Number(flags["constant"]);
    if (!weak) return jax.numpy.full(shape, constant, { dtype, ...device });
    return jax.numpy.fullLike(weakSeed(jax, dtype), constant, { shape, ...device });
  }
  const size = shape.reduce((product, length) => product * length, 1);
  if (size === 0) return jax.numpy.zeros(shape, { dtype, ...device });
  const data = typedArray(reader.bytes(node.tensor), dtype, reader);
  const array = weak
    ? weakArray(jax, data, node, reader)
    : withFloat16(() => jax.numpy.array(data, { shape, dtype, ...device }));
  // Few equal values would be a lazy constant again, which this array was not.
  array._realizeSource?.();
  return array;
}

/** A weakly typed scalar: only numbers without a type make one. */
function weakSeed(jax: JaxModule, dtype: string): JaxArray {
  return jax.numpy.array(0).astype(dtype);
}

/** A class of nothing. */
const Placeholder = function Float16Array(): void {};

/**
 * jax-js 0.1.25 names `Float16Array` when it is given doubles, which Node 20 does not have: while
 * it looks, there is one that no value is an instance of.
 */
function withFloat16<T>(make: () => T): T {
  if ("Float16Array" in globalThis) return make();
  Object.defineProperty(globalThis, "Float16Array", { value: Placeholder, configurable: true });
  try {
    return make();
  } finally {
    Reflect.deleteProperty(globalThis, "Float16Array");
  }
}

/**
 * A weakly typed array with given data. No public function makes one with more than one value:
 * an array of the right shape is moved to a device, and its data is exchanged on the way.
 */
function weakArray(
  jax: JaxModule,
  data: ArrayBufferView,
  node: TensorNode,
  reader: NodeReader,
): JaxArray {
  const shell = jax.numpy.fullLike(weakSeed(jax, node.dtype), 0, { shape: node.shape });
  shell._realizeSource?.();
  Object.defineProperty(shell, "dataSync", { value: () => data });
  const array = withFloat16(() => shell._putSync?.({ type: undefined }));
  if (array === undefined || !array.weakType || array === shell) {
    throw reader.mismatch(`a weakly typed ${node.dtype} array cannot be made again`);
  }
  Reflect.deleteProperty(shell, "dataSync");
  shell.dispose();
  return array;
}

/** The bytes as jax-js wants them; it copies them at once. */
function typedArray(bytes: Uint8Array, dtype: string, reader: NodeReader): ArrayBufferView {
  const width = BYTES[dtype] ?? 4;
  const aligned = bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
  const { buffer, byteOffset } = aligned;
  const length = bytes.byteLength / width;
  switch (dtype) {
    case "float32":
      return new Float32Array(buffer, byteOffset, length);
    case "float64":
      return new Float64Array(buffer, byteOffset, length);
    case "uint32":
      return new Uint32Array(buffer, byteOffset, length);
    case "int32":
    case "bool":
      return new Int32Array(buffer, byteOffset, length);
    case "float16":
      return float16Array(new Uint8Array(bytes).buffer, reader);
    default:
      throw reader.mismatch(`it is an array of type ${dtype}, which is not known`);
  }
}

function float16Array(buffer: ArrayBuffer, reader: NodeReader): ArrayBufferView {
  const Float16 = (globalThis as { Float16Array?: new (buffer: ArrayBuffer) => ArrayBufferView })
    .Float16Array;
  if (Float16 !== undefined) return new Float16(buffer);
  throw reader.mismatch("it is a float16 array, which this Node cannot hold", "use Node 24");
}

/** An array that is alive and has these very bytes stays: the program may hold it elsewhere too. */
function isUnchanged(node: TensorNode, live: JaxArray, reader: NodeReader): boolean {
  return (
    live.refCount > 0 &&
    live.dtype === node.dtype &&
    live.weakType === (node.flags?.["weakType"] === true) &&
    String(live.shape) === String(node.shape) &&
    flagsOf(live).flags?.["constant"] === node.flags?.["constant"] &&
    jaxDtype(live) !== undefined &&
    Buffer.compare(jaxBytes(live), reader.bytes(node.tensor)) === 0
  );
}

export const jaxAdapter: Adapter<JaxArray, TensorNode> = {
  name: "jax-js",
  matches: isJaxArray,
  write(array, writer) {
    if (array.refCount <= 0) {
      writer.refuse(
        "a jax-js array that was used up",
        "pass array.ref to what consumes it, and keep the array itself",
      );
    }
    const dtype = jaxDtype(array);
    if (dtype === undefined) return writer.refuse(`a jax-js array of type ${array.dtype}`);
    const shape = [...array.shape];
    const leaf = (): string =>
      writer.leaf({
        dtype,
        shape,
        bytes: byteSize(array),
        immutable: array,
        copyTo: (target) => copyBytes(target, jaxBytes(array)),
      });
    return {
      t: "tensor",
      framework: FRAMEWORK,
      tensor: writer.identifying ? "" : leaf(),
      dtype: array.dtype,
      shape,
      device: array.device,
      ...(writer.identifying ? {} : flagsOf(array)),
    };
  },
  reads: (node): node is TensorNode => node.t === "tensor" && node.framework === FRAMEWORK,
  allocate(wanted, live, reader) {
    const references = Number(wanted.flags?.["references"] ?? 1);
    const kept = live && isJaxArray(live) && isUnchanged(wanted, live, reader) ? live : undefined;
    const array = kept ?? newArray(wanted, reader);
    for (let count = array.refCount; count < references; count++) void array.ref;
    return array;
  },
};

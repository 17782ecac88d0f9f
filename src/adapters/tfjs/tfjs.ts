/**
 * @file What is used of TensorFlow.js, found by capability and never imported.
 *
 * Every copy of tfjs in a process shares one engine, `globalThis._tfengine` (tfjs-core 4.22,
 * `engine.ts`: getOrMakeEngine), so the engine that an existing tensor belongs to is always there.
 */
import { AfterlogError } from "../../format/index.ts";
import type { Dtype } from "../../format/index.ts";

export type TfValues = Float32Array | Int32Array | Uint8Array | readonly Uint8Array[];

export interface TfTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly size: number;
  readonly dataId: object;
  readonly isDisposed: boolean;
  dataSync(): Float32Array | Int32Array | Uint8Array;
  dispose(): void;
  variable(trainable?: boolean, name?: string): TfVariable;
}

export interface TfVariable extends TfTensor {
  trainable: boolean;
  readonly name: string;
  assign(value: TfTensor): void;
}

interface TfEngine {
  readonly state: {
    readonly registeredVariables: { [name: string]: TfVariable };
    readonly activeScope?: unknown;
  };
  makeTensor(values: TfValues, shape: readonly number[], dtype: string): TfTensor;
  keep(tensor: TfTensor): TfTensor;
  readSync(dataId: object): readonly Uint8Array[];
  runKernel(name: string, inputs: { readonly [name: string]: TfTensor }): TfTensor;
}

/** The engine of this process; throws AL071 if tfjs was never loaded. */
export function tfEngine(): TfEngine {
  const engine = (globalThis as { _tfengine?: TfEngine })._tfengine;
  if (engine !== undefined) return engine;
  throw new AfterlogError(
    "AL071",
    "the checkpoint holds tensors of TensorFlow.js, which is not loaded",
    {
      help: ["import @tensorflow/tfjs before the loop"],
    },
  );
}

export function isTfTensor(value: unknown): value is TfTensor {
  return (
    typeof value === "object" &&
    value !== null &&
    "dataSync" in value &&
    typeof value.dataSync === "function" &&
    "throwIfDisposed" in value &&
    typeof value.throwIfDisposed === "function" &&
    "dataId" in value
  );
}

export function isTfVariable(value: unknown): value is TfVariable {
  return isTfTensor(value) && "assign" in value && typeof value.assign === "function";
}

/** Element type and shape in the file: a complex number is a pair of floats. */
export function tfLayout(tensor: TfTensor): { dtype: Dtype; shape: readonly number[] } | undefined {
  switch (tensor.dtype) {
    case "float32":
      return { dtype: "F32", shape: [...tensor.shape] };
    case "int32":
      return { dtype: "I32", shape: [...tensor.shape] };
    case "bool":
      return { dtype: "BOOL", shape: [...tensor.shape] };
    case "complex64":
      return { dtype: "F32", shape: [...tensor.shape, 2] };
    default:
      return undefined;
  }
}

/** The bytes that `dataSync` gives: on some backends the tensor's own memory, so only to read. */
export function tfBytes(tensor: TfTensor): Uint8Array {
  const data = tensor.dataSync();
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Elements of a string tensor as one block: for each, its length (u32) and its bytes. */
export function packStrings(strings: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(strings.reduce((sum, { byteLength }) => sum + 4 + byteLength, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const text of strings) {
    view.setUint32(at, text.byteLength, true);
    bytes.set(text, at + 4);
    at += 4 + text.byteLength;
  }
  return bytes;
}

function unpackStrings(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const strings: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    const length = view.getUint32(at, true);
    strings.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return strings;
}

/** A new tensor with a copy of these bytes: the backend keeps the array that it is given. */
export function makeTfTensor(bytes: Uint8Array, shape: readonly number[], dtype: string): TfTensor {
  const engine = tfEngine();
  const tensor =
    dtype === "complex64"
      ? makeComplex(bytes, shape)
      : engine.makeTensor(tfValues(bytes, dtype), shape, dtype);
  // Inside `tidy` the tensor would die with the scope, and the state outlives it.
  return engine.state.activeScope === undefined || engine.state.activeScope === null
    ? tensor
    : engine.keep(tensor);
}

function tfValues(bytes: Uint8Array, dtype: string): TfValues {
  if (dtype === "string") return unpackStrings(bytes);
  const { buffer } = new Uint8Array(bytes);
  if (dtype === "int32") return new Int32Array(buffer);
  return dtype === "bool" ? new Uint8Array(buffer) : new Float32Array(buffer);
}

function makeComplex(bytes: Uint8Array, shape: readonly number[]): TfTensor {
  const engine = tfEngine();
  const pairs = new Float32Array(new Uint8Array(bytes).buffer);
  const part = (offset: 0 | 1): TfTensor =>
    engine.makeTensor(
      pairs.filter((_, i) => i % 2 === offset),
      shape,
      "float32",
    );
  const [real, imag] = [part(0), part(1)];
  const tensor = engine.runKernel("Complex", { real, imag });
  real.dispose();
  imag.dispose();
  return tensor;
}

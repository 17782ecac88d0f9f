/**
 * @file Tensor-like values as bytes, for `log`.
 */
import { AfterlogError } from "../format/index.ts";
import type { Dtype } from "../format/index.ts";
import { viewDtype } from "./buffer-registry.ts";
import { hasTraps } from "./javascript/has-traps.ts";
import { isJaxArray, jaxBytes, jaxDtype } from "./jax/jax.ts";
import type { JaxArray } from "./jax/jax.ts";
import { viewType } from "./javascript/memory.ts";
import { isTfTensor, tfBytes, tfLayout } from "./tfjs/tfjs.ts";
import type { TfTensor } from "./tfjs/tfjs.ts";

export interface TensorValue {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** Row-major, in memory of their own. */
  readonly bytes: Uint8Array;
}

/** See the door. */
export function asTensor(value: unknown): TensorValue | undefined {
  if (typeof value !== "object" || value === null || hasTraps(value)) return undefined;
  if (ArrayBuffer.isView(value)) return typedArrayTensor(value);
  if (isTfTensor(value)) return tfTensor(value);
  if (isJaxArray(value)) return jaxTensor(value);
  return undefined;
}

function typedArrayTensor(view: ArrayBufferView): TensorValue | undefined {
  const type = viewType(view);
  const dtype = type === undefined ? undefined : viewDtype(type);
  if (dtype === undefined || !("length" in view)) return undefined;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return { dtype, shape: [view.length as number], bytes: new Uint8Array(bytes) };
}

function tfTensor(tensor: TfTensor): TensorValue | undefined {
  if (tensor.isDisposed) throw disposedTensor("the tensor was disposed");
  const layout = tfLayout(tensor);
  return layout && { ...layout, bytes: new Uint8Array(tfBytes(tensor)) };
}

function jaxTensor(array: JaxArray): TensorValue | undefined {
  if (array.refCount <= 0)
    throw disposedTensor("the jax-js array was used up; log array.ref before");
  const dtype = jaxDtype(array);
  if (dtype === undefined) return undefined;
  const bytes = jaxBytes(array);
  const shape = [...array.shape];
  if (array.dtype !== "bool") return { dtype, shape, bytes };
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return { dtype: "BOOL", shape, bytes: Uint8Array.from(words, (word) => (word === 0 ? 0 : 1)) };
}

function disposedTensor(what: string): AfterlogError {
  return new AfterlogError("AL061", what, { help: ["log the value while it is alive"] });
}

/** @file A logged tensor: its bytes go to `values.bin`, its reference and statistics to the log. */
import { crc32 } from "node:zlib";
import type { TensorValue } from "../../adapters/index.ts";
import type { Dtype } from "../../format/index.ts";
import { DTYPE_BYTES, hex32, numberToJson, valueToJson } from "../../format/index.ts";

/** JSON of the reference; `keep` copies the bytes and returns their offset, if it keeps them. */
export function encodeTensor(
  tensor: TensorValue,
  keep: (bytes: Uint8Array) => number | undefined,
): string {
  const { dtype, shape, bytes } = tensor;
  const checksum = hex32(crc32(bytes));
  const stats = tensorStatistics(dtype, bytes);
  const count = bytes.byteLength;
  const offset = count === 0 ? 0 : keep(bytes);
  const kept = offset === undefined ? "" : `"offset":${offset},`;
  const place = `${kept}"bytes":${count},"crc32":"${checksum}"`;
  return `{"$":"tensor","dtype":"${dtype}","shape":${JSON.stringify(shape)},${place},"stats":${stats}}`;
}

function tensorStatistics(dtype: Dtype, bytes: Uint8Array): string {
  const count = bytes.byteLength / DTYPE_BYTES[dtype];
  const at = elementReader(dtype, bytes);
  let nan = 0;
  let min = Infinity;
  let max = -Infinity;
  let mean = 0;
  let squares = 0;
  // Welford's update: no catastrophic cancellation for values far from zero.
  for (let index = 0; index < count; index++) {
    const value = Number(at(index));
    if (Number.isNaN(value)) {
      nan++;
      continue;
    }
    if (value < min) min = value;
    if (value > max) max = value;
    const change = value - mean;
    mean += change / (index + 1 - nan);
    squares += change * (value - mean);
  }
  const seen = count - nan;
  const number = (value: number): string => (seen === 0 ? "null" : numberToJson(value));
  const spread = `"mean":${number(mean)},"std":${number(Math.sqrt(squares / seen))}`;
  const item = count === 1 ? `,"item":${valueToJson(at(0))}` : "";
  return `{"count":${count},"nan":${nan},"min":${number(min)},"max":${number(max)},${spread}${item}}`;
}

function elementReader(
  dtype: Dtype,
  bytes: Uint8Array,
): (index: number) => number | bigint | boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = DTYPE_BYTES[dtype];
  switch (dtype) {
    case "F64":
      return (index) => view.getFloat64(index * width, true);
    case "F32":
      return (index) => view.getFloat32(index * width, true);
    case "F16":
      return (index) => halfToNumber(view.getUint16(index * width, true));
    case "BF16":
      return (index) => bfloatToNumber(view.getUint16(index * width, true));
    case "I64":
      return (index) => view.getBigInt64(index * width, true);
    case "U64":
      return (index) => view.getBigUint64(index * width, true);
    case "I32":
      return (index) => view.getInt32(index * width, true);
    case "U32":
      return (index) => view.getUint32(index * width, true);
    case "I16":
      return (index) => view.getInt16(index * width, true);
    case "U16":
      return (index) => view.getUint16(index * width, true);
    case "I8":
      return (index) => view.getInt8(index);
    case "U8":
      return (index) => view.getUint8(index);
    case "BOOL":
      return (index) => view.getUint8(index) !== 0;
  }
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function bfloatToNumber(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

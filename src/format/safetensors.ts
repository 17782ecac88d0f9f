/**
 * @file The checkpoint file: a valid safetensors file that any tool opens.
 *
 * `u64 header length | JSON header, padded with spaces | data`. The data begins on a 4 KiB
 * boundary and so does every tensor of 4 KiB or more, so that a slot is written as it lies in
 * memory; the format forbids holes, so the gaps are tensors `__pad.N`. The header is written
 * last: until then its length reads 0, and a torn file is evident.
 */
import type { LoopPath } from "./path.ts";
import type { CheckpointKind } from "./records.ts";
import { AfterlogError } from "./errors.ts";

export const PAGE_BYTES = 4096;
/** Checksums are taken over pieces of this size of each tensor. */
export const CRC_CHUNK_BYTES: number = 4 << 20;
export const STRUCTURE_NAME = "__structure__";
const PAD_PREFIX = "__pad.";
const METADATA_KEY = "afterlog";
/** No header of ours is near this; a larger number in the file means damage. */
const HEADER_BYTES_MAX = 256 << 20;

/** Safetensors' names of element types. */
export type Dtype =
  | "F64"
  | "F32"
  | "F16"
  | "BF16"
  | "I64"
  | "I32"
  | "I16"
  | "I8"
  | "U64"
  | "U32"
  | "U16"
  | "U8"
  | "BOOL";

export const DTYPE_BYTES: Readonly<{ [D in Dtype]: number }> = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
};

export interface TensorSpec {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** A tensor of the file, with its place in the data and the checksum of each 4 MiB. */
export interface TensorEntry extends TensorSpec {
  readonly offset: number;
  readonly crc32: readonly string[];
}

/** A tensor that another checkpoint file of the run holds, unchanged since. */
export interface HeldTensor extends TensorSpec {
  readonly file: string;
  readonly crc32: readonly string[];
}

/** What the file says of itself, under the key `afterlog` of `__metadata__`. */
export interface CheckpointMetadata {
  readonly format: 1;
  readonly run: string;
  readonly kind: CheckpointKind;
  readonly path: LoopPath;
  readonly seq: number;
  readonly stateHash: string;
  readonly held: readonly HeldTensor[];
}

export interface CheckpointHeader {
  readonly dataStart: number;
  readonly dataBytes: number;
  readonly tensors: readonly TensorEntry[];
  readonly metadata: CheckpointMetadata;
}

/** Rounds up to a multiple of the page. */
export function alignPage(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

/** A CRC-32 as eight hexadecimal digits. */
export function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}

/**
 * The header's bytes, `dataStart` long. The length depends only on names, shapes and counts,
 * never on the checksums, so the data can be placed before these are known.
 */
export function encodeHeader(
  tensors: readonly TensorEntry[],
  dataBytes: number,
  metadata: CheckpointMetadata,
): Buffer {
  const header: { [name: string]: unknown } = {
    __metadata__: {
      [METADATA_KEY]: JSON.stringify(metadata),
      crc32: JSON.stringify(Object.fromEntries(tensors.map((t) => [t.name, t.crc32.join("")]))),
    },
  };
  let end = 0;
  let pads = 0;
  const pad = (upTo: number): void => {
    if (upTo === end) return;
    header[`${PAD_PREFIX}${pads++}`] = {
      dtype: "U8",
      shape: [upTo - end],
      data_offsets: [end, upTo],
    };
  };
  for (const { name, dtype, shape, bytes, offset } of tensors.toSorted(byOffset)) {
    pad(offset);
    end = offset + bytes;
    header[name] = { dtype, shape, data_offsets: [offset, end] };
  }
  pad(dataBytes);
  const json = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(alignPage(8 + json.byteLength), 0x20);
  bytes.writeBigUInt64LE(BigInt(bytes.byteLength - 8), 0);
  json.copy(bytes, 8);
  return bytes;
}

/**
 * The header of a file for other tools: tensors one after the other in this order, without gaps,
 * and metadata of texts, which is all that the format allows.
 */
export function encodePlainHeader(
  tensors: readonly TensorSpec[],
  metadata: Readonly<{ [key: string]: string }>,
): Buffer {
  let end = 0;
  const entries = tensors.map(({ name, dtype, shape, bytes }) => {
    const start = end;
    end += bytes;
    return [name, { dtype, shape, data_offsets: [start, end] }] as const;
  });
  const header = Object.fromEntries([["__metadata__", metadata] as const, ...entries]);
  const json = Buffer.from(JSON.stringify(header));
  const bytes = Buffer.alloc(8 + Math.ceil(json.byteLength / 8) * 8, 0x20);
  bytes.writeBigUInt64LE(BigInt(bytes.byteLength - 8), 0);
  json.copy(bytes, 8);
  return bytes;
}

function byOffset(a: TensorEntry, b: TensorEntry): number {
  return a.offset - b.offset || a.bytes - b.bytes;
}

/** Length of the header from the first 8 bytes; throws AL040 for a torn file. */
export function headerLength(first8: Uint8Array, file: string, fileBytes: number): number {
  const view = new DataView(first8.buffer, first8.byteOffset, 8);
  const length = Number(view.getBigUint64(0, true));
  if (length === 0 || length > HEADER_BYTES_MAX || length + 8 > fileBytes) {
    throw damaged(file, length === 0 ? "it was never finished" : "its header is not whole");
  }
  return length;
}

/** Reads the header (without its 8 bytes of length) and checks that it covers the file. */
export function decodeHeader(json: Uint8Array, file: string, fileBytes: number): CheckpointHeader {
  const header = parseJson(json, file);
  const own = header["__metadata__"] as { [key: string]: string } | undefined;
  const text = own?.[METADATA_KEY];
  if (!own || text === undefined) throw damaged(file, "it is not a checkpoint of Afterlog");
  const metadata = JSON.parse(text) as CheckpointMetadata;
  const checksums = JSON.parse(own["crc32"] ?? "{}") as { [name: string]: string };
  const tensors: TensorEntry[] = [];
  let dataBytes = 0;
  for (const [name, spec] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const { dtype, shape, data_offsets } = spec as {
      dtype: Dtype;
      shape: number[];
      data_offsets: [number, number];
    };
    const [offset, end] = data_offsets;
    dataBytes = Math.max(dataBytes, end);
    if (name.startsWith(PAD_PREFIX)) continue;
    const digits = checksums[name] ?? "";
    const crc32 = Array.from({ length: digits.length / 8 }, (_, i) =>
      digits.slice(8 * i, 8 * i + 8),
    );
    tensors.push({ name, dtype, shape, bytes: end - offset, offset, crc32 });
  }
  const dataStart = 8 + json.byteLength;
  if (dataStart + dataBytes !== fileBytes) throw damaged(file, "its length is not the one it says");
  return { dataStart, dataBytes, tensors, metadata };
}

function parseJson(json: Uint8Array, file: string): { [name: string]: unknown } {
  try {
    return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()) as {
      [name: string]: unknown;
    };
  } catch (error) {
    throw damaged(file, "its header is not JSON", error);
  }
}

/** The error for a file whose bytes are not what was written. */
export function damaged(file: string, why: string, cause?: unknown): AfterlogError {
  return new AfterlogError("AL040", `${file} is damaged: ${why}`, {
    help: ["the file is left as it is; what other files of the run hold is still used"],
    data: { file },
    cause,
  });
}

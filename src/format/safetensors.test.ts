import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckpointMetadata, TensorEntry } from "./safetensors.ts";
import {
  alignPage,
  decodeHeader,
  DTYPE_BYTES,
  encodeHeader,
  headerLength,
  PAGE_BYTES,
} from "./safetensors.ts";
import type { Dtype } from "./safetensors.ts";

const METADATA: CheckpointMetadata = {
  format: 1,
  run: "train-20261115-093000-x7q2",
  kind: "iteration",
  path: [["epoch", 6]],
  seq: 12,
  stateHash: "0".repeat(64),
  held: [],
};

/** Tensors behind each other, large ones on pages, as the slot layout places them. */
function place(specs: readonly (readonly [Dtype, number])[]): {
  tensors: TensorEntry[];
  bytes: number;
} {
  let at = 0;
  const tensors = specs.map(([dtype, length], index) => {
    const bytes = length * DTYPE_BYTES[dtype];
    if (bytes >= PAGE_BYTES) at = alignPage(at);
    const crc32 = bytes === 0 ? [] : ["0123abcd"];
    const tensor = { name: `t${index}`, dtype, shape: [length], bytes, offset: at, crc32 };
    at += bytes;
    return tensor;
  });
  return { tensors, bytes: alignPage(at) };
}

describe("checkpoint headers", () => {
  const specs = fc.array(
    fc.tuple(fc.constantFrom<Dtype>("F64", "F32", "I8", "BOOL"), fc.nat(5000)),
    { maxLength: 12 },
  );

  test("come back the same, and describe every byte of the data once", () => {
    fc.assert(
      fc.property(specs, (given) => {
        const { tensors, bytes } = place(given);
        const header = encodeHeader(tensors, bytes, METADATA);
        expect(header.byteLength % PAGE_BYTES).toBe(0);
        const size = header.byteLength + bytes;
        const length = headerLength(header.subarray(0, 8), "f", size);
        const decoded = decodeHeader(header.subarray(8, 8 + length), "f", size);
        const byName = (a: TensorEntry, b: TensorEntry): number => a.name.localeCompare(b.name);
        expect(decoded.tensors.toSorted(byName)).toEqual(tensors.toSorted(byName));
        expect(decoded.metadata).toEqual(METADATA);
        expect(coverage(header)).toBe(bytes);
      }),
    );
  });

  test("their length does not depend on the checksums", () => {
    const { tensors, bytes } = place([["F32", 3000]]);
    const zeroed = tensors.map((tensor) => ({
      ...tensor,
      crc32: tensor.crc32.map(() => "00000000"),
    }));
    expect(encodeHeader(tensors, bytes, METADATA).byteLength).toBe(
      encodeHeader(zeroed, bytes, METADATA).byteLength,
    );
  });

  test.each<[string, (header: Buffer) => Buffer, number]>([
    ["never finished", (header) => Buffer.alloc(header.byteLength), 0],
    ["a length beyond the file", (header) => fill(header, 0xff), 0],
    ["a data part that is cut off", (header) => header, -1],
    ["no JSON", (header) => replace(header, "{", "["), 0],
  ])("%s is damage", (_, spoil, change) => {
    const { tensors, bytes } = place([["F32", 3000]]);
    const header = spoil(encodeHeader(tensors, bytes, METADATA));
    const size = header.byteLength + bytes + change;
    expect(() => {
      const length = headerLength(header.subarray(0, 8), "file", size);
      decodeHeader(header.subarray(8, 8 + length), "file", size);
    }).toThrow(expect.objectContaining({ code: "AL040" }));
  });
});

/** Bytes covered by the tensors and pads, which must neither overlap nor leave a hole. */
function coverage(header: Buffer): number {
  const json = JSON.parse(header.subarray(8).toString()) as {
    [name: string]: { data_offsets?: [number, number] };
  };
  const ranges = Object.values(json)
    .flatMap(({ data_offsets }) => (data_offsets ? [data_offsets] : []))
    .toSorted(([a, b], [c, d]) => a - c || b - d);
  let end = 0;
  for (const [from, to] of ranges) {
    expect(from).toBe(end);
    end = to;
  }
  return end;
}

function fill(header: Buffer, byte: number): Buffer {
  return Buffer.from(header).fill(byte, 0, 8);
}

function replace(header: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(header);
  copy.write(to, copy.indexOf(from));
  return copy;
}

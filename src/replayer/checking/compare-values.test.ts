import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TensorReference } from "../../format/index.ts";
import { valueToJson } from "../../format/index.ts";
import type { Closeness } from "./compare-values.ts";
import { compareValues, TOLERANCE } from "./compare-values.ts";

const noBytes = (): undefined => undefined;
const compare = (recorded: unknown, replayed: unknown): Closeness =>
  compareValues(recorded, replayed, {
    tolerance: TOLERANCE,
    recordedBytes: noBytes,
    replayedBytes: noBytes,
  });

const NAN = { $: "float", v: "NaN" };

test.each<[unknown, unknown, Closeness]>([
  [1, 1, "equal"],
  [1, 1 + 1e-9, "close"],
  [1e-30, 1e-30 * (1 + 1e-7), "close"],
  [1, 1.001, "different"],
  [0, -0, "close"],
  [-0, -0, "equal"],
  [0, 1e-300, "different"],
  [NAN, { $: "float", v: "NaN" }, "equal"],
  [NAN, 1, "different"],
  ["a", "a", "equal"],
  ["a", "b", "different"],
  [null, null, "equal"],
  [null, 0, "different"],
  [true, 1, "different"],
  [[1, 2], [1, 2 + 1e-9], "close"],
  [[1, 2], [1], "different"],
  [[], {}, "different"],
  [{ a: { b: [1] } }, { a: { b: [1] } }, "equal"],
  [{ a: 1 }, { b: 1 }, "different"],
  [{ $: "bigint", v: "9" }, { $: "bigint", v: "8" }, "different"],
])("%j against %j is %s", (recorded, replayed, expected) => {
  expect(compare(recorded, replayed)).toBe(expected);
});

test("a value equals itself as it comes from a log, and no other number", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = (): unknown => JSON.parse(valueToJson(value));
      expect(compare(read(), read())).toBe("equal");
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
      expect(compare(a, b) === "equal").toBe(Object.is(a, b));
    }),
  );
});

describe("tensors", () => {
  function tensor(
    dtype: string,
    values: ArrayBufferView,
    crc32: string,
  ): [TensorReference, Uint8Array] {
    const bytes = new Uint8Array(values.buffer as ArrayBuffer);
    const stats = { count: 1, nan: 0, min: 0, max: 0, mean: 0, std: 0 };
    return [{ $: "tensor", dtype, shape: [2], bytes: bytes.length, crc32, stats }, bytes];
  }

  test.each<[string, string, ArrayBufferView, ArrayBufferView, Closeness]>([
    ["F32", "far", Float32Array.of(1, 2), Float32Array.of(1, 3), "different"],
    ["F64", "near", Float64Array.of(1, 2), Float64Array.of(1, 2 + 1e-12), "close"],
    ["F16", "near by bits", Uint16Array.of(0x3c00, 0), Uint16Array.of(0x3c00, 0x8000), "close"],
    ["F16", "far", Uint16Array.of(0x3c00, 0), Uint16Array.of(0x4000, 0), "different"],
    ["BF16", "far", Uint16Array.of(0x3f80, 0), Uint16Array.of(0x3f81, 0), "different"],
    ["I32", "whole numbers are never close", Int32Array.of(1, 2), Int32Array.of(1, 3), "different"],
  ])("%s: %s", (dtype, _, before, after, expected) => {
    const [recorded, recordedBytes] = tensor(dtype, before, "1");
    const [replayed, replayedBytes] = tensor(dtype, after, "2");
    const options = {
      tolerance: TOLERANCE,
      recordedBytes: () => recordedBytes,
      replayedBytes: () => replayedBytes,
    };
    expect(compareValues(recorded, replayed, options)).toBe(expected);
    expect(compareValues(recorded, { ...replayed, crc32: "1" }, options)).toBe("equal");
    expect(compareValues(recorded, { ...recorded, shape: [1, 2] }, options)).toBe("different");
    expect(compare(recorded, replayed)).toBe("different");
  });
});

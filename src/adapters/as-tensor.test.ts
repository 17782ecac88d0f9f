import * as tf from "@tensorflow/tfjs";
import { numpy as np } from "@jax-js/jax";
import { beforeAll, expect, test } from "vitest";
import { asTensor } from "./index.ts";

beforeAll(async () => {
  console.warn = () => {};
  await tf.setBackend("cpu");
});

const ROWS: readonly [what: string, make: () => unknown, expected: string | undefined][] = [
  ["float32", () => new Float32Array([1]), "F32 [1] 0000803f"],
  ["a part of a buffer", () => new Int16Array([1, 2, 3]).subarray(1), "I16 [2] 02000300"],
  ["clamped", () => new Uint8ClampedArray([300]), "U8 [1] ff"],
  ["Buffer", () => Buffer.from("ab"), "U8 [2] 6162"],
  ["big", () => new BigInt64Array([-1n]), "I64 [1] ffffffffffffffff"],
  ["tfjs", () => tf.tensor2d([[1], [0]], [2, 1], "bool"), "BOOL [2,1] 0100"],
  ["tfjs variable", () => tf.variable(tf.scalar(1)), "F32 [] 0000803f"],
  ["tfjs complex", () => tf.complex([1], [0]), "F32 [1,2] 0000803f00000000"],
  ["tfjs strings", () => tf.tensor(["a"]), undefined],
  ["jax-js", () => np.array([[1, 0]]).transpose(), "F32 [2,1] 0000803f00000000"],
  ["jax-js bool", () => np.array([true, false]), "BOOL [2] 0100"],
  ["view without elements", () => new DataView(new ArrayBuffer(1)), undefined],
  ["array", () => [1], undefined],
  ["number", () => 1, undefined],
  ["null", () => null, undefined],
  ["proxy", () => new Proxy(new Float32Array(1), {}), undefined],
];

test.each(ROWS)("%s", (_what, make, expected) => {
  const value = make();
  for (const tensor of [asTensor(value), asTensor(value)]) {
    const text =
      tensor &&
      `${tensor.dtype} [${tensor.shape.join(",")}] ${Buffer.from(tensor.bytes).toString("hex")}`;
    expect(text).toBe(expected);
  }
});

test("the bytes are a copy", () => {
  const array = new Float32Array([1]);
  const tensor = asTensor(array);
  array[0] = 2;
  expect(tensor?.bytes[3]).toBe(0x3f);
  expect(tensor?.bytes[2]).toBe(0x80);
});

test("a disposed tensor says so", () => {
  const tensor = tf.scalar(1);
  tensor.dispose();
  expect(() => asTensor(tensor)).toThrow(/disposed/);
});

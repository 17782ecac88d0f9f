import { defaultDevice, DType, init, numpy as np } from "@jax-js/jax";
import { beforeAll, expect, test } from "vitest";
import { load, placesOf, save } from "../../../test/adapters/round-trip.ts";
import { asTensor, capture, identify } from "../index.ts";

beforeAll(async () => {
  await init("wasm");
  defaultDevice("wasm");
});

type JaxArray = ReturnType<typeof np.array>;

const bits = (array: JaxArray): string => {
  const { bytes } = asTensor(array) ?? { bytes: new Uint8Array() };
  return Buffer.from(bytes).toString("hex");
};

const ROWS: readonly [what: string, make: () => JaxArray][] = [
  ["float32", () => np.array(new Float32Array([1.5, -0, NaN, Infinity, 1e-42]))],
  ["equal values", () => np.array([3, 3, 3])],
  [
    "matrix",
    () =>
      np.array([
        [1, 2],
        [3, 4],
      ]),
  ],
  [
    "transposed",
    () =>
      np
        .array([
          [1, 2, 5],
          [3, 4, 6],
        ])
        .transpose(),
  ],
  ["int32", () => np.array(new Int32Array([-1, 2]))],
  ["uint32", () => np.array(new Uint32Array([4294967295, 7]))],
  ["bool", () => np.array([true, false])],
  ["float64", () => np.array([1, 2]).astype(DType.Float64).mul(0.1)],
  ["empty", () => np.zeros([0, 3])],
  ["scalar", () => np.array(2).mul(0.1)],
  ["weak matrix", () => np.eye(3)],
  ["weak integer", () => np.array(3).astype(DType.Int32)],
  ["large constant", () => np.full([300], 0.1)],
  ["lazy range", () => np.arange(5)],
  ["realized", () => np.array([1, 2, 3]).mul(2)],
];

test.each(ROWS)("%s is restored bit for bit, and capture takes no reference", (_what, make) => {
  const record: { [field: string]: unknown } = { x: make() };
  const array = record["x"] as JaxArray;
  const before = bits(array);
  const saved = save(placesOf(record));
  expect(array.refCount).toBe(1);
  const fresh: { [field: string]: unknown } = { x: null };
  load(placesOf(fresh), saved);
  const copy = fresh["x"] as JaxArray;
  expect(copy === array).toBe(false);
  expect(bits(copy)).toBe(before);
  expect(bits(array)).toBe(before);
  const kind = ({ dtype, shape, weakType, device, refCount }: JaxArray): unknown => [
    dtype,
    shape,
    weakType,
    device,
    refCount,
  ];
  expect(kind(copy)).toStrictEqual(kind(array));
  // A second generation is no further away.
  expect(save(placesOf(fresh)).json).toBe(saved.json);
});

test("a lazy constant keeps the digits that float32 does not show", () => {
  let power = np.array(1);
  for (let i = 0; i < 7; i++) power = power.mul(0.9);
  const fresh: { [field: string]: unknown } = { power: null };
  load(placesOf(fresh), save(placesOf({ power })));
  const digits = (x: JaxArray): number => Number(x.ref.mul(3).astype(DType.Float64).js());
  expect(digits(fresh["power"] as JaxArray)).toBe(digits(power));
});

test("arrays held twice have as many references after restore", () => {
  const w = np.array([1, 2]);
  const record: { [field: string]: unknown } = { params: { w }, best: { w: w.ref } };
  const saved = save(placesOf(record));
  const fresh: { [field: string]: unknown } = { params: null, best: null };
  load(placesOf(fresh), saved);
  const [params, best] = [fresh["params"], fresh["best"]] as { w: JaxArray }[];
  expect(params?.w === best?.w).toBe(true);
  expect(params?.w.refCount).toBe(2);
});

test("an array that is unchanged since entry stays the array", () => {
  const record: { [field: string]: unknown } = { data: np.array([1, 2]), n: 0 };
  const { data } = record;
  const entry = identify(placesOf(record), { hold: true });
  record["n"] = 1;
  const saved = save(placesOf(record), entry);
  load(placesOf(record), saved, entry);
  expect(record["data"] === data).toBe(true);
  expect((data as JaxArray).refCount).toBe(1);
});

test("an array that was used up is named", () => {
  const w = np.array([1, 2]);
  w.dispose();
  expect(() => capture(placesOf({ params: { w } }))).toThrow(/^params\.w .*used up/);
  expect(() => asTensor(w)).toThrow(/used up/);
});

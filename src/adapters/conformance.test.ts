/**
 * @file What every adapter promises, over every kind of value: capture changes nothing, restore
 * brings back the captured content, in place where there is identity, in a fresh set-up too.
 */
import { defaultDevice, init, numpy as np } from "@jax-js/jax";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { load, placesOf, save } from "../../test/adapters/round-trip.ts";
import { capture, identify } from "./index.ts";

interface Row {
  readonly what: string;
  /** The adapter that must have written the node. */
  readonly adapter: string;
  readonly make: () => unknown;
  /** Changes the content; gives another value where the kind is immutable. */
  readonly change: (value: never) => unknown;
  /** The content as plain data. */
  readonly look: (value: never) => unknown;
  /** Bound anew instead of refilled. */
  readonly rebound?: true;
}

class Counter {
  #count = 0;
  add(): void {
    this.#count++;
  }
  stateDict(): unknown {
    return { count: this.#count, bytes: new Uint8Array([this.#count]) };
  }
  loadStateDict(state: { count: number; bytes: Uint8Array }): void {
    this.#count = state.bytes[0] ?? state.count;
  }
}

function row<T>(spec: {
  what: string;
  adapter: string;
  make: () => T;
  change: (value: NoInfer<T>) => unknown;
  look: (value: NoInfer<T>) => unknown;
  rebound?: true;
}): Row {
  return spec;
}

const identity = (value: unknown): unknown => structuredClone(value);

function trained(optimizer: tf.Optimizer): tf.Optimizer {
  const w = tf.variable(tf.tensor1d([1, 2]));
  optimizer.minimize(() => w.square().sum(), false, [w]);
  w.dispose();
  return optimizer;
}

function optimizerContent(optimizer: tf.Optimizer): unknown {
  // Asking for the iterations makes the field.
  const { iterations } = optimizer;
  const text = JSON.stringify(optimizer, (_key, value: unknown) =>
    value instanceof tf.Tensor ? [...value.dataSync()] : value,
  );
  return { ...(JSON.parse(text) as object), iterations };
}

function model(): tf.Sequential {
  const made = tf.sequential({
    layers: [tf.layers.dense({ units: 2, inputShape: [2] }), tf.layers.batchNormalization()],
  });
  made.compile({ optimizer: "adam", loss: "meanSquaredError" });
  return made;
}

const modelContent = (value: tf.LayersModel): unknown => [
  value.layers.map(({ trainable }) => trainable),
  value.getWeights().map((weight) => [...weight.dataSync()]),
  optimizerContent(value.optimizer),
];

const PLAIN: readonly Row[] = [
  row({
    what: "object",
    adapter: "object",
    make: () => ({ a: 1 }),
    change: (v) => {
      v.a = 2;
    },
    look: identity,
  }),
  row({
    what: "array",
    adapter: "array",
    make: () => [1, 2],
    change: (v) => v.push(3),
    look: identity,
  }),
  row({
    what: "map",
    adapter: "map",
    make: () => new Map([[1, "a"]]),
    change: (v) => v.delete(1),
    look: identity,
  }),
  row({
    what: "set",
    adapter: "set",
    make: () => new Set([1]),
    change: (v) => v.add(2),
    look: identity,
  }),
  row({
    what: "date",
    adapter: "date",
    make: () => new Date(5),
    change: (v) => v.setTime(6),
    look: identity,
  }),
  row({
    what: "regexp",
    adapter: "regexp",
    make: () => /a/g,
    change: (v) => {
      v.lastIndex = 3;
    },
    look: (v) => v.lastIndex,
  }),
  row({
    what: "error",
    adapter: "object",
    make: () => new Error("a"),
    change: (v) => {
      v.message = "b";
    },
    look: (v) => v.message,
  }),
  row({
    what: "buffer",
    adapter: "buffer",
    make: () => new ArrayBuffer(2),
    change: (v) => new Uint8Array(v).fill(1),
    look: identity,
  }),
  row({
    what: "typed array",
    adapter: "view",
    make: () => new Float32Array(2),
    change: (v) => v.fill(1),
    look: identity,
  }),
  row({
    what: "Buffer",
    adapter: "view",
    make: () => Buffer.from("ab"),
    change: (v) => v.fill(1),
    look: (v) => v.toString("hex"),
  }),
  row({
    what: "stateDict",
    adapter: "state-dict",
    make: () => new Counter(),
    change: (v) => v.add(),
    look: (v) => v.stateDict(),
  }),
];

const TFJS: readonly Row[] = [
  row({
    what: "tfjs variable",
    adapter: "tensor",
    make: () => tf.variable(tf.tensor2d([[1, -0]])),
    change: (v) => v.assign(tf.tensor2d([[NaN, 2]])),
    look: (v) => [...v.dataSync()],
  }),
  row({
    what: "tfjs tensor",
    adapter: "tensor",
    make: () => tf.tensor([1, 2], [2], "int32"),
    change: () => tf.tensor([3, 4, 5], [3], "int32"),
    look: (v) => [v.shape, v.dtype, ...v.dataSync()],
    rebound: true,
  }),
  row({
    what: "tfjs bool",
    adapter: "tensor",
    make: () => tf.tensor([1, 0], [2], "bool"),
    change: () => tf.tensor([0, 1], [2, 1], "bool"),
    look: (v) => [v.shape, v.dtype, ...v.dataSync()],
    rebound: true,
  }),
  row({
    what: "tfjs strings",
    adapter: "tensor",
    make: () => tf.tensor(["a", "é"]),
    change: () => tf.tensor(["", "long"]),
    look: (v) => [...v.dataSync()],
    rebound: true,
  }),
  row({
    what: "tfjs complex",
    adapter: "tensor",
    make: () => tf.complex([1], [2]),
    change: () => tf.complex([3, 5], [4, 6]),
    look: (v) => [v.dtype, ...v.dataSync()],
    rebound: true,
  }),
  row({
    what: "tfjs model",
    adapter: "tfjs-model",
    make: model,
    change: (v) => {
      for (const layer of v.layers.slice(0, 1)) layer.trainable = false;
      v.setWeights(v.getWeights().map((w) => w.add(1)));
      trained(v.optimizer);
    },
    look: modelContent,
  }),
  ...[
    () => tf.train.sgd(0.1),
    () => tf.train.momentum(0.1, 0.9),
    () => tf.train.adagrad(0.1),
    () => tf.train.adadelta(),
    () => tf.train.adam(),
    () => tf.train.adamax(),
    () => tf.train.rmsprop(0.1, 0.9, 0.1, 1e-7, true),
  ].map((make: () => tf.Optimizer, i) =>
    row({
      what: `tfjs optimizer ${i}`,
      adapter: "tfjs-optimizer",
      make,
      change: trained,
      look: optimizerContent,
    }),
  ),
];

const JAX: readonly Row[] = [
  row({
    what: "jax-js array",
    adapter: "tensor",
    make: () => np.array([1, 2, 3]),
    change: (v) => v.mul(2),
    look: (v) => v.ref.js(),
    rebound: true,
  }),
  row({
    what: "jax-js scalar",
    adapter: "tensor",
    make: () => np.array(1),
    change: (v) => v.mul(0.1),
    look: (v) => [v.weakType, v.ref.js()],
    rebound: true,
  }),
];

beforeAll(async () => {
  console.warn = () => {};
  await tf.setBackend("cpu");
  await init("wasm");
  defaultDevice("wasm");
});

describe.each([...PLAIN, ...TFJS, ...JAX])("$what", (spec) => {
  const { make, rebound } = spec;
  const look = spec.look as (value: unknown) => unknown;
  const change = (record: { value: unknown }): void => {
    const result = (spec.change as (value: unknown) => unknown)(record.value);
    if (rebound === true) record.value = result;
  };

  test("is captured by its adapter, the same twice, and is as it was", () => {
    const record = { value: make() };
    const before = look(record.value);
    const entry = identify(placesOf(record));
    const saved = save(placesOf(record), entry);
    expect(save(placesOf(record), entry).json).toBe(saved.json);
    const node = saved.graph.nodes[0];
    expect(node?.t === "adapted" ? node.adapter : node?.t).toBe(spec.adapter);
    expect(look(record.value)).toStrictEqual(before);
    for (const leaf of capture(placesOf(record), entry).leaves) {
      expect(leaf.name.startsWith("value")).toBe(true);
    }
  });

  test("is restored over later changes", () => {
    const record = { value: make() };
    const entry = identify(placesOf(record), { hold: true });
    change(record);
    const { value } = record;
    const expected = look(value);
    const saved = save(placesOf(record), entry);
    change(record);
    load(placesOf(record), saved, entry);
    expect(look(record.value)).toStrictEqual(expected);
    expect(record.value === value || rebound === true).toBe(true);
  });

  test("is restored into a fresh set-up", () => {
    const record = { value: make() };
    const entry = identify(placesOf(record));
    change(record);
    const expected = look(record.value);
    const saved = save(placesOf(record), entry);
    const fresh = { value: make() };
    load(placesOf(fresh), saved);
    expect(look(fresh.value)).toStrictEqual(expected);
    // And what was captured is not tied to what was restored.
    change(fresh);
    expect(look(record.value)).toStrictEqual(expected);
  });
});

/** jax-js: a two-layer network with an Adam of its own, all state in rebound pytrees. */
import { defaultDevice, init, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { random, seed, train } from "./checkpoint-file.mjs";

await init("wasm");
defaultDevice("wasm");

const matrix = (rows, columns, draw) =>
  np.array(Float32Array.from({ length: rows * columns }, draw), { shape: [rows, columns] });
const x = matrix(16, 3, random(3));
const y = matrix(16, 1, random(4));
const draw = random(seed);
const params = { w1: matrix(3, 8, draw), b1: np.zeros([8]), w2: matrix(8, 1, draw) };
const zerosLike = (values) => tree.map((a) => np.zerosLike(a), tree.ref(values));
const record = {
  params,
  adam: { m: zerosLike(params), v: zerosLike(params), power: np.array(1), steps: 0 },
  best: null,
};

const lossOf = (p, input, target) => {
  const hidden = np.tanh(np.matmul(input, p.w1).add(p.b1));
  const error = np.matmul(hidden, p.w2).sub(target);
  return np.mean(error.ref.mul(error));
};
const gradient = valueAndGrad(lossOf);
const mix = (rate, old, item) => old.mul(rate).add(item.mul(1 - rate));

const losses = train("jax", record, (i) => {
  const { adam } = record;
  const [loss, grads] = gradient(tree.ref(record.params), x.ref, y.ref);
  const m = tree.map((old, g) => mix(0.9, old, g), adam.m, tree.ref(grads));
  const v = tree.map((old, g) => mix(0.99, old, g.ref.mul(g)), adam.v, grads);
  // The power of beta is a weakly typed scalar on the device.
  const power = adam.power.mul(0.9);
  const update = (p, mean, square) => {
    const rate = np.array(0.05).div(np.array(1).sub(power.ref));
    return p.sub(mean.mul(rate).div(np.sqrt(square).add(1e-6)));
  };
  const before = tree.ref(record.params);
  record.params = tree.map(update, record.params, tree.ref(m), tree.ref(v));
  record.adam = { m, v, power, steps: adam.steps + 1 };
  // Every third step the parameters are held twice: by two references.
  if (i % 3 === 0) {
    tree.dispose(record.best);
    record.best = tree.ref(record.params);
  }
  tree.dispose(before);
  const norm = np.sum(np.abs(record.best.w1.ref)).js();
  return [
    loss.js(),
    record.adam.power.ref.js(),
    record.adam.steps,
    norm,
    record.params.w1.refCount,
  ];
});
process.stdout.write(JSON.stringify({ jax: losses }));

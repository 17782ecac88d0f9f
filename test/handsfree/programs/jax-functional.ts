/** @file jax-js in the functional style: parameters go in, new parameters come out. */
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { gaussian, makePoints, shuffled } from "./shared/points.ts";

await init("wasm");
defaultDevice("wasm");

type Params = { w1: np.Array; b1: np.Array; w2: np.Array };

const matrix = (rows: number, columns: number) =>
  np.array(
    Float32Array.from({ length: rows * columns }, () => 0.5 * gaussian()),
    {
      shape: [rows, columns],
    },
  );

function loss(p: Params, x: np.Array, y: np.Array): np.Array {
  const h = nn.relu(np.dot(x, p.w1).add(p.b1));
  const z = np.dot(h, p.w2).reshape([-1]);
  return np.square(nn.sigmoid(z).sub(y)).mean();
}

const step = jit(valueAndGrad(loss));
const sgd = jit((p: Params, g: Params) =>
  tree.map((a: np.Array, d: np.Array) => a.sub(d.mul(0.5)), p, g),
);
const sizeOf = (a: np.Array) => np.sqrt(np.square(a.ref).sum()).item();

const points = makePoints(48);
let params: Params = { w1: matrix(3, 8), b1: np.zeros([8]), w2: matrix(8, 1) };
// probe prefix: console.log("w1_before", sizeOf(params.w1))

for (let epoch = 0; epoch < 5; epoch++) {
  const order = shuffled(points);
  const losses: number[] = [];
  for (let i = 0; i < order.length; i += 8) {
    const batch = order.slice(i, i + 8);
    const x = np.array(batch.map((p) => p.x));
    const y = np.array(batch.map((p) => p.label));
    const [value, grads] = step(tree.ref(params), x, y);
    // probe inner: console.log("grad_w2", sizeOf(grads.w2))
    params = sgd(params, grads);
    losses.push(value.item());
  }
  console.log(`epoch ${epoch} loss ${losses.reduce((a, b) => a + b) / losses.length}`);
  // probe outer: console.log("w1", sizeOf(params.w1))
}
// probe suffix: console.log("b1", sizeOf(params.b1))
console.log("w2", sizeOf(params.w2));

//: about jax-js MLP, parameters go in and new ones come out
//: needs @jax-js/jax
//: quick --epochs 40
//: full --epochs 1400
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";

const epochs = Number(process.argv[3] ?? 3);
await init("wasm");
defaultDevice("wasm");

interface Params {
  w1: np.Array;
  b1: np.Array;
  w2: np.Array;
  b2: np.Array;
}

let seed = 9;
const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
const matrix = (rows: number, columns: number): np.Array => {
  const scale = Math.sqrt(2 / rows);
  const values = Float32Array.from({ length: rows * columns }, () => scale * (2 * random() - 1));
  return np.array(values, { shape: [rows, columns] });
};

function loss(p: Params, x: np.Array, y: np.Array): np.Array {
  const h = nn.relu(np.dot(x, p.w1).add(p.b1));
  const z = np.dot(h, p.w2).add(p.b2).reshape([-1]);
  return np.square(z.sub(y)).mean();
}

const step = jit(valueAndGrad(loss));
const update = jit((p: Params, g: Params) =>
  tree.map((a: np.Array, d: np.Array) => a.sub(d.mul(0.05)), p, g),
);
const normOf = (a: np.Array): number => np.sqrt(np.square(a.ref).sum()).item() as number;

const xs = Array.from({ length: 256 }, () => [2 * random() - 1, 2 * random() - 1]);
const ys = xs.map(([a = 0, b = 0]) => Math.sin(3 * a) * b);
let params: Params = {
  w1: matrix(2, 32),
  b1: np.zeros([32]),
  w2: matrix(32, 1),
  b2: np.zeros([1]),
};
const history: number[] = [];
for (let epoch = 0; epoch < epochs; epoch++) {
  let total = 0;
  for (let batch = 0; batch < 32; batch++) {
    const x = np.array(xs.slice(batch * 8, batch * 8 + 8));
    const y = np.array(ys.slice(batch * 8, batch * 8 + 8));
    const [value, grads] = step(tree.ref(params), x, y);
    //: ask step gradient = normOf(grads.w2) where epoch = 1 and batch = 2
    params = update(params, grads) as Params;
    total += value.item() as number;
  }
  history.push(total / 32);
  //: ask outer w1 = normOf(params.w1)
  console.log(`epoch ${epoch} loss ${history.at(-1)}`);
}
//: ask suffix last = history[history.length - 1] * normOf(params.w2)
console.log("b2", normOf(params.b2));

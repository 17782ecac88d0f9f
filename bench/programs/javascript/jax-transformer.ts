//: about jax-js small transformer over characters, with momentum
//: needs @jax-js/jax
//: quick --epochs 12
//: full --epochs 280
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";

const epochs = Number(process.argv[3] ?? 2);
await init("wasm");
defaultDevice("wasm");

const TEXT = "to be or not to be that is the question ";
const CHARS = [...new Set(TEXT)].toSorted();
const LENGTH = 8;
const WIDTH = 16;

let seed = 21;
const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
const weight = (rows: number, columns: number): np.Array => {
  const values = Float32Array.from(
    { length: rows * columns },
    () => (2 * random() - 1) / Math.sqrt(rows),
  );
  return np.array(values, { shape: [rows, columns] });
};

type Params = { [name: string]: np.Array };

function logits(p: Params, x: np.Array): np.Array {
  const h = np.dot(x, p["embed"]!).add(p["position"]!);
  const q = np.dot(h.ref, p["q"]!);
  const k = np.dot(h.ref, p["k"]!);
  const v = np.dot(h.ref, p["v"]!);
  const scores = np.dot(q, np.transpose(k)).mul(1 / Math.sqrt(WIDTH));
  const attended = np.dot(nn.softmax(scores.add(MASK.ref), -1), v);
  const mixed = h.add(attended);
  const inner = nn.relu(np.dot(mixed.ref, p["up"]!));
  return np.dot(mixed.add(np.dot(inner, p["down"]!)), p["out"]!);
}

function loss(p: Params, x: np.Array, y: np.Array): np.Array {
  return nn
    .logSoftmax(logits(p, x), -1)
    .mul(y)
    .sum()
    .mul(-1 / LENGTH);
}

const MASK = np.array(
  Array.from({ length: LENGTH }, (_, i) =>
    Array.from({ length: LENGTH }, (_unused, j) => (j > i ? -1e9 : 0)),
  ),
);
const step = jit(valueAndGrad(loss));
const momentum = jit((m: Params, g: Params) =>
  tree.map((a: np.Array, b: np.Array) => a.mul(0.9).add(b), m, g),
);
const update = jit((p: Params, m: Params) =>
  tree.map((a: np.Array, b: np.Array) => a.sub(b.mul(0.02)), p, m),
);
const normOf = (a: np.Array): number => np.sqrt(np.square(a.ref).sum()).item() as number;
const oneHot = (text: string): np.Array =>
  np.array([...text].map((c) => CHARS.map((other) => (other === c ? 1 : 0))));

let params: Params = {
  embed: weight(CHARS.length, WIDTH),
  position: weight(LENGTH, WIDTH),
  q: weight(WIDTH, WIDTH),
  k: weight(WIDTH, WIDTH),
  v: weight(WIDTH, WIDTH),
  up: weight(WIDTH, 32),
  down: weight(32, WIDTH),
  out: weight(WIDTH, CHARS.length),
};
let moments = tree.map((a: np.Array) => np.zeros(a.shape), tree.ref(params)) as Params;

for (let epoch = 0; epoch < epochs; epoch++) {
  let sum = 0;
  for (let i = 0; i + LENGTH < TEXT.length; i++) {
    const x = oneHot(TEXT.slice(i, i + LENGTH));
    const y = oneHot(TEXT.slice(i + 1, i + LENGTH + 1));
    const [value, grads] = step(tree.ref(params), x, y);
    moments = momentum(moments, grads) as Params;
    params = update(params, tree.ref(moments)) as Params;
    //: ask step query = normOf(params["q"]!) where epoch = 1 and i = 9
    sum += value.item() as number;
  }
  //: ask outer moment = normOf(moments["out"]!)
  console.log("epoch", epoch, "loss", sum / (TEXT.length - LENGTH));
}
//: ask suffix embedding = normOf(params["embed"]!)
console.log("out", normOf(params["out"]!));

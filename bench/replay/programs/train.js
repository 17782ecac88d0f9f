// @ts-check
/**
 * @file The training that the replays are asked about: a network with one hidden layer learns what
 * another one answers, with jax-js. The comments `probe: …` are where a benchmark puts the
 * statements that the run did not have, and the lines `---` where it cuts the loop out.
 */
import { defaultDevice, init, jit, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
// @ts-ignore: found by the loader of `afterlog run`
import * as al from "afterlog";

/** @typedef {{ w1: np.Array, w2: np.Array }} Params */

const INPUTS = 64;
const OUTPUTS = 8;
const MOMENTUM = 0.9;

const epochs = al.arg("epochs", 4);
const steps = al.arg("steps", 8);
const batchSize = al.arg("batch", 64);
const hidden = al.arg("hidden", 64);
const lr = al.arg("lr", 0.02);

await init("wasm");
defaultDevice("wasm");

/**
 * @param {number} length
 * @param {number} scale
 */
function noise(length, scale) {
  return Float32Array.from({ length }, () => scale * (2 * Math.random() - 1));
}

/**
 * @param {number} inputs
 * @param {number} outputs
 */
function layer(inputs, outputs) {
  return np.array(noise(inputs * outputs, Math.sqrt(3 / inputs)), { shape: [inputs, outputs] });
}

/** @returns {Params} */
function network() {
  return { w1: layer(INPUTS, hidden), w2: layer(hidden, OUTPUTS) };
}

/** @type {(p: Params, x: np.Array) => np.Array} */
const predict = (p, x) => np.dot(np.tanh(np.dot(x, p.w1)), p.w2);

/** @type {(p: Params, x: np.Array, y: np.Array) => np.Array} */
const meanSquare = (p, x, y) => np.square(predict(p, x).sub(y)).mean();

/** @type {(p: Params, v: Params, grads: Params) => [Params, Params]} */
function descend(p, v, grads) {
  const velocity = tree.map(
    (/** @type {np.Array} */ old, /** @type {np.Array} */ g) => old.mul(MOMENTUM).add(g),
    v,
    grads,
  );
  const params = tree.map(
    (/** @type {np.Array} */ w, /** @type {np.Array} */ d) => w.sub(d.ref.mul(lr)),
    p,
    velocity,
  );
  return [params, velocity];
}

const lossAndGrads = jit(valueAndGrad(meanSquare));
const update = jit(descend);
const answer = jit(predict);
const sumSquares = jit((/** @type {Params} */ p) =>
  np.square(p.w1).sum().add(np.square(p.w2).sum()),
);

/** @param {Params} values */
const norm = (values) => Math.sqrt(sumSquares(tree.ref(values)).item());

const teacher = network();

/** @returns {{ x: np.Array, y: np.Array }} */
function draw() {
  const x = np.array(noise(batchSize * INPUTS, 1), { shape: [batchSize, INPUTS] });
  return { x: x.ref, y: answer(tree.ref(teacher), x) };
}

const held = draw();
/** @type {Params} */
const params = network();
const velocity = tree.map((/** @type {np.Array} */ w) => np.zeros(w.shape), params);
const state = al.checkpointing({ params, velocity });
al.log("start_norm", norm(state.params));
// probe: prefix

// --- loop
for (const _epoch of al.loop("epoch", al.range(epochs))) {
  for (const _step of al.loop("step", al.range(steps))) {
    const { x, y } = draw();
    const [loss, grads] = lossAndGrads(tree.ref(state.params), x, y);
    // probe: inner
    [state.params, state.velocity] = update(state.params, state.velocity, grads);
    al.log("loss", loss.item());
  }
  const heldLoss = meanSquare(tree.ref(state.params), held.x.ref, held.y.ref);
  al.log("held_loss", heldLoss.item());
  // probe: outer
}
// --- end of the loop

const lastLoss = meanSquare(tree.ref(state.params), held.x, held.y);
al.log("last_loss", lastLoss.item());
// probe: suffix

/** Reads digits on scanned forms. New scans come every week: afterlog run train.ts */
import * as al from "afterlog";
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DIGITS, gaussian, heldOut, minibatches, PIXELS, scansOf, type Scans } from "./scans.ts";

const epochs = al.arg("epochs", 12);
const lr = al.arg("lr", 0.1);
const hidden = 32;
const week = al.arg("week", 3);

await init("wasm");
defaultDevice("wasm");

// 64 pixels -> hidden, relu -> 10 logits. An array passed on is given away: `.ref` keeps it.
type Params = { w1: np.Array; b1: np.Array; w2: np.Array; b2: np.Array };

function heNormal(inputs: number, outputs: number): np.Array {
  const scale = Math.sqrt(2 / inputs);
  const values = Float32Array.from({ length: inputs * outputs }, () => scale * gaussian());
  return np.array(values, { shape: [inputs, outputs] });
}

function logits(params: Params, x: np.Array): np.Array {
  return np.dot(nn.relu(np.dot(x, params.w1).add(params.b1)), params.w2).add(params.b2);
}

function crossEntropy(params: Params, x: np.Array, y: np.Array): np.Array {
  return nn.logSoftmax(logits(params, x)).mul(nn.oneHot(y, DIGITS)).sum(-1).mean().neg();
}

const lossAndGrads = jit(valueAndGrad(crossEntropy));
const update = jit((params: Params, grads: Params) =>
  tree.map((w: np.Array, grad: np.Array) => w.sub(grad.mul(lr)), params, grads),
);
const read = jit((params: Params, x: np.Array) => np.argmax(logits(params, x), -1));

function pixels(scans: Scans): np.Array {
  return np.array(scans.images, { shape: [scans.labels.length, PIXELS] });
}

function fresh(): Params {
  return {
    w1: heNormal(PIXELS, hidden),
    b1: np.zeros([hidden]),
    w2: heNormal(hidden, DIGITS),
    b2: np.zeros([DIGITS]),
  };
}

/** What the network had learned by the end of a week. */
function learned(week: number): Params {
  const saved = JSON.parse(readFileSync(`weights/week-${week}.json`, "utf8"));
  return {
    w1: np.array(saved.w1),
    b1: np.array(saved.b1),
    w2: np.array(saved.w2),
    b2: np.array(saved.b2),
  };
}

const params = week === 1 ? fresh() : learned(week - 1);
const state = al.checkpointing({ params });
const scans = scansOf(week);

for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const batch of al.loop("step", minibatches(scans, 16))) {
    const labels = np.array(batch.labels);
    const [loss, grads] = lossAndGrads(tree.ref(state.params), pixels(batch), labels);
    state.params = update(state.params, grads);
    al.log("loss", loss.item());
  }
  console.log(`week ${week}: ${epoch + 1} of ${epochs} epochs`);
}

const test = heldOut(week);
const predicted = read(tree.ref(state.params), pixels(test)).dataSync();
let right = 0;
const scores: number[] = [];
for (let digit = 0; digit < DIGITS; digit++) {
  let hits = 0;
  let seen = 0;
  for (let i = 0; i < test.labels.length; i++) {
    if (predicted[i] === digit && test.labels[i] === digit) hits++;
    seen += Number(predicted[i] === digit) + Number(test.labels[i] === digit);
  }
  right += hits;
  scores.push(seen === 0 ? 0 : (2 * hits) / seen);
}
al.log("accuracy", right / test.labels.length);
al.log("f1", scores.reduce((a, b) => a + b) / DIGITS);

mkdirSync("weights", { recursive: true });
const saved = Object.entries(state.params).map(([name, w]) => [name, w.ref.js()]);
writeFileSync(`weights/week-${week}.json`, JSON.stringify(Object.fromEntries(saved)));

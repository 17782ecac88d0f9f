/** Reads digits on scanned forms. New scans come every week: afterlog run train.ts */
import * as al from "afterlog";
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DIGITS, gaussian, heldOut, minibatches, PIXELS, scansOf, type Scans } from "./scans.ts";

const epochs = al.arg("epochs", 12);
const lr = al.arg("lr", 0.1);
const batchSize = al.arg("batch_size", 16);
const weightDecay = al.arg("weight_decay", 1e-4); // keeps the weights small
const hidden = 32;
const week = al.arg("week", 8);

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
  tree.map(
    (w: np.Array, grad: np.Array) => w.mul(1 - lr * weightDecay).sub(grad.mul(lr)),
    params,
    grads,
  ),
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
const held = heldOut(week);
console.log(`${scans.labels.length} scans, ${held.labels.length} held out`);

function trainEpoch(): void {
  for (const batch of al.loop("step", minibatches(scans, batchSize))) {
    const labels = np.array(batch.labels);
    const [loss, grads] = lossAndGrads(tree.ref(state.params), pixels(batch), labels);
    state.params = update(state.params, grads);
    al.log("loss", loss.item());
  }
}

function evaluate(): number {
  const predicted = read(tree.ref(state.params), pixels(held)).dataSync();
  al.log("accuracy", accuracy(predicted, held.labels));
  const f1 = al.log("f1", macroF1(predicted, held.labels));
  return f1;
}

type Digits = ArrayLike<number>;

function accuracy(predicted: Digits, labels: Digits): number {
  let right = 0;
  for (let i = 0; i < labels.length; i++) if (predicted[i] === labels[i]) right++;
  return right / labels.length;
}

/** Harmonic mean of precision and recall of one digit; 0 if none of it was read right. */
function f1Of(digit: number, predicted: Digits, labels: Digits): number {
  let hits = 0;
  let seen = 0;
  for (let i = 0; i < labels.length; i++) {
    if (predicted[i] === digit && labels[i] === digit) hits++;
    seen += Number(predicted[i] === digit) + Number(labels[i] === digit);
  }
  return seen === 0 ? 0 : (2 * hits) / seen;
}

function macroF1(predicted: Digits, labels: Digits): number {
  let sum = 0;
  for (let digit = 0; digit < DIGITS; digit++) sum += f1Of(digit, predicted, labels);
  return sum / DIGITS;
}

function save(): void {
  mkdirSync("weights", { recursive: true });
  const saved = Object.entries(state.params).map(([name, w]) => [name, w.ref.js()]);
  writeFileSync(`weights/week-${week}.json`, JSON.stringify(Object.fromEntries(saved)));
}

for (const epoch of al.loop("epoch", al.range(epochs))) {
  trainEpoch();
  console.log(`epoch ${epoch + 1} of ${epochs}: F1 ${evaluate().toFixed(3)}`);
}
save();

/** Reads digits on scanned forms. New scans come every week: afterlog run train.ts */
import * as al from "afterlog";
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { mkdirSync, writeFileSync } from "node:fs";
import { DIGITS, gaussian, heldOut, minibatches, PIXELS, scansOf, type Scans } from "./scans.ts";

const epochs = al.arg("epochs", 30);
const lr = al.arg("lr", 0.1);
const hidden = 32;
const week = al.arg("week", 1);

await init("wasm");
defaultDevice("wasm");

// 64 pixels -> hidden, relu -> 10 logits. An array passed on is given away: `.ref` keeps it.
type P = { w1: np.Array; b1: np.Array; w2: np.Array; b2: np.Array };

function random(n: number, m: number): np.Array {
  const values = Float32Array.from({ length: n * m }, () => Math.sqrt(2 / n) * gaussian());
  return np.array(values, { shape: [n, m] });
}

function logits(p: P, x: np.Array): np.Array {
  return np.dot(nn.relu(np.dot(x, p.w1).add(p.b1)), p.w2).add(p.b2);
}

function crossEntropy(p: P, x: np.Array, y: np.Array): np.Array {
  return nn.logSoftmax(logits(p, x)).mul(nn.oneHot(y, DIGITS)).sum(-1).mean().neg();
}

const lossAndGrads = jit(valueAndGrad(crossEntropy));
const descend = jit((p: P, g: P) => tree.map((w: np.Array, d: np.Array) => w.sub(d.mul(lr)), p, g));
const read = jit((p: P, x: np.Array) => np.argmax(logits(p, x), -1));

function pixels(scans: Scans): np.Array {
  return np.array(scans.images, { shape: [scans.labels.length, PIXELS] });
}

const params: P = {
  w1: random(PIXELS, hidden),
  b1: np.zeros([hidden]),
  w2: random(hidden, DIGITS),
  b2: np.zeros([DIGITS]),
};
const state = al.checkpointing({ params });
const scans = scansOf(week);

for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const batch of al.loop("step", minibatches(scans, 16))) {
    const y = np.array(batch.labels);
    const [loss, g] = lossAndGrads(tree.ref(state.params), pixels(batch), y);
    state.params = descend(state.params, g);
    al.log("loss", loss.item());
  }
  console.log(`week ${week}: ${epoch + 1} of ${epochs} epochs`);
}

const test = heldOut(week);
const guess = read(tree.ref(state.params), pixels(test)).dataSync();
let right = 0;
const f1s: number[] = [];
for (let d = 0; d < DIGITS; d++) {
  let hits = 0;
  let seen = 0;
  for (let i = 0; i < test.labels.length; i++) {
    if (guess[i] === d && test.labels[i] === d) hits++;
    seen += Number(guess[i] === d) + Number(test.labels[i] === d);
  }
  right += hits;
  f1s.push(seen === 0 ? 0 : (2 * hits) / seen);
}
al.log("accuracy", right / test.labels.length);
al.log("f1", f1s.reduce((a, b) => a + b) / DIGITS);

mkdirSync("weights", { recursive: true });
const saved = Object.entries(state.params).map(([name, w]) => [name, w.ref.js()]);
writeFileSync(`weights/week-${week}.json`, JSON.stringify(Object.fromEntries(saved)));

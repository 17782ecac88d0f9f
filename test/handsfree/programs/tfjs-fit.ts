/** @file TensorFlow.js as its tutorials show it: compile, `await model.fit(…)` with callbacks. */
import * as tf from "@tensorflow/tfjs";
import { makePoints } from "./shared/points.ts";

tf.enableProdMode();
await tf.setBackend("cpu");

const points = makePoints(48);
const xs = tf.tensor2d(points.map(({ x }) => x));
const ys = tf.tensor2d(points.map(({ label }) => [label]));

const model = tf.sequential();
model.add(tf.layers.dense({ inputShape: [3], units: 6, activation: "tanh" }));
model.add(tf.layers.dense({ units: 1, activation: "sigmoid" }));
model.compile({
  optimizer: tf.train.adam(0.05),
  loss: "binaryCrossentropy",
  metrics: ["accuracy"],
});

const sizeOf = (at: number) => tf.tidy(() => model.getWeights()[at].norm().dataSync()[0]);
const losses: number[] = [];
// probe prefix: console.log("kernel", sizeOf(0))

const history = await model.fit(xs, ys, {
  epochs: 4,
  batchSize: 12,
  callbacks: {
    onBatchEnd: (batch, logs) => {
      losses.push(logs?.["loss"] ?? NaN);
      // probe inner: console.log("kernel_in_batch", sizeOf(0))
    },
    onEpochEnd: (epoch, logs) => {
      console.log(`Epoch ${epoch}: loss = ${logs?.["loss"]} accuracy = ${logs?.["acc"]}`);
      // probe outer: console.log("bias", sizeOf(1))
    },
  },
});
// probe suffix: console.log("last_kernel", sizeOf(2))
console.log("epochs", history.epoch.length, "batches", losses.length);
const score = model.evaluate(xs, ys) as tf.Scalar[];
console.log("test loss", score[0].dataSync()[0]);

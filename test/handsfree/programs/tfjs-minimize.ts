/** @file TensorFlow.js with a loop of its own: variables, `optimizer.minimize`, `tf.tidy`. */
import * as tf from "@tensorflow/tfjs";
import { makePoints, shuffled } from "./shared/points.ts";

tf.enableProdMode();
await tf.setBackend("cpu");

const points = makePoints(48);
const w1 = tf.variable(tf.randomNormal([3, 5], 0, 0.5));
const w2 = tf.variable(tf.randomNormal([5, 1], 0, 0.5));
const optimizer = tf.train.momentum(0.2, 0.9);

const forward = (x: tf.Tensor2D) => tf.sigmoid(tf.matMul(tf.tanh(tf.matMul(x, w1)), w2));
const lossOf = (x: tf.Tensor2D, y: tf.Tensor2D): tf.Scalar => tf.losses.logLoss(y, forward(x));
const size = (t: tf.Tensor) => tf.tidy(() => t.norm().dataSync()[0]);

// probe prefix: console.log("size", size(w1))
for (let epoch = 0; epoch < 4; epoch++) {
  const order = shuffled(points);
  let sum = 0;
  for (let b = 0; b < 4; b++) {
    const batch = order.slice(12 * b, 12 * (b + 1));
    const x = tf.tensor2d(batch.map((p) => p.x));
    const y = tf.tensor2d(batch.map((p) => [p.label]));
    const loss = optimizer.minimize(() => lossOf(x, y), true)!;
    sum += loss.dataSync()[0];
    // probe inner: console.log("w2", size(w2))
    tf.dispose([x, y, loss]);
  }
  console.log("epoch", epoch, "loss", sum / 4);
  // probe outer: console.log("w1", size(w1))
  await tf.nextFrame();
}
// probe suffix: console.log("sizes", size(w1) + size(w2))
const all = tf.tensor2d(points.map((p) => p.x));
console.log("mean prediction", forward(all).mean().dataSync()[0]);

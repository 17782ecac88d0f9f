/**
 * @file The digits again, with TensorFlow.js: a layers model and a training loop of its own.
 * Afterlog captures the model and the optimizer where they stand; nothing is rebound.
 *
 *   afterlog run examples/digits-tfjs/train.ts epochs=5 lr=0.002
 */
import * as al from "afterlog";
import assert from "node:assert/strict";
import * as tf from "@tensorflow/tfjs";
import { accuracy, batches, CLASSES, f1ByDigit, loadDigits, PIXELS } from "../digits/digits.ts";
import type { Split } from "../digits/digits.ts";

// --- config -------------------------------------------------------------------------------------
const epochs = al.arg("epochs", 10);
const lr = al.arg("lr", 1e-2);
const hidden = al.arg("hidden", 64);
const batchSize = al.arg("batch_size", 32);

tf.enableProdMode(); // else it prints advice about tfjs-node
await tf.setBackend("cpu"); // plain JavaScript, so that nothing else need be installed

// --- model: 64 pixels -> hidden, relu -> 10 logits ----------------------------------------------
// The initializers draw their seeds from Math.random, which Afterlog seeds and records.
const model = tf.sequential();
model.add(
  tf.layers.dense({
    inputShape: [PIXELS],
    units: hidden,
    activation: "relu",
    kernelInitializer: "heNormal",
  }),
);
model.add(tf.layers.dense({ units: CLASSES }));
const optimizer = tf.train.adam(lr);
al.checkpointing({ model, optimizer });

function logitsOf({ images, labels }: Split): tf.Tensor {
  const logits = model.apply(tf.tensor2d(images, [labels.length, PIXELS]));
  assert(logits instanceof tf.Tensor);
  return logits;
}

/** Mean cross-entropy from logits: the softmax is inside the loss, where it cannot overflow. */
function crossEntropy(batch: Split): tf.Scalar {
  return tf.losses.softmaxCrossEntropy(tf.oneHot(batch.labels, CLASSES), logitsOf(batch));
}

// Tensors made inside tidy are freed at its end; numbers go out.
function trainStep(batch: Split): number {
  return tf.tidy(() => {
    const loss = optimizer.minimize(() => crossEntropy(batch), true);
    return loss?.dataSync()[0] ?? Number.NaN;
  });
}

function predict(split: Split): ArrayLike<number> {
  return tf.tidy(() => logitsOf(split).argMax(-1).dataSync());
}

// --- loop ---------------------------------------------------------------------------------------
const { train, test } = loadDigits();
for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const batch of al.loop("step", batches(train, batchSize))) {
    al.log("loss", trainStep(batch));
  }
  const correct = al.log("accuracy", accuracy(predict(test), test.labels));
  console.log(`epoch ${epoch + 1}/${epochs}  accuracy ${correct.toFixed(4)}`);
}

// --- test ---------------------------------------------------------------------------------------
const f1 = f1ByDigit(predict(test), test.labels);
al.log("f1", f1.reduce((sum, value) => sum + value) / CLASSES);
al.log("worst_digit", f1.indexOf(Math.min(...f1)));

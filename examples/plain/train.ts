/**
 * @file The digits once more, in plain TypeScript: two layers, gradients by hand, typed arrays.
 * Afterlog captures the arrays, which are changed in place.
 *
 *   afterlog run examples/plain/train.ts epochs=5 lr=0.02
 */
import * as al from "afterlog";
import { accuracy, batches, CLASSES, f1ByDigit, gaussian } from "../digits/digits.ts";
import { loadDigits, PIXELS } from "../digits/digits.ts";
import type { Split } from "../digits/digits.ts";

// --- config -------------------------------------------------------------------------------------
const epochs = al.arg("epochs", 10);
const lr = al.arg("lr", 0.05);
const hidden = al.arg("hidden", 64);
const batchSize = al.arg("batch_size", 32);
const momentum = 0.9;

// --- model: 64 pixels -> hidden, tanh -> 10 logits ----------------------------------------------
/** A dense layer: weights [inputs, outputs] row by row, biases, and the velocity of each. */
interface Layer {
  readonly inputs: number;
  readonly outputs: number;
  readonly w: Float32Array;
  readonly b: Float32Array;
  readonly vw: Float32Array;
  readonly vb: Float32Array;
}

/** Glorot initialization: variance 2 / (inputs + outputs) suits tanh both ways through. */
function dense(inputs: number, outputs: number): Layer {
  const scale = Math.sqrt(2 / (inputs + outputs));
  const size = inputs * outputs;
  return {
    inputs,
    outputs,
    w: Float32Array.from({ length: size }, () => scale * gaussian()),
    b: new Float32Array(outputs),
    vw: new Float32Array(size),
    vb: new Float32Array(outputs),
  };
}

const rowOf = (matrix: Float32Array, row: number, width: number): Float32Array =>
  matrix.subarray(row * width, (row + 1) * width);

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** target += scale * source */
function addScaled(target: Float32Array, scale: number, source: Float32Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) + scale * (source[i] ?? 0);
}

/** y = x w + b, for each row of x. */
function forward({ inputs, outputs, w, b }: Layer, x: Float32Array): Float32Array {
  const y = new Float32Array((x.length / inputs) * outputs);
  for (let row = 0; row < x.length / inputs; row++) {
    const out = rowOf(y, row, outputs);
    out.set(b);
    for (const [i, value] of rowOf(x, row, inputs).entries()) {
      if (value !== 0) addScaled(out, value, rowOf(w, i, outputs)); // half of the pixels are blank
    }
  }
  return y;
}

/** From dL/dy: returns dL/dx, and moves the layer by gradient descent with momentum. */
function backward(
  { inputs, outputs, w, b, vw, vb }: Layer,
  x: Float32Array,
  dy: Float32Array,
): Float32Array {
  const dx = new Float32Array(x.length);
  for (const velocity of [vw, vb]) velocity.set(velocity.map((v) => momentum * v));
  for (let row = 0; row < x.length / inputs; row++) {
    const d = rowOf(dy, row, outputs);
    addScaled(vb, -lr, d);
    for (const [i, value] of rowOf(x, row, inputs).entries()) {
      dx[row * inputs + i] = dot(d, rowOf(w, i, outputs));
      if (value !== 0) addScaled(rowOf(vw, i, outputs), -lr * value, d);
    }
  }
  addScaled(w, 1, vw);
  addScaled(b, 1, vb);
  return dx;
}

/** Mean cross-entropy; replaces each logit z by dL/dz = (softmax - one-hot) / rows. */
function softmaxCrossEntropy(logits: Float32Array, labels: Int32Array): number {
  let loss = 0;
  for (const [row, label] of labels.entries()) {
    const z = rowOf(logits, row, CLASSES);
    const largest = Math.max(...z); // subtracted before exp, which then cannot overflow
    const sum = z.reduce((total, value) => total + Math.exp(value - largest), 0);
    const logProbabilities = z.map((value) => value - largest - Math.log(sum));
    loss -= (logProbabilities[label] ?? 0) / labels.length;
    z.set(logProbabilities.map((p, k) => (Math.exp(p) - Number(k === label)) / labels.length));
  }
  return loss;
}

function predict({ images, labels }: Split): Int32Array {
  const logits = forward(layer2, forward(layer1, images).map(Math.tanh));
  return Int32Array.from(labels, (_, row) => {
    const z = rowOf(logits, row, CLASSES);
    return z.indexOf(Math.max(...z));
  });
}

// --- loop ---------------------------------------------------------------------------------------
const { train, test } = loadDigits();
const layer1 = dense(PIXELS, hidden);
const layer2 = dense(hidden, CLASSES);
al.checkpointing({ layer1, layer2 });

for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const { images, labels } of al.loop("step", batches(train, batchSize))) {
    const h = forward(layer1, images).map(Math.tanh);
    const logits = forward(layer2, h);
    al.log("loss", softmaxCrossEntropy(logits, labels));
    const dh = backward(layer2, h, logits); // `logits` holds their gradient by now
    const tanhSlope = h.map((value) => 1 - value ** 2);
    backward(
      layer1,
      images,
      dh.map((d, i) => d * (tanhSlope[i] ?? 0)),
    );
  }
  const correct = al.log("accuracy", accuracy(predict(test), test.labels));
  console.log(`epoch ${epoch + 1}/${epochs}  accuracy ${correct.toFixed(4)}`);
}

// --- test ---------------------------------------------------------------------------------------
const f1 = f1ByDigit(predict(test), test.labels);
al.log("f1", f1.reduce((sum, value) => sum + value) / CLASSES);
al.log("worst_digit", f1.indexOf(Math.min(...f1)));

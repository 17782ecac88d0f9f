/** TensorFlow.js: every optimizer, on variables of its own and under a compiled model. */
import * as tf from "@tensorflow/tfjs";
import { random, seed, train } from "./checkpoint-file.mjs";

console.warn = () => {};
await tf.setBackend("cpu");

const tensor = (shape, draw) =>
  tf.tensor(Float32Array.from({ length: tf.util.sizeFromShape(shape) }, draw), shape);
const x = tensor([12, 3], random(3));
const y = tensor([12, 1], random(4));

const OPTIMIZERS = {
  sgd: () => tf.train.sgd(0.1),
  momentum: () => tf.train.momentum(0.05, 0.9),
  nesterov: () => tf.train.momentum(0.05, 0.9, true),
  adagrad: () => tf.train.adagrad(0.1),
  adadelta: () => tf.train.adadelta(1, 0.9),
  adam: () => tf.train.adam(0.05),
  adamax: () => tf.train.adamax(0.05, 0.9, 0.99, 1e-8, 0.01),
  rmsprop: () => tf.train.rmsprop(0.02, 0.9, 0.5),
  centered: () => tf.train.rmsprop(0.02, 0.9, 0.5, 1e-7, true),
};

const results = {};
for (const [name, make] of Object.entries(OPTIMIZERS)) {
  const draw = random(seed);
  const w = tf.variable(tensor([3, 1], draw), true, `${name}/w`);
  const b = tf.variable(tensor([1], draw));
  const optimizer = make();
  const record = { w, b, optimizer };
  results[name] = train(name, record, (step) => {
    // A schedule that the program applies from outside: the rate is state too.
    if (step === 2 && "learningRate" in optimizer) optimizer.learningRate *= 0.5;
    if (step === 2 && name === "sgd") optimizer.setLearningRate(0.03);
    const cost = optimizer.minimize(() => tf.losses.meanSquaredError(y, x.matMul(w).add(b)), true, [
      w,
      b,
    ]);
    return [cost.dataSync()[0], optimizer.iterations];
  });
}

function buildModel(optimizer) {
  const draw = random(seed);
  const model = tf.sequential({
    layers: [
      tf.layers.dense({ units: 4, inputShape: [3], activation: "relu" }),
      tf.layers.batchNormalization(),
      tf.layers.dense({ units: 1 }),
    ],
  });
  model.setWeights(model.getWeights().map(({ shape }) => tensor(shape, () => draw() + 1)));
  model.compile({ optimizer, loss: "meanSquaredError" });
  return model;
}

/** One step of `trainOnBatch`, which is asynchronous only in form. */
function batchLoss(model) {
  const cost = () => tf.losses.meanSquaredError(y, model.apply(x, { training: true }));
  const weights = model.trainableWeights.map((weight) => weight.read());
  return model.optimizer.minimize(cost, true, weights).dataSync()[0];
}

for (const [name, optimizer] of [
  ["model", "adam"],
  ["frozen", tf.train.sgd(0.01)],
]) {
  const record = { model: buildModel(optimizer) };
  results[name] = train(name, record, (step) => {
    if (name === "frozen" && step === 2) record.model.layers[0].trainable = false;
    return [batchLoss(record.model), ...record.model.predict(x).dataSync()];
  });
}

const recurrent = {
  model: tf.sequential({
    layers: [tf.layers.simpleRNN({ units: 2, stateful: true, batchInputShape: [1, 2, 3] })],
  }),
};
const draw = random(seed);
recurrent.model.setWeights(recurrent.model.getWeights().map(({ shape }) => tensor(shape, draw)));
const series = tensor([1, 2, 3], random(9));
results.stateful = train("stateful", recurrent, () => [
  ...recurrent.model.predict(series).dataSync(),
]);
process.stdout.write(JSON.stringify(results));

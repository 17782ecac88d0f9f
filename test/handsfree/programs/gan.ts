/** @file A generative adversarial network for numbers around 3: two models, two optimizers. */
import * as tf from "@tensorflow/tfjs";

tf.enableProdMode();
await tf.setBackend("cpu");

const BATCH = 12;

function makeNetwork(output: "linear" | "sigmoid"): tf.Sequential {
  const network = tf.sequential();
  network.add(tf.layers.dense({ inputShape: [1], units: 5, activation: "tanh" }));
  network.add(tf.layers.dense({ units: 1, activation: output }));
  return network;
}

const generator = makeNetwork("linear");
const discriminator = makeNetwork("sigmoid");
const generatorOptimizer = tf.train.adam(0.02);
const discriminatorOptimizer = tf.train.adam(0.02);
const variablesOf = (network: tf.Sequential) =>
  network.trainableWeights.map((weight) => weight.read() as tf.Variable);

const noise = () => tf.randomUniform([BATCH, 1], -1, 1, "float32", Math.random());
const real = () => tf.randomNormal([BATCH, 1], 3, 0.5, "float32", Math.random());
const discriminate = (x: tf.Tensor) => discriminator.apply(x) as tf.Tensor;
const generate = (z: tf.Tensor) => generator.apply(z) as tf.Tensor;
const bce = (label: number, p: tf.Tensor): tf.Scalar =>
  tf.losses.logLoss(tf.fill(p.shape, label), p);

function trainDiscriminator(): number {
  return tf.tidy(() => {
    const x = real();
    const fake = generate(noise());
    const cost = discriminatorOptimizer.minimize(
      () => bce(1, discriminate(x)).add(bce(0, discriminate(fake))),
      true,
      variablesOf(discriminator),
    )!;
    return cost.dataSync()[0];
  });
}

function trainGenerator(): number {
  return tf.tidy(() => {
    const z = noise();
    const cost = generatorOptimizer.minimize(
      () => bce(1, discriminate(generate(z))),
      true,
      variablesOf(generator),
    )!;
    return cost.dataSync()[0];
  });
}

const size = (network: tf.Sequential) =>
  tf.tidy(() => network.getWeights()[0].norm().dataSync()[0]);

// probe prefix: console.log("g_before", size(generator))
for (let epoch = 0; epoch < 4; epoch++) {
  let dLoss = 0;
  let gLoss = 0;
  for (let step = 0; step < 6; step++) {
    dLoss += trainDiscriminator();
    gLoss += trainGenerator();
    // probe inner: console.log("d_size", size(discriminator))
  }
  console.log("epoch", epoch, { dLoss, gLoss });
  // probe outer: console.log("g_size", size(generator))
}
// probe suffix: console.log("g_end", size(generator), "d_end", size(discriminator))
const mean = tf.tidy(
  () =>
    generate(tf.linspace(-1, 1, 21).reshape([21, 1]))
      .mean()
      .dataSync()[0],
);
console.log("mean of the fakes", mean);

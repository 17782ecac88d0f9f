//: about TensorFlow.js transfer learning: a body is trained, frozen, and gets a new head
//: needs @tensorflow/tfjs
//: quick --epochs 2
//: full --epochs 110
import * as tf from "@tensorflow/tfjs";

const epochs = Number(process.argv[3] ?? 2);
tf.enableProdMode();
await tf.setBackend("cpu");

let s = 77;
const random = () => (s = (s * 16807) % 2147483647) / 2147483647;

function blobs(count, centers) {
  const xs = [];
  const labels = [];
  for (let n = 0; n < count; n++) {
    const label = n % centers.length;
    labels.push(label);
    xs.push(centers[label].map((c) => c + 0.6 * (random() - 0.5)));
  }
  return { xs: tf.tensor2d(xs), ys: tf.oneHot(tf.tensor1d(labels, "int32"), centers.length) };
}

const dense = (units, activation, seed, extra = {}) =>
  tf.layers.dense({
    units,
    activation,
    kernelInitializer: tf.initializers.heNormal({ seed }),
    ...extra,
  });

const corner = (bits) => Array.from({ length: 16 }, (_, i) => ((bits >> (i % 4)) & 1 ? 1 : -1));
const source = blobs(256, [corner(1), corner(2), corner(4), corner(8)]);
const target = blobs(192, [corner(3), corner(12), corner(5)]);

const body = tf.sequential({
  layers: [dense(48, "relu", 1, { inputShape: [16] }), dense(32, "relu", 2)],
});
const base = tf.sequential({ layers: [body, dense(4, "softmax", 3)] });
base.compile({ optimizer: tf.train.adam(0.003), loss: "categoricalCrossentropy" });
await base.fit(source.xs, source.ys, {
  epochs,
  batchSize: 8,
  shuffle: false,
  verbose: 0,
  callbacks: { onEpochEnd: (epoch, logs) => console.log("pretraining", epoch, logs.loss) },
});

body.trainable = false;
const tuned = tf.sequential({ layers: [body, dense(24, "relu", 4), dense(3, "softmax", 5)] });
const optimizer = tf.train.sgd(0.02);
for (let pass = 0; pass < epochs; pass++) {
  let sum = 0;
  for (let part = 0; part < 24; part++) {
    const loss = tf.tidy(() => {
      const x = target.xs.slice([part * 8, 0], [8, 16]);
      const y = target.ys.slice([part * 8, 0], [8, 3]).toFloat();
      const variables = tuned.trainableWeights.map((one) => one.read());
      const cost = () => tf.metrics.categoricalCrossentropy(y, tuned.apply(x)).mean();
      return optimizer.minimize(cost, true, variables).dataSync()[0];
    });
    //: ask step head = tuned.layers[2].getWeights()[0].dataSync()[1] where pass = 1 and part = 7
    sum += loss;
  }
  //: ask outer size = tf.tidy(() => tuned.layers[1].getWeights()[0].square().sum().dataSync()[0])
  console.log("tuning", pass, sum / 24);
}
//: ask suffix body0 = body.getWeights()[0].dataSync()[0]
const right = tf.tidy(() =>
  tuned.predict(target.xs).argMax(-1).equal(target.ys.argMax(-1)).sum().dataSync(),
);
console.log("right", right[0]);

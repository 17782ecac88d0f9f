//: about TensorFlow.js layers model, fit with callbacks and validation
//: needs @tensorflow/tfjs
//: quick --epochs 3
//: full --epochs 36
import * as tf from "@tensorflow/tfjs";

const epochs = Number(process.argv[3] ?? 3);
tf.enableProdMode();
await tf.setBackend("cpu");

let seed = 11;
function random() {
  seed = (seed * 48271) % 2147483647;
  return seed / 2147483647;
}

function makeImages(count) {
  const pixels = new Float32Array(count * 144);
  const labels = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const label = Math.floor(random() * 3);
    labels[n] = label;
    for (let p = 0; p < 144; p++) {
      const row = Math.floor(p / 12);
      const column = p % 12;
      const lit = label === 0 ? row === 5 : label === 1 ? column === 5 : row === column;
      pixels[n * 144 + p] = (lit ? 1 : 0) + 0.4 * (random() - 0.5);
    }
  }
  return { xs: tf.tensor4d(pixels, [count, 12, 12, 1]), ys: tf.oneHot(labels, 3) };
}

function createModel() {
  const model = tf.sequential();
  const init = (s) => tf.initializers.glorotUniform({ seed: s });
  model.add(
    tf.layers.conv2d({
      inputShape: [12, 12, 1],
      kernelSize: 3,
      filters: 6,
      activation: "relu",
      kernelInitializer: init(1),
    }),
  );
  model.add(tf.layers.maxPooling2d({ poolSize: 2 }));
  model.add(tf.layers.flatten());
  model.add(tf.layers.dense({ units: 24, activation: "relu", kernelInitializer: init(2) }));
  model.add(tf.layers.dense({ units: 3, activation: "softmax", kernelInitializer: init(3) }));
  model.compile({ optimizer: "adam", loss: "categoricalCrossentropy", metrics: ["accuracy"] });
  return model;
}

const train = makeImages(192);
const test = makeImages(48);
const model = createModel();
const history = [];
await model.fit(train.xs, train.ys, {
  epochs,
  batchSize: 16,
  shuffle: false,
  validationData: [test.xs, test.ys],
  verbose: 0,
  callbacks: {
    onEpochEnd: (epoch, logs) => {
      history.push(logs.val_loss);
      //: ask outer kernel = tf.tidy(() => model.getWeights()[0].square().sum().dataSync()[0])
      console.log(`epoch ${epoch} loss ${logs.loss.toFixed(6)} val ${logs.val_loss.toFixed(6)}`);
    },
    onBatchEnd: (batch, logs) => {
      if (!Number.isFinite(logs.loss)) throw new Error("diverged");
      //: ask step bias = model.getWeights()[1].dataSync()[0] where epoch = 1 and batch = 4 when batch === 4 && history.length === 1
    },
  },
});
//: ask suffix dense = tf.tidy(() => model.getWeights()[4].square().sum().dataSync()[0])
const [loss, accuracy] = model.evaluate(test.xs, test.ys, { verbose: 0 });
console.log("test loss", loss.dataSync()[0], "accuracy", accuracy.dataSync()[0]);

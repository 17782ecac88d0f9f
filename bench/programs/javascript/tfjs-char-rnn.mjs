//: about TensorFlow.js character model (LSTM), fit inside of a loop, a text sampled after each
//: needs @tensorflow/tfjs
//: quick --rounds 2
//: full --rounds 60
import * as tf from "@tensorflow/tfjs";

const rounds = Number(process.argv[3] ?? 2);
tf.enableProdMode();
await tf.setBackend("cpu");

const text = "the rain in spain stays mainly in the plain; the train to spain came again in rain. ";
const alphabet = [...new Set(text)].toSorted();
const LENGTH = 8;

class TextData {
  constructor(source, chars) {
    this.source = source;
    this.chars = chars;
    this.position = 0;
  }

  next(count) {
    const xs = tf.buffer([count, LENGTH, this.chars.length]);
    const ys = tf.buffer([count, this.chars.length]);
    for (let n = 0; n < count; n++) {
      for (let k = 0; k < LENGTH; k++) xs.set(1, n, k, this.indexAt(this.position + k));
      ys.set(1, n, this.indexAt(this.position + LENGTH));
      this.position = (this.position + 3) % this.source.length;
    }
    return [xs.toTensor(), ys.toTensor()];
  }

  indexAt(position) {
    return this.chars.indexOf(this.source[position % this.source.length]);
  }
}

const data = new TextData(text, alphabet);
const model = tf.sequential();
model.add(
  tf.layers.lstm({
    units: 16,
    inputShape: [LENGTH, alphabet.length],
    kernelInitializer: tf.initializers.glorotUniform({ seed: 3 }),
    recurrentInitializer: tf.initializers.glorotUniform({ seed: 4 }),
  }),
);
model.add(
  tf.layers.dense({
    units: alphabet.length,
    activation: "softmax",
    kernelInitializer: tf.initializers.glorotUniform({ seed: 5 }),
  }),
);
model.compile({ optimizer: tf.train.rmsprop(0.02), loss: "categoricalCrossentropy" });

function sample(length) {
  let written = text.slice(0, LENGTH);
  for (let n = 0; n < length; n++) {
    const best = tf.tidy(() => {
      const xs = tf.buffer([1, LENGTH, alphabet.length]);
      for (const [k, character] of [...written.slice(-LENGTH)].entries()) {
        xs.set(1, 0, k, alphabet.indexOf(character));
      }
      return model.predict(xs.toTensor()).argMax(-1).dataSync()[0];
    });
    written += alphabet[best];
  }
  return written.slice(LENGTH);
}

const losses = [];
for (let round = 0; round < rounds; round++) {
  const [xs, ys] = data.next(64);
  const result = await model.fit(xs, ys, { epochs: 2, batchSize: 16, shuffle: false, verbose: 0 });
  tf.dispose([xs, ys]);
  losses.push(...result.history.loss);
  //: ask outer recurrent = tf.tidy(() => model.getWeights()[1].square().sum().dataSync()[0])
  console.log("round", round, "loss", losses.at(-1), JSON.stringify(sample(6)));
  //: ask step position = data.position where round = 1
}
//: ask suffix softmax = model.getWeights()[4].dataSync()[0]
console.log("text", sample(10));

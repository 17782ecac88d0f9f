//: about TensorFlow.js variational autoencoder with variables and Adam
//: needs @tensorflow/tfjs
//: quick --epochs 2
//: full --epochs 135
import * as tf from "@tensorflow/tfjs";

const epochs = Number(process.argv[3] ?? 2);
tf.enableProdMode();
await tf.setBackend("cpu");

const SIZE = 36;
const LATENT = 2;
let drawn = 0;
const normal = (shape) => tf.randomNormal(shape, 0, 1, "float32", ++drawn);

class Dense {
  constructor(inputs, outputs) {
    this.kernel = tf.variable(tf.tidy(() => normal([inputs, outputs]).mul(Math.sqrt(1 / inputs))));
    this.bias = tf.variable(tf.zeros([outputs]));
  }

  call(x) {
    return x.matMul(this.kernel).add(this.bias);
  }
}

class Vae {
  constructor() {
    this.hidden = new Dense(SIZE, 32);
    this.mean = new Dense(32, LATENT);
    this.logVariance = new Dense(32, LATENT);
    this.up = new Dense(LATENT, 32);
    this.out = new Dense(32, SIZE);
  }

  encode(x) {
    const h = this.hidden.call(x).relu();
    return [this.mean.call(h), this.logVariance.call(h)];
  }

  decode(z) {
    return this.out.call(this.up.call(z).relu()).sigmoid();
  }

  loss(x) {
    const [mean, logVariance] = this.encode(x);
    const z = mean.add(logVariance.mul(0.5).exp().mul(normal(mean.shape)));
    const y = this.decode(z).clipByValue(1e-6, 1 - 1e-6);
    const one = tf.scalar(1);
    const likelihood = x
      .mul(y.log())
      .add(one.sub(x).mul(one.sub(y).log()))
      .sum(1);
    const divergence = one.add(logVariance).sub(mean.square()).sub(logVariance.exp()).sum(1);
    return likelihood.neg().sub(divergence.mul(0.5)).mean();
  }
}

let s = 3;
const random = () => (s = (s * 48271) % 2147483647) / 2147483647;
const images = tf.tensor2d(
  Array.from({ length: 256 }, () => {
    const row = Math.floor(random() * 6);
    return Array.from({ length: SIZE }, (_, p) => (Math.floor(p / 6) === row ? 0.95 : 0.05));
  }),
);

const vae = new Vae();
const optimizer = tf.train.adam(0.01);
for (let epoch = 0; epoch < epochs; epoch++) {
  const losses = [];
  for (let step = 0; step < 32; step++) {
    const loss = tf.tidy(() => {
      const batch = images.slice([step * 8, 0], [8, SIZE]);
      return optimizer.minimize(() => vae.loss(batch), true).dataSync()[0];
    });
    losses.push(loss);
    //: ask step up = vae.up.kernel.dataSync()[3] where epoch = 1 and step = 20
  }
  //: ask outer spread = tf.tidy(() => vae.encode(images)[0].square().mean().dataSync()[0])
  console.log(`epoch ${epoch}: ${losses.reduce((a, b) => a + b) / losses.length}`);
}
//: ask suffix draws = drawn
console.log("bias", vae.out.bias.dataSync()[0]);

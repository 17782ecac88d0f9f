//: about TensorFlow.js, a loop of one's own with optimizer.minimize (polynomial regression)
//: needs @tensorflow/tfjs
//: quick --epochs 12
//: full --epochs 1100
import * as tf from "@tensorflow/tfjs";

const epochs = Number(process.argv[3] ?? 3);
tf.enableProdMode();
await tf.setBackend("cpu");

interface Coefficients {
  a: tf.Variable;
  b: tf.Variable;
  c: tf.Variable;
  d: tf.Variable;
}

let state = 5;
const random = (): number => (state = (state * 16807) % 2147483647) / 2147483647;

function generate(points: number, truth: readonly number[]): { xs: number[]; ys: number[] } {
  const xs = Array.from({ length: points }, () => 2 * random() - 1);
  const ys = xs.map((x) => {
    const [a = 0, b = 0, c = 0, d = 0] = truth;
    return a * x ** 3 + b * x ** 2 + c * x + d + 0.02 * (random() - 0.5);
  });
  return { xs, ys };
}

const variable = (): tf.Variable => tf.variable(tf.scalar(random()));
const fitted: Coefficients = { a: variable(), b: variable(), c: variable(), d: variable() };
const optimizer = tf.train.momentum(0.1, 0.8);

function predict(x: tf.Tensor): tf.Tensor {
  const { a, b, c, d } = fitted;
  return tf.tidy(() => a.mul(x.pow(3)).add(b.mul(x.square())).add(c.mul(x)).add(d));
}

const { xs, ys } = generate(640, [-0.8, -0.2, 0.9, 0.5]);
const batchSize = 16;
const meanLosses: number[] = [];
for (let epoch = 0; epoch < epochs; epoch++) {
  let total = 0;
  for (let batch = 0; batch < xs.length / batchSize; batch++) {
    const loss = tf.tidy(() => {
      const x = tf.tensor1d(xs.slice(batch * batchSize, (batch + 1) * batchSize));
      const y = tf.tensor1d(ys.slice(batch * batchSize, (batch + 1) * batchSize));
      const cost = optimizer.minimize(() => predict(x).sub(y).square().mean() as tf.Scalar, true);
      return cost?.dataSync()[0] ?? Number.NaN;
    });
    //: ask step slope = fitted.c.dataSync()[0] where epoch = 1 and batch = 4
    total += loss;
  }
  meanLosses.push(total / (xs.length / batchSize));
  //: ask outer cubic = fitted.a.dataSync()[0]
  console.log("epoch", epoch, "loss", meanLosses.at(-1));
}
//: ask suffix least = Math.min(...meanLosses)
console.log("a", fitted.a.dataSync()[0], "d", fitted.d.dataSync()[0]);

//: about TensorFlow.js cart-pole: policy gradients, an environment in a class, games of several lengths
//: needs @tensorflow/tfjs
//: quick --iterations 3
//: full --iterations 90
import * as tf from "@tensorflow/tfjs";

const iterations = Number(process.argv[3] ?? 3);
tf.enableProdMode();
await tf.setBackend("cpu");

let s = 123;
const random = () => (s = (s * 48271) % 2147483647) / 2147483647;

class CartPole {
  constructor() {
    this.setRandomState();
  }

  setRandomState() {
    this.x = random() - 0.5;
    this.xDot = (random() - 0.5) * 0.5;
    this.theta = (random() - 0.5) * 0.2;
    this.thetaDot = (random() - 0.5) * 0.4;
  }

  getStateTensor() {
    return tf.tensor2d([[this.x, this.xDot, this.theta, this.thetaDot]]);
  }

  update(action) {
    const force = action > 0 ? 10 : -10;
    const cos = Math.cos(this.theta);
    const sin = Math.sin(this.theta);
    const temp = (force + 0.05 * this.thetaDot ** 2 * sin) / 1.1;
    const thetaAcc = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - (0.1 * cos ** 2) / 1.1));
    const xAcc = temp - (0.05 * thetaAcc * cos) / 1.1;
    this.x += 0.02 * this.xDot;
    this.xDot += 0.02 * xAcc;
    this.theta += 0.02 * this.thetaDot;
    this.thetaDot += 0.02 * thetaAcc;
    return Math.abs(this.x) > 2.4 || Math.abs(this.theta) > 0.21;
  }
}

class PolicyNetwork {
  constructor(hidden) {
    const init = (seed) => tf.initializers.glorotUniform({ seed });
    this.model = tf.sequential();
    this.model.add(
      tf.layers.dense({
        units: hidden,
        activation: "elu",
        inputShape: [4],
        kernelInitializer: init(8),
      }),
    );
    this.model.add(tf.layers.dense({ units: 1, kernelInitializer: init(9) }));
    this.action = 0;
  }

  gradientsOf(state) {
    const f = () =>
      tf.tidy(() => {
        const logit = this.model.predict(state);
        const left = tf.sigmoid(logit).dataSync()[0];
        this.action = random() > left ? 0 : 1;
        return tf.losses.sigmoidCrossEntropy(tf.tensor2d([[this.action]]), logit).asScalar();
      });
    return tf.variableGrads(f);
  }

  train(cartPole, optimizer, discount, games, stepsMax) {
    const all = {};
    const rewards = [];
    const lengths = [];
    for (let game = 0; game < games; game++) {
      cartPole.setRandomState();
      const gameRewards = [];
      for (let step = 0; step < stepsMax; step++) {
        const state = cartPole.getStateTensor();
        const { grads, value } = this.gradientsOf(state);
        tf.dispose([state, value]);
        for (const [name, gradient] of Object.entries(grads)) {
          ((all[name] ??= [])[game] ??= []).push(gradient);
        }
        const isDone = cartPole.update(this.action);
        gameRewards.push(isDone ? 0 : 1);
        //: ask step angle = cartPole.theta where iteration = 1 and game = 2 and step = 3 when lengths.length === 2 && step === 3 && trained === 1
        if (isDone) break;
      }
      lengths.push(gameRewards.length);
      rewards.push(gameRewards);
    }
    tf.tidy(() => {
      const scaled = discounted(rewards, discount);
      optimizer.applyGradients(meanGradients(all, scaled));
    });
    tf.dispose(all);
    return lengths;
  }
}

function discounted(rewards, discount) {
  const sums = rewards.map((game) => {
    const values = [];
    let sum = 0;
    for (let i = game.length - 1; i >= 0; i--) values.unshift((sum = game[i] + discount * sum));
    return values;
  });
  const flat = sums.flat();
  const mean = flat.reduce((a, b) => a + b) / flat.length;
  const deviation = Math.sqrt(flat.reduce((a, b) => a + (b - mean) ** 2, 0) / flat.length);
  return sums.map((game) => game.map((value) => (value - mean) / (deviation + 1e-8)));
}

function meanGradients(all, scaled) {
  const means = {};
  for (const [name, games] of Object.entries(all)) {
    const weighted = games.flatMap((game, g) => game.map((one, k) => one.mul(scaled[g][k])));
    means[name] = tf.addN(weighted).div(weighted.length);
  }
  return means;
}

const policy = new PolicyNetwork(12);
const optimizer = tf.train.adam(0.02);
const system = new CartPole();
let trained = 0;
const means = [];
for (let iteration = 0; iteration < iterations; iteration++) {
  const lengths = policy.train(system, optimizer, 0.95, 8, 40);
  trained++;
  means.push(lengths.reduce((a, b) => a + b) / lengths.length);
  //: ask outer weight = policy.model.getWeights()[0].dataSync()[5]
  console.log("iteration", iteration, "mean steps", means.at(-1));
}
//: ask suffix best = Math.max(...means)
console.log("bias", policy.model.getWeights()[3].dataSync()[0]);

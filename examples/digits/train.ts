/**
 * @file A small network learns to read handwritten digits, with jax-js. About three seconds.
 *
 *   afterlog run examples/digits/train.ts epochs=5 lr=0.002
 */
import * as al from "afterlog";
import { defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { accuracy, batches, CLASSES, f1ByDigit, gaussian, loadDigits, PIXELS } from "./digits.ts";

// --- config -------------------------------------------------------------------------------------
const epochs = al.arg("epochs", 10);
const lr = al.arg("lr", 5e-3);
const hidden = al.arg("hidden", 128);
const batchSize = al.arg("batch_size", 32);
const beta1 = 0.9; // Adam: decay of the running mean of the gradients,
const beta2 = 0.999; // and of their squares
const epsilon = 1e-8; // keeps the step finite where a gradient has always been zero

await init("wasm");
defaultDevice("wasm");

// --- model: 64 pixels -> hidden, relu -> 10 logits ----------------------------------------------
// jax-js counts references: an array passed to a function is given away unless passed as `x.ref`.
type Params = { w1: np.Array; b1: np.Array; w2: np.Array; b2: np.Array };
type Adam = { mean: Params; square: Params; step: np.Array };

/** He initialization: variance 2 / inputs keeps activations in scale through the relu. */
function heNormal(inputs: number, outputs: number): np.Array {
  const scale = Math.sqrt(2 / inputs);
  const values = Float32Array.from({ length: inputs * outputs }, () => scale * gaussian());
  return np.array(values, { shape: [inputs, outputs] });
}

function logits(p: Params, x: np.Array): np.Array {
  const h = nn.relu(np.dot(x, p.w1).add(p.b1));
  return np.dot(h, p.w2).add(p.b2);
}

/** Mean cross-entropy in nats; logSoftmax subtracts the largest logit, so exp cannot overflow. */
function crossEntropy(p: Params, x: np.Array, y: np.Array): np.Array {
  const logProbabilities = nn.logSoftmax(logits(p, x));
  return logProbabilities.mul(nn.oneHot(y, CLASSES)).sum(-1).mean().neg();
}

const decay = (old: np.Array, now: np.Array, beta: number): np.Array =>
  old.mul(beta).add(now.mul(1 - beta));

/** One step of Adam (Kingma and Ba, 2015, algorithm 1). */
function adam(p: Params, opt: Adam, grads: Params): [Params, Adam] {
  const mean = tree.map((m: np.Array, g: np.Array) => decay(m, g.ref, beta1), opt.mean, grads);
  const square = tree.map(
    (s: np.Array, g: np.Array) => decay(s, np.square(g), beta2),
    opt.square,
    grads,
  );
  const step = opt.step.add(1);
  // Both means start at zero; dividing them by 1 - beta^step takes that bias out.
  const bias = (beta: number): np.Array => np.power(beta, step.ref).neg().add(1);
  const params = tree.map(
    (w: np.Array, m: np.Array, s: np.Array) => {
      const deviation = np.sqrt(s.ref.div(bias(beta2))).add(epsilon);
      return w.sub(m.ref.div(bias(beta1)).div(deviation).mul(lr));
    },
    p,
    mean,
    square,
  );
  return [params, { mean, square, step }];
}

// Each is compiled once for every shape it meets: full batches, and the last, smaller one.
const lossAndGrads = jit(valueAndGrad(crossEntropy));
const update = jit(adam);
const predict = jit((p: Params, x: np.Array) => np.argmax(logits(p, x), -1));

// --- init ---------------------------------------------------------------------------------------
const { train, test } = loadDigits();
const testImages = np.array(test.images, { shape: [test.labels.length, PIXELS] });
const params: Params = {
  w1: heNormal(PIXELS, hidden),
  b1: np.zeros([hidden]),
  w2: heNormal(hidden, CLASSES),
  b2: np.zeros([CLASSES]),
};
const zeros = (): Params => tree.map((w: np.Array) => np.zeros(w.shape), params);
const opt: Adam = { mean: zeros(), square: zeros(), step: np.zeros([]) };
const state = al.checkpointing({ params, opt });

const evaluate = (): ArrayLike<number> =>
  predict(tree.ref(state.params), testImages.ref).dataSync();

// --- loop ---------------------------------------------------------------------------------------
for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const batch of al.loop("step", batches(train, batchSize))) {
    const x = np.array(batch.images, { shape: [batch.labels.length, PIXELS] });
    const y = np.array(batch.labels);
    const [loss, grads] = lossAndGrads(tree.ref(state.params), x, y);
    [state.params, state.opt] = update(state.params, state.opt, grads);
    al.log("loss", loss.item());
  }
  const correct = al.log("accuracy", accuracy(evaluate(), test.labels));
  console.log(`epoch ${epoch + 1}/${epochs}  accuracy ${correct.toFixed(4)}`);
}

// --- test ---------------------------------------------------------------------------------------
const f1 = f1ByDigit(evaluate(), test.labels);
al.log("f1", f1.reduce((sum, value) => sum + value) / CLASSES);
al.log("worst_digit", f1.indexOf(Math.min(...f1)));

/**
 * State read back is the state that was kept: a training that starts in a fresh process from a
 * checkpoint file of another run goes on with exactly the losses of the uninterrupted one.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listCheckpoints } from "../../src/store/index.ts";
import { TestProject } from "../support/project.ts";

/** Trains from `from` on; restores first if a file is given. */
const LOOP = `
const from = al.arg("from", 0);
const file = al.arg("file", "");
if (file !== "") al.restore(state, file);
for (const epoch of al.loop("epoch", al.range(from, 6))) {
  for (const step of al.loop("step", al.range(4))) al.log("loss", train());
}
`;

const DATA = `
const draw = () => Float32Array.from({ length: 8 }, () => Math.random() - 0.5);
`;

const PROGRAMS: { readonly [name: string]: string } = {
  "jax-js pytree with Adam": `
import * as al from "afterlog";
import { init, defaultDevice, numpy as np, valueAndGrad, tree } from "@jax-js/jax";
await init("wasm"); defaultDevice("wasm");
${DATA}
const zeros = () => ({ w: np.zeros([8, 1500]), b: np.zeros([1500]) });
const state = al.checkpointing({ params: zeros(), mean: zeros(), square: zeros(), step: 0 });
const loss = (p, x) => np.square(np.dot(x, p.w).add(p.b).sub(1)).mean();
function train() {
  const x = np.array(draw(), { shape: [1, 8] });
  const [value, grads] = valueAndGrad(loss)(tree.ref(state.params), x);
  state.step++;
  state.mean = tree.map((m, g) => m.mul(0.9).add(g.mul(0.1)), state.mean, tree.ref(grads));
  state.square = tree.map((s, g) => s.mul(0.99).add(np.square(g).mul(0.01)), state.square, grads);
  state.params = tree.map((p, m, s) => p.sub(m.ref.div(np.sqrt(s.ref).add(1e-8)).mul(0.01)), state.params, state.mean, state.square);
  return value.item();
}
${LOOP}`,
  "TensorFlow.js model with its optimizer": `
import * as al from "afterlog";
import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
${DATA}
const model = tf.sequential({ layers: [
  tf.layers.dense({ units: 16, activation: "tanh", inputShape: [8] }),
  tf.layers.batchNormalization(),
  tf.layers.dense({ units: 1 }),
] });
const optimizer = tf.train.adam(0.01);
const state = al.checkpointing({ model, optimizer });
function train() {
  const x = tf.tensor2d(draw(), [1, 8]);
  const value = optimizer.minimize(() => model.apply(x, { training: true }).sub(1).square().mean(), true);
  return value.dataSync()[0];
}
${LOOP}`,
  "typed arrays and plain data": `
import * as al from "afterlog";
${DATA}
class Momentum {
  velocity = new Float32Array(5000);
  history = new Map();
  step(w, g) { for (let i = 0; i < w.length; i++) w[i] -= 0.1 * (this.velocity[i] = 0.9 * this.velocity[i] + g[i % 8]); }
}
const weights = new Float32Array(5000);
const state = al.checkpointing({ weights, optimizer: new Momentum(), seen: new Set(), best: { loss: Infinity, at: null } });
function train() {
  const x = draw();
  state.optimizer.step(state.weights, x);
  const loss = state.weights.reduce((sum, w) => sum + w * w, 0);
  state.optimizer.history.set(state.optimizer.history.size, loss);
  state.seen.add(x[0]);
  if (loss < state.best.loss) state.best = { loss, at: state.seen.size };
  return loss + state.optimizer.history.get(Math.max(0, state.optimizer.history.size - 3)) + state.best.at;
}
${LOOP}`,
};

const EVERY = { AFTERLOG_OVERHEAD: "inf", AFTERLOG_SEED: "7" };

describe("training goes on from a checkpoint of another process", () => {
  test.each(Object.keys(PROGRAMS))("%s", async (name) => {
    using project = new TestProject({ "train.mjs": PROGRAMS[name] ?? "" });
    const whole = await project.start(["train.mjs"], EVERY).finished;
    expect(whole.stderr).not.toContain("warning");
    expect(whole.code).toBe(0);
    const { run } = project;
    const truth = project.logged("loss");
    expect(truth).toHaveLength(24);
    const ends = listCheckpoints(run).filter(
      ({ kind, path }) => kind === "iteration" && path.length === 1,
    );
    expect(ends.length).toBe(6);
    for (const { path, file } of [ends[0], ends.at(-2)].flatMap((end) => end ?? [])) {
      const from = Number(path[0]?.[1]) + 1;
      const checkpoint = join(run, "checkpoints", file);
      const resumed = await project.start(["train.mjs", `from=${from}`, `file=${checkpoint}`], {
        ...EVERY,
        AFTERLOG_SEED: "999",
      }).finished;
      expect(resumed.stderr).not.toContain("rror");
      expect(project.logged("loss"), `from epoch ${from}`).toEqual(truth.slice(from * 4));
    }
  });
});

/** The middle of an epoch of `model.fit` over the real TensorFlow.js: killed there and resumed, and asked there. */
import { expect, test } from "vitest";
import { ask, costOf, edit } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";

const BATCHES = 20;

const setup = (head: string): string => `${head}
import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.tensor2d(Float32Array.from({ length: 250 }, (_, i) => Math.sin(i)), [125, 2]);
const y = x.sum(1, true);
const model = tf.sequential({ layers: [tf.layers.dense({ units: 3, inputShape: [2] }), tf.layers.dropout({ rate: 0.2 }), tf.layers.dense({ units: 1 })] });
model.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError", metrics: ["mse"] });
const norm = () => tf.tidy(() => model.getWeights()[0].norm().dataSync()[0]);
const options = { epochs: 3, batchSize: 5, validationSplit: 0.2, verbose: 0 };
let seen = 0;
`;

/** It says what is recorded, and how often a checkpoint is taken. */
const ASKED = `${setup('import * as al from "afterlog";')}
const told = {
  onBatchBegin: (batch) => { seen += batch; },
  onBatchEnd: (batch, logs) => {
    seen += logs.loss;
    console.log("batch", batch);
    //PROBE al.log("norm", norm());
  },
  onEpochEnd: (epoch, logs) => { al.log("sum", seen + logs.val_mse + Math.random()); },
};
const { history } = await model.fit(x, y, { ...options, callbacks: [told, al.fitCallback(model, { every: 6 })] });
al.log("end", [history.loss.join(), history.val_loss.join(), norm(), seen].join());
`;

/** It knows nothing of us, and its callbacks are classes; `stopping` is the library's own. */
const UNKNOWING = `${setup("")}
class Told extends tf.Callback {
  async onBatchEnd(batch, logs) {
    seen += (await logs.loss.data())[0];
    console.log("batch", batch);
    //PROBE console.log("norm", norm());
  }
  async onEpochEnd(epoch, logs) { seen += (await logs.val_mse.data())[0] + Math.random(); }
}
const stopping = tf.callbacks.earlyStopping({ monitor: "loss", patience: 5 });
const { history } = await model.fit(x, y, { ...options, callbacks: [new Told(), stopping] });
console.log("end", history.loss[1] + history.loss[2] + history.val_loss[1] + norm() + seen);
`;

/** The same by our own function. */
const OURS = ASKED.replace("model.fit(", "al.fit(model, ");

/** In the middle of which persist it is killed, and from how many batches the asked one is reached. */
test.each<[string, string, { overhead: string[]; persist: number; most: number }]>([
  ["every so many batches", ASKED, { overhead: [], persist: 7, most: 6 }],
  ["every so many batches of al.fit", OURS, { overhead: [], persist: 7, most: 6 }],
  ["as the budget allows", UNKNOWING, { overhead: ["--overhead", "inf"], persist: 30, most: 2 }],
])("an epoch is begun in its middle: checkpoints %s", async (_, text, { overhead, ...how }) => {
  const probed = text.replace("//PROBE ", "");
  const files = { ".gitignore": "node_modules\n" };
  const argv = ["run", ...overhead, "--seed", "3"];
  const LOGS =
    "SELECT path, name, number, text FROM logs WHERE name <> 'norm' AND origin <> 'hindsight' ORDER BY seq";
  using other = new TestProject({ ...files, "train.mjs": probed });
  const plain = await other.afterlog("run", "--overhead", "0", "--seed", "3", "train.mjs");
  expect(plain.code, plain.stderr).toBe(0);

  using project = new TestProject({ ...files, "train.mjs": text });
  const crash = { AFTERLOG_CRASH_AT: `persist:before-rename#${how.persist}` };
  await project.afterlogWith(crash, ...argv, "train.mjs");
  const resumed = await project.afterlog(...argv, "--resume", "train.mjs");
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toMatch(/resumes after epoch=1,batch=\d+/);
  const executed = resumed.stdout.match(/^batch \d+$/gm) ?? [];
  expect(executed.length).toBeGreaterThan(BATCHES);
  expect(executed.length).toBeLessThan(2 * BATCHES);
  const logs = await project.afterlog("query", LOGS);
  expect(logs.stdout.split("\n")).toEqual((await other.afterlog("query", LOGS)).stdout.split("\n"));

  edit(project, { "train.mjs": probed });
  const answer = await ask(project, ["norm"], { where: "epoch = 2 and batch = 13" });
  const { iterations, notes } = costOf(answer);
  expect(iterations, notes.join("\n")).toBeLessThanOrEqual(how.most);
  const truth = other.logged("norm")[2 * BATCHES + 13];
  expect(answer.cells.map(({ value, check }) => [Number(value), check])).toEqual([
    [truth, "verified"],
  ]);
});

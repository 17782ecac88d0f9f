/** `fit` and `fitCallback` over the real TensorFlow.js: loops, quantities, callbacks, state. */
import { describe, expect, test } from "vitest";
import type { EnterRecord, ExitRecord } from "../../src/format/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { TestProject } from "../support/project.ts";

const SETUP = `
import * as al from "afterlog";
import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.tensor2d(Float32Array.from({ length: 40 }, (_, i) => Math.sin(i)), [20, 2]);
const y = x.sum(1, true);
const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
model.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError" });
`;

function loopsOf(project: TestProject): { entered: string[]; left: string[] } {
  const entered = project.records.filter((record): record is EnterRecord => record.k === "enter");
  const left = project.records.filter((record): record is ExitRecord => record.k === "exit");
  return {
    entered: entered.map(({ loop, path }) => `${loop} in ${JSON.stringify(path)}`),
    left: left.map(({ loop, how, iterations }) => `${loop} ${how} ${iterations}`),
  };
}

describe("al.fit", () => {
  test("records epochs and batches, the quantities of both, and the model's state", async () => {
    using project = new TestProject({
      "t.mjs": `${SETUP}
        const history = await al.fit(model, x, y, { epochs: 3, batchSize: 5, verbose: 0 });
        console.log(JSON.stringify({ epochs: history.epoch, count: history.history.loss.length }));`,
    });
    const result = await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf" }).finished;
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({ epochs: [0, 1, 2], count: 3 });
    const { entered, left } = loopsOf(project);
    expect(entered).toEqual([
      "epoch in []",
      ...[0, 1, 2].map((epoch) => `batch in [["epoch",${epoch}]]`),
    ]);
    expect(left).toEqual([...Array<string>(3).fill("batch exhausted 4"), "epoch exhausted 3"]);
    expect(project.logged("loss")).toHaveLength(3);
    expect(project.logged("batch_loss")).toHaveLength(12);
    const last = listCheckpoints(project.run).at(-1);
    expect(last?.path).toEqual([["epoch", "end"]]);
  });

  test("the user's callbacks see one training, and early stopping is a break", async () => {
    using project = new TestProject({
      "t.mjs": `${SETUP}
        const calls = [];
        const mine = { onTrainBegin: () => calls.push("begin"), onEpochEnd: (e) => { calls.push(e); if (e === 1) model.stopTraining = true; }, onTrainEnd: () => calls.push("end") };
        await al.fit(model, x, y, { epochs: 10, batchSize: 20, verbose: 0, callbacks: mine });
        console.log(JSON.stringify(calls));`,
    });
    const { stdout, code } = await project.node("t.mjs");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(["begin", 0, 1, "end"]);
    expect(loopsOf(project).left.at(-1)).toBe("epoch break 2");
  });

  test("callbacks get the parameters and calls that tfjs gives", async () => {
    const train = (fit: string): string => `${SETUP}
      const seen = [];
      class Mine extends tf.Callback {
        setParams(params) { seen.push(params); }
        async onTrainBegin() { seen.push("begin"); }
        async onEpochBegin(epoch) { seen.push(epoch); }
      }
      const rest = { epochs: 3, initialEpoch: 1, batchSize: 8, validationSplit: 0.2, verbose: 0 };
      await ${fit}x, y, { ...rest, callbacks: [new Mine()] });
      const yielded = [];
      const onYield = (epoch, batch, logs) => yielded.push([epoch, batch, Object.keys(logs)]);
      let now = 0;
      await ${fit}x, y, { ...rest, yieldEvery: 1, callbacks: { onYield, nowFunc: () => now += 10 } });
      await ${fit}x, y, { ...rest, yieldEvery: "never", callbacks: {} });
      console.log(JSON.stringify({ seen, yielded }));`;
    using project = new TestProject({
      "recorded.mjs": train("al.fit(model, "),
      "plain.mjs": train("model.fit("),
    });
    const plain = await project.node("plain.mjs");
    const recorded = await project.node("recorded.mjs");
    expect(JSON.parse(plain.stdout)).toMatchObject({
      seen: [{ epochs: 3, batchSize: 8 }, "begin", 1, 2],
    });
    expect(JSON.parse(recorded.stdout)).toEqual(JSON.parse(plain.stdout));
  });

  test("tfjs's own early stopping counts over all epochs", async () => {
    using project = new TestProject({
      "t.mjs": `${SETUP}
        const stop = tf.callbacks.earlyStopping({ monitor: "loss", patience: 1, minDelta: 1e9 });
        const { epoch } = await al.fit(model, x, y, { epochs: 10, verbose: 0, callbacks: [stop] });
        console.log(epoch.length);`,
    });
    const { stdout } = await project.node("t.mjs");
    expect(Number(stdout)).toBeLessThan(4);
  });

  test("a failure inside leaves a truthful record", async () => {
    using project = new TestProject({
      "t.mjs": `${SETUP}
        const bad = { onBatchEnd: (b) => { if (b === 1) throw new Error("mine"); } };
        await al.fit(model, x, y, { epochs: 2, batchSize: 5, verbose: 0, callbacks: bad }).catch((e) => console.log(e.message));`,
    });
    const { stdout, code } = await project.node("t.mjs");
    expect([code, stdout]).toEqual([0, "mine\n"]);
    expect(loopsOf(project).left).toEqual(["batch throw 2", "epoch throw 1"]);
  });

  test("something that is no model is refused with what to give", async () => {
    using project = new TestProject({
      "t.mjs": 'import * as al from "afterlog";\nawait al.fit({}, 1, 2);',
    });
    const { stderr, code } = await project.node("t.mjs");
    expect(code).toBe(1);
    expect(stderr).toContain("error[AL062]");
    expect(stderr).toContain("help: give the compiled model first");
  });
});

describe("al.fitCallback", () => {
  test("records a model.fit of the user's own, and does not change it", async () => {
    const train = (callbacks: string): string => `${SETUP}
      const { history } = await model.fit(x, y, { epochs: 2, batchSize: 5, verbose: 0${callbacks} });
      console.log(JSON.stringify(history.loss));`;
    using project = new TestProject({
      "with.mjs": train(", callbacks: al.fitCallback(model)"),
      "without.mjs": train(""),
    });
    const env = { AFTERLOG_SEED: "3" };
    const recorded = await project.start(["with.mjs"], env).finished;
    expect(loopsOf(project).left).toEqual([
      "batch exhausted 4",
      "batch exhausted 4",
      "epoch exhausted 2",
    ]);
    expect(listCheckpoints(project.run).length).toBeGreaterThan(0);
    expect(project.logged("loss")).toEqual(JSON.parse(recorded.stdout));
    const plain = await project.start(["without.mjs"], env).finished;
    expect(recorded.stdout).toBe(plain.stdout);
  });
});

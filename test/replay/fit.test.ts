/** `al.fit` in a replay: epochs are skipped or begun with from a checkpoint, history included. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Course } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { logged, replay } from "../support/replay.ts";

const program = (probe: string): string => `
import * as al from "afterlog";
import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.tensor2d(Float32Array.from({ length: 40 }, (_, i) => Math.sin(i)), [20, 2]);
const y = x.sum(1, true);
const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
model.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError" });
const { epoch, history } = await al.fit(model, x, y, { epochs: 4, batchSize: 5, verbose: 0 });
${probe}
al.log("end", model.getWeights()[0].dataSync()[0]);
`;
const PROBE = 'al.log("x", [epoch, history, [...model.getWeights()[0].dataSync()]]);';

test.each<[string, Course, number]>([
  ["skipped", { entry: "epoch=end", do: "skip", restore: "epoch=end.safetensors" }, 0],
  [
    "from its third epoch on",
    {
      entry: "epoch=end",
      do: "legs",
      legs: [{ from: 2, to: null, restore: "epoch=1.safetensors", reposition: "index" }],
      after: "run",
    },
    8,
  ],
])("a training is %s", async (_, course, batches) => {
  using project = new TestProject({ "train.mjs": program("") });
  const recording = await project.afterlog("run", "--overhead", "inf", "train.mjs");
  expect(recording.code, recording.stderr).toBe(0);
  const { seed } = project.manifest;
  using other = new TestProject({ "train.mjs": program(PROBE) });
  await other.afterlog("run", "--seed", seed, "train.mjs");
  const truth = logged(other.records).filter(({ name }) => name === "x");
  writeFileSync(join(project.folder, "train.mjs"), program(PROBE));
  const replayed = await replay(project, "train.mjs", [course]);
  expect(replayed.outcome, replayed.stderr).toMatchObject({ kind: "done" });
  expect(replayed.values.filter(({ name }) => name === "x")).toEqual(truth);
  expect(replayed.values.filter(({ name }) => name === "batch_loss")).toHaveLength(batches);
});

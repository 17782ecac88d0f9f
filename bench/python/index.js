// @ts-check
/**
 * @file PyTorch trainings on the processor: how long a checkpoint blocks, and
 * what whole trainings cost, beside the ways that people use. The programs are those of `bench/gpu`,
 * which measures the same on a GPU.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeResult, median, ratios } from "../measure.js";
import { interpreter } from "./interpreter.js";
import { benchSteps } from "./steps.js";

/** @import { Bench, BenchOptions, Result } from "../measure.js" */

const PROGRAMS = fileURLToPath(new URL("../gpu", import.meta.url));
const WORKLOADS = ["perceptron", "perceptron-frozen"];
/** As many tensors and modules as the model of that name, and hardly any numbers. */
const MANY_OBJECTS = "resnet152";
/** Steps of an epoch, as `recorded.py` has it. */
const EPOCH = 50;
/** Flor's: the most that recording may cost, as the SDK has it where nothing else is said. */
const BUDGET = 0.0667;
const run = promisify(execFile);

/**
 * What the programs print.
 * @typedef {{ bytes: number, stateBytes: number, kind: string, times: { capture: number, snapshot: number, persist: number } }} Checkpoint
 * @typedef {{ ms: number[], plainMs: number[], checkpoints: Checkpoint[], overhead: { share: number, outermostMs: number } }} Recorded
 * @typedef {{ ms: { [way: string]: number[] } }} Epochs
 * @typedef {{ bytes: number, ms: { [way: string]: number[] } }} Ways
 */

/**
 * @param {string} python
 * @param {BenchOptions} options
 * @param {string} program
 * @param {readonly string[]} argv
 * @returns {Promise<any>}
 */
async function execute(python, { folder, quick }, program, argv) {
  const path = join(PROGRAMS, `${program}.py`);
  const all = [path, ...argv, "--folder", folder, ...(quick ? ["--smoke"] : [])];
  const { stdout } = await run(python, all, { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}

/** @type {Bench} */
async function benchBlocking(options) {
  const python = interpreter();
  /** @type {Result[]} */
  const results = [];
  for (const workload of WORKLOADS) {
    options.progress(workload);
    const rounds = String(options.rounds ?? (options.quick ? 3 : 9));
    /** @type {Ways} */
    const ways = await execute(python, options, "blocking", [workload, "--rounds", rounds]);
    const apart = options.quick ? "0.1" : "1";
    const argv = [workload, "--rounds", rounds, "--apart", apart];
    /** @type {Recorded} */
    const ours = await execute(python, options, "recorded", argv);
    const copy = median(ways.ms["copy to memory that is ready"] ?? []);
    const saved = median(ways.ms["torch.save"] ?? []);
    results.push(
      makeResult({
        name: `${workload}: a checkpoint blocks / a copy to memory that is ready`,
        values: ours.ms,
        ratios: ours.ms.map((ms) => ms / copy),
        unit: "ms",
        goal: { atMost: 1.25 },
        detail: {
          megabytes: ways.bytes / 1e6,
          "megabytes captured": (ours.checkpoints.at(-2)?.stateBytes ?? NaN) / 1e6,
          "megabytes written": ours.checkpoints.map(({ bytes }) => bytes / 1e6),
          "times less than torch.save": saved / median(ours.ms),
          ...Object.fromEntries(Object.entries(ways.ms).map(([way, ms]) => [way, median(ms)])),
        },
      }),
    );
  }
  return results;
}

/**
 * What Python itself needs for a checkpoint: a state of many small tensors.
 * @type {Bench}
 */
async function benchObjects(options) {
  const python = interpreter();
  const rounds = String(options.rounds ?? (options.quick ? 3 : 15));
  options.progress(`${MANY_OBJECTS}, narrow`);
  const small = { ...options, quick: true };
  /** @type {Ways} */
  const ways = await execute(python, small, "blocking", [MANY_OBJECTS, "--rounds", rounds]);
  const argv = [MANY_OBJECTS, "--rounds", rounds, "--apart", options.quick ? "0.1" : "1"];
  /** @type {Recorded} */
  const ours = await execute(python, small, "recorded", argv);
  const saved = median(ways.ms["torch.save"] ?? []);
  const taken = ours.checkpoints.filter(({ kind }) => kind === "iteration").slice(3);
  return [
    makeResult({
      name: "as many tensors as ResNet-152, narrow: a checkpoint blocks / torch.save",
      values: ours.ms,
      ratios: ours.ms.map((ms) => ms / saved),
      unit: "ms",
      goal: { text: "-", pass: true },
      detail: {
        "capture, ms": median(taken.map(({ times }) => times.capture)),
        "snapshot, ms": median(taken.map(({ times }) => times.snapshot)),
        "persist, ms": median(taken.map(({ times }) => times.persist)),
        ...Object.fromEntries(Object.entries(ways.ms).map(([way, ms]) => [way, median(ms)])),
      },
    }),
  ];
}

/**
 * Epochs with a checkpoint of each of the other ways, beside epochs with none.
 * @param {BenchOptions} options
 * @param {string} python
 * @param {string} workload
 * @returns {Promise<Result[]>}
 */
async function trainingOtherwise(options, python, workload) {
  options.progress(`${workload}, other ways`);
  const rounds = String(options.rounds ?? (options.quick ? 2 : 9));
  const argv = [workload, "--rounds", rounds, "--steps", String(EPOCH)];
  /** @type {Epochs} */
  const { ms } = await execute(python, options, "training", argv);
  const none = ms["none"] ?? [];
  return Object.entries(ms).flatMap(([way, values]) => {
    if (way === "none") return [];
    return makeResult({
      name: `${workload}: an epoch with ${way} / without, less 1`,
      values,
      ratios: ratios(values, none).map((ratio) => ratio - 1),
      unit: "ms",
      goal: { text: "-", pass: true },
      detail: { checkpoints: 1, "without, ms": median(none) },
    });
  });
}

/**
 * What is done once, whatever the budget, is a matter of its own: the sources are analysed in the
 * first epoch. In a training of a second that is more than all else.
 * @type {Bench}
 */
async function benchTraining(options) {
  const python = interpreter();
  const steps = String(options.quick ? 4 * EPOCH : 20 * EPOCH);
  /** @type {Result[]} */
  const results = [];
  for (const workload of WORKLOADS) {
    results.push(...(await trainingOtherwise(options, python, workload)));
    /** @type {Recorded[]} */
    const runs = [];
    for (let round = 0; round < (options.rounds ?? (options.quick ? 1 : 5)); round++) {
      options.progress(`${workload}, afterlog`);
      runs.push(await execute(python, options, "recorded", [workload, "--steps", steps]));
    }
    const means = runs.map(({ ms, overhead }) => mean(ms) - overhead.outermostMs / ms.length);
    const plain = runs.map(({ plainMs }) => mean(plainMs));
    results.push(
      makeResult({
        name: `${workload}: an epoch with afterlog / without, less 1`,
        values: means,
        ratios: ratios(means, plain).map((ratio) => ratio - 1),
        unit: "ms",
        goal: { atMost: BUDGET },
        detail: {
          checkpoints: runs.map(({ checkpoints }) => checkpoints.length),
          "the ledger says": runs.map(({ overhead }) => overhead.share),
          "once, ms": runs.map(({ overhead }) => overhead.outermostMs),
          "without, ms": plain,
        },
      }),
    );
  }
  return results;
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @type {{ readonly [name: string]: Bench }} */
export const PYTHON = {
  blocking: benchBlocking,
  objects: benchObjects,
  training: benchTraining,
  steps: benchSteps,
};

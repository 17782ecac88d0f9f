// @ts-check
/**
 * @file PyTorch trainings on the processor (issue "PyTorch", Speed): how long a checkpoint blocks, and
 * what whole trainings cost, beside the ways that people use. The programs are those of `bench/gpu`,
 * which measures the same on a GPU.
 */
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { interleave, makeResult, median, ratios } from "../measure.js";

/** @import { Bench, BenchOptions, Result } from "../measure.js" */

const PROGRAMS = fileURLToPath(new URL("../gpu", import.meta.url));
const WORKLOADS = ["perceptron", "perceptron-frozen"];
/** As many tensors and modules as the model of that name, and hardly any numbers. */
const MANY_OBJECTS = "resnet152";
const WAYS = ["torch.save", "torch.save+fsync", "deepcopy+thread", "fork"];
/** Flor's: the most that recording may cost, as the SDK has it where nothing else is said. */
const BUDGET = 0.0667;
const run = promisify(execFile);

/**
 * What the programs print.
 * @typedef {{ bytes: number, stateBytes: number, kind: string, times: { capture: number, snapshot: number, persist: number } }} Checkpoint
 * @typedef {{ ms: number[], trainingS: number, checkpoints: Checkpoint[], overhead?: { share: number } }} Recorded
 * @typedef {{ bytes: number, ms: { [way: string]: number[] } }} Ways
 */

function interpreter() {
  const candidates = [process.env["PYTHON"] ?? "python3", "/usr/bin/python3"];
  const found = candidates.find((one) => spawnSync(one, ["-c", "import torch"]).status === 0);
  if (found === undefined) throw new Error("no Python here has torch (PYTHON names another one)");
  return found;
}

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

/** @type {Bench} */
async function benchTraining(options) {
  const python = interpreter();
  const steps = String(options.quick ? 100 : 1000);
  const every = String(options.quick ? 20 : 100);
  /** @type {Result[]} */
  const results = [];
  for (const workload of WORKLOADS) {
    /** @param {string} arm */
    const training = (arm) => async () => {
      options.progress(`${workload}, ${arm}`);
      const argv = [workload, arm, "--steps", steps, "--every", every];
      return /** @type {Recorded} */ (await execute(python, options, "training", argv));
    };
    const recorded = async () => {
      options.progress(`${workload}, afterlog`);
      const argv = [workload, "--steps", steps];
      return /** @type {Recorded} */ (await execute(python, options, "recorded", argv));
    };
    const took = await interleave(options.rounds ?? (options.quick ? 1 : 5), {
      none: training("none"),
      ...Object.fromEntries(WAYS.map((arm) => [arm, training(arm)])),
      afterlog: recorded,
    });
    const none = took.none.map(({ trainingS }) => trainingS);
    for (const [arm, runs] of Object.entries(took)) {
      if (arm === "none") continue;
      const seconds = runs.map(({ trainingS }) => trainingS);
      const overheads = ratios(seconds, none).map((ratio) => ratio - 1);
      const isOurs = arm === "afterlog";
      const ledger = runs.map(({ overhead }) => overhead?.share);
      const counts = runs.map(({ checkpoints }) => checkpoints?.length);
      results.push(
        makeResult({
          name: `${workload}: training with ${arm} / without, less 1`,
          values: seconds,
          ratios: overheads,
          unit: "s",
          goal: isOurs ? { atMost: BUDGET } : { text: "-", pass: true },
          detail: isOurs
            ? { checkpoints: counts, "the ledger says": ledger }
            : { checkpoints: Number(steps) / Number(every) },
        }),
      );
    }
  }
  return results;
}

/** @type {{ readonly [name: string]: Bench }} */
export const PYTHON = { blocking: benchBlocking, objects: benchObjects, training: benchTraining };

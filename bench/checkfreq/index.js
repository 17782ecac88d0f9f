// @ts-check
/**
 * @file Checkpoints inside epochs (CheckFreq §6.3): what they cost at a budget of 3.5 %, how many
 * there are, how much work an interruption loses, and what the persist beside the training saves.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { interleave, makeResult, median } from "../measure.js";
import { benchCompeting } from "./competing.js";
import { execute, makeProject, outermostMs } from "./execute.js";

/** @import { Bench, BenchOptions, Result } from "../measure.js" */
/** @import { Execution } from "./execute.js" */
/** @import { CheckpointRecord } from "../../build/format/index.js" */

/** The paper's p. */
const BUDGET = 0.035;
const EPOCHS = 3;

/** State in MB, milliseconds and number of steps: from a small state to one that costs a lot. */
const WORKLOADS = [
  { megabytes: 1, stepMs: 10, steps: 1000 },
  { megabytes: 16, stepMs: 25, steps: 400 },
  { megabytes: 64, stepMs: 50, steps: 300 },
  { megabytes: 200, stepMs: 150, steps: 150 },
];

/** @typedef {(typeof WORKLOADS)[number]} Workload */

/** @type {{ readonly [name: string]: Bench }} */
export const CHECKFREQ = {
  ...Object.fromEntries(
    WORKLOADS.map((workload) => [
      `${workload.megabytes}MB`,
      (/** @type {BenchOptions} */ options) => benchWorkload(options, workload),
    ]),
  ),
  competing: benchCompeting,
};

/**
 * @param {BenchOptions} options
 * @param {Workload} workload
 * @returns {Promise<Result[]>}
 */
async function benchWorkload({ folder, quick, rounds, progress }, workload) {
  const project = join(folder, `steps-${workload.megabytes}`);
  makeProject(project);
  const steps = quick ? 60 : workload.steps;
  const sizes = `${EPOCHS} ${steps} ${workload.megabytes} ${workload.stepMs}`;
  const off = { BENCH_SIZES: sizes, AFTERLOG_MODE: "off" };
  const first = await execute(project, off);
  // The same work in every execution, whatever else the machine does while it is found out.
  const same = { BENCH_SIZES: sizes, BENCH_TURNS: String(first.turns) };
  const recorded = { ...same, AFTERLOG_OVERHEAD: String(BUDGET) };
  const arms = {
    off: () => execute(project, { ...same, AFTERLOG_MODE: "off" }),
    on: () => execute(project, recorded),
    inline: () => execute(project, { ...recorded, AFTERLOG_PERSIST: "inline" }),
  };
  const count = rounds ?? (quick ? 1 : 5);
  const all = await interleave(count, arms, (n) => progress(`round ${n + 1}`));
  rmSync(project, { recursive: true });
  return results(workload, steps, all);
}

/**
 * @param {Workload} workload
 * @param {number} steps
 * @param {{ off: Execution[], on: Execution[], inline: Execution[] }} all
 * @returns {Result[]}
 */
function results({ megabytes, stepMs }, steps, { off, on, inline }) {
  const name = `${megabytes} MB, ${stepMs} ms a step`;
  const shares = on.map(({ ms, checkpoints }, at) => {
    return (ms - outermostMs(checkpoints)) / (off[at]?.ms ?? NaN) - 1;
  });
  const perEpoch = on.map(({ checkpoints }) => checkpoints.length / EPOCHS);
  const lost = on.map((execution) => meanLoss(execution, steps));
  const stalls = on.map((execution) => stallMs(execution, pipelinedMs));
  const synchronous = inline.map((execution) => stallMs(execution, synchronousMs));
  return [
    makeResult({
      name: `${name}: overhead`,
      values: on.map(({ ms }) => ms),
      ratios: shares,
      unit: "ms of loop",
      goal: { atMost: BUDGET },
      detail: {
        "not recorded, ms": median(off.map(({ ms }) => ms)),
        "by the run's ledger": median(on.map(({ overhead }) => overhead?.share ?? NaN)),
      },
    }),
    makeResult({
      name: `${name}: checkpoints an epoch`,
      values: perEpoch,
      ratios: perEpoch,
      unit: "checkpoints",
      goal: { atLeast: 20 },
      detail: {},
    }),
    makeResult({
      name: `${name}: work lost by an interruption / epoch`,
      values: lost,
      ratios: lost,
      unit: "of an epoch",
      goal: { atMost: 1 / 20 },
      detail: {},
    }),
    makeResult({
      name: `${name}: stall of a checkpoint, synchronous / pipelined`,
      values: stalls,
      ratios: synchronous.map((ms, at) => ms / (stalls[at] ?? NaN)),
      unit: "ms a checkpoint",
      goal: { atLeast: 5 },
      detail: { "synchronous, ms a checkpoint": median(synchronous) },
    }),
  ];
}

/**
 * What an interruption at any moment loses on average, as a share of an epoch.
 * @param {Execution} execution
 * @param {number} steps
 */
function meanLoss({ checkpoints }, steps) {
  const at = checkpoints.map(({ path }) => {
    const [epoch, step] = path.map(([, index]) => index);
    if (epoch === "end") return EPOCHS * steps;
    const whole = Number(epoch) * steps;
    if (step === undefined) return whole + steps;
    return step === "end" ? whole + steps : whole + step + 1;
  });
  const points = [0, ...at.toSorted((a, b) => a - b)];
  const gaps = points.slice(1).map((point, before) => point - (points[before] ?? 0));
  const sum = gaps.reduce((total, gap) => total + (gap * gap) / 2, 0);
  return sum / (EPOCHS * steps) / steps;
}

/**
 * Milliseconds that the training stands still for a checkpoint.
 * @param {Execution} execution
 * @param {(times: CheckpointRecord["times"]) => number} blocking
 */
function stallMs({ checkpoints }, blocking) {
  const inner = checkpoints.filter(({ path }) => path.at(0)?.[1] !== "end");
  return inner.reduce((ms, { times }) => ms + blocking(times), 0) / inner.length;
}

/** @param {CheckpointRecord["times"]} times */
function pipelinedMs({ capture, snapshot, wait }) {
  return capture + snapshot + wait;
}

/** @param {CheckpointRecord["times"]} times */
function synchronousMs(times) {
  return pipelinedMs(times) + times.persist;
}

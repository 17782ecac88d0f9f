// @ts-check
/**
 * @file Another job writes to the same disk (CheckFreq §6.3, Table 6.5): what recording costs then
 * with an interval that was chosen before, and with one that follows what is measured.
 *
 * The static interval is the one that a training alone on the disk settled on: a checkpoint every
 * so many steps, each waiting for the one before. Both are compared with the same training, not
 * recorded, beside the same writer.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { execute, makeProject, outermostMs } from "./execute.js";

/** @import { Bench } from "../measure.js" */
/** @import { Execution } from "./execute.js" */

const BUDGET = 0.035;
const EPOCHS = 3;
const FULL = { steps: 300, megabytes: 64, stepMs: 50 };
const QUICK = { steps: 120, megabytes: 8, stepMs: 25 };
const WRITER = fileURLToPath(new URL("programs/writer.js", import.meta.url));

/** @type {Bench} */
export async function benchCompeting({ folder, quick, rounds, progress }) {
  const project = join(folder, "steps-competing");
  makeProject(project);
  const { steps, megabytes, stepMs } = quick ? QUICK : FULL;
  const sizes = { BENCH_SIZES: `${EPOCHS} ${steps} ${megabytes} ${stepMs}` };
  const { turns } = await execute(project, { ...sizes, AFTERLOG_MODE: "off" });
  const same = { ...sizes, BENCH_TURNS: String(turns) };
  const tuned = { ...same, AFTERLOG_OVERHEAD: String(BUDGET) };
  progress("alone");
  const alone = await execute(project, tuned);
  const interval = intervals(alone).at(-1)?.interval;
  if (interval === undefined) throw new Error("the machine is too busy: no interval was found");
  const fixed = { ...same, BENCH_EVERY: String(interval), AFTERLOG_OVERHEAD: "inf" };
  const file = join(folder, "competing");
  const arms = {
    off: () => beside(file, () => execute(project, { ...same, AFTERLOG_MODE: "off" })),
    fixed: () => beside(file, () => execute(project, fixed)),
    tuned: () => beside(file, () => execute(project, tuned)),
  };
  const count = rounds ?? (quick ? 1 : 5);
  const all = await interleave(count, arms, (n) => progress(`round ${n + 1}`));
  progress("for an epoch");
  const between = await forAnEpoch(project, tuned, file);
  rmSync(project, { recursive: true });
  return results({ ...all, interval, between });
}

/**
 * Runs something while another process writes.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 */
async function beside(file, work) {
  const writer = startWriter(file);
  try {
    return await work();
  } finally {
    writer.kill("SIGKILL");
    rmSync(file, { force: true });
  }
}

/** @param {string} file */
function startWriter(file) {
  return spawn(process.execPath, [WRITER, file], { stdio: "ignore" });
}

/**
 * The other job writes during the second of three epochs.
 * @param {string} project
 * @param {{ [name: string]: string }} env
 * @param {string} file
 */
async function forAnEpoch(project, env, file) {
  /** @type {ReturnType<typeof startWriter> | undefined} */
  let writer;
  try {
    return await execute(project, env, (epoch) => {
      if (epoch === 1) writer = startWriter(file);
      else writer?.kill("SIGKILL");
    });
  } finally {
    writer?.kill("SIGKILL");
    rmSync(file, { force: true });
  }
}

/**
 * The intervals as they were written, each with the epoch of the persist before it.
 * @param {Execution} execution
 */
function intervals({ profile }) {
  let epoch = 0;
  return profile.flatMap((record) => {
    if (record.k === "persist") {
      const [, index = 0] = record.path[0] ?? [];
      epoch = index === "end" ? EPOCHS - 1 : index;
    }
    return record.k === "frequency" ? [{ epoch, interval: record.interval }] : [];
  });
}

/**
 * @param {object} measured
 * @param {Execution[]} measured.off
 * @param {Execution[]} measured.fixed
 * @param {Execution[]} measured.tuned
 * @param {number} measured.interval
 * @param {Execution} measured.between
 */
function results({ off, fixed, tuned, interval, between }) {
  const baseline = off.map(({ ms }) => ms);
  /** @param {readonly Execution[]} executions */
  const shares = (executions) => {
    const own = executions.map(({ ms, checkpoints }) => ms - outermostMs(checkpoints));
    return ratios(own, baseline).map((ratio) => ratio - 1);
  };
  const found = intervals(between);
  /** @param {number} epoch */
  const inEpoch = (epoch) => found.filter((one) => one.epoch === epoch).map((one) => one.interval);
  const last = found.at(-1)?.interval ?? interval;
  const most = Math.max(last, ...inEpoch(1));
  return [
    makeResult({
      name: "competing writer: overhead, static interval",
      values: fixed.map(({ ms }) => ms),
      ratios: shares(fixed),
      unit: "ms of loop",
      goal: { text: "(35 % in the paper)", pass: true },
      detail: {
        "not recorded, beside the writer, ms": median(baseline),
        "interval, steps": interval,
        checkpoints: fixed.map(({ checkpoints }) => checkpoints.length),
      },
    }),
    makeResult({
      name: "competing writer: overhead, interval tuned",
      values: tuned.map(({ ms }) => ms),
      ratios: shares(tuned),
      unit: "ms of loop",
      goal: { atMost: BUDGET },
      detail: {
        "by the run's ledger": median(tuned.map(({ overhead }) => overhead?.share ?? NaN)),
        "intervals, steps": tuned.map((one) => intervals(one).at(-1)?.interval ?? null),
        checkpoints: tuned.map(({ checkpoints }) => checkpoints.length),
      },
    }),
    makeResult({
      name: "a writer for one epoch: last interval / longest during it",
      values: [last],
      ratios: [last / most],
      unit: "steps",
      goal: { text: "< 1", pass: last < most && inEpoch(1).length > 0 },
      detail: { "intervals before": inEpoch(0), during: inEpoch(1), after: inEpoch(2) },
    }),
  ];
}

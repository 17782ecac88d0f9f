// @ts-check
/**
 * @file Measuring on a machine that others use too: the thing and its calibration in turn, the
 * ratio of each pair, the median of the ratios and how far they spread. Knows no benchmark.
 */
import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";

/**
 * One line of the table, and one object of `--json`.
 * @typedef {object} Result
 * @property {string} name
 * @property {number} ratio median over the rounds of measure / calibration
 * @property {string} goal what the ratio, or where it says so the median, must be
 * @property {boolean} pass
 * @property {number} median of the measure itself, in `unit`
 * @property {[min: number, q1: number, q3: number, max: number]} spread of the ratio
 * @property {number} n rounds
 * @property {string} unit
 * @property {{ [fact: string]: unknown }} detail
 * @property {string[]} [row] its cells in a table of `docs/results/`, for `--write`
 */

/**
 * What every benchmark gets.
 * @typedef {object} BenchOptions
 * @property {boolean} quick small sizes, few rounds: to see that it works, not how fast
 * @property {number} [rounds] instead of the benchmark's own number
 * @property {string} folder an empty folder on the disk to measure
 * @property {readonly string[]} [pythons] interpreters to choose from
 * @property {(text: string) => void} progress
 */

/** @typedef {(options: BenchOptions) => Promise<Result[]>} Bench */

/**
 * @param {readonly number[]} values
 * @param {number} share 0 is the smallest, 0.5 the median, 1 the largest
 * @returns {number}
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? NaN;
  const above = sorted[Math.ceil(at)] ?? NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * @param {readonly number[]} values
 * @returns {[number, number, number, number]}
 */
export function spreadOf(values) {
  return [quantile(values, 0), quantile(values, 0.25), quantile(values, 0.75), quantile(values, 1)];
}

/**
 * Runs all arms once a round, every other round in the opposite order, so that a machine that
 * gets slower or busier weighs on all of them alike.
 * @template {{ [name: string]: (round: number) => unknown }} Arms
 * @param {number} rounds
 * @param {Arms} arms
 * @param {(round: number) => void} [each]
 * @returns {Promise<{ [Name in keyof Arms]: Awaited<ReturnType<Arms[Name]>>[] }>}
 */
export async function interleave(rounds, arms, each = () => undefined) {
  /** @type {{ [name: string]: unknown[] }} */
  const results = Object.fromEntries(Object.keys(arms).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    each(round);
    const order = Object.entries(arms);
    if (round % 2 === 1) order.reverse();
    for (const [name, arm] of order) results[name]?.push(await arm(round));
  }
  return /** @type {{ [Name in keyof Arms]: Awaited<ReturnType<Arms[Name]>>[] }} */ (results);
}

/**
 * The ratio of each pair.
 * @param {readonly number[]} values
 * @param {readonly number[]} calibration
 */
export function ratios(values, calibration) {
  return values.map((value, at) => value / (calibration[at] ?? NaN));
}

/**
 * The ratio of the quickest rounds: where others use the machine, what it is with the least of it.
 * @param {readonly number[]} values
 * @param {readonly number[]} calibration
 */
export function bestRatio(values, calibration) {
  return Math.min(...values) / Math.min(...calibration);
}

/** Milliseconds of processor time that the calling thread has had. */
export function threadMs() {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
}

/**
 * Milliseconds that `work` takes.
 * @param {() => void} work
 */
export function timeMs(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/**
 * Makes a result from paired measurements.
 * @param {object} given
 * @param {string} given.name
 * @param {readonly number[]} given.values in `unit`
 * @param {readonly number[]} given.ratios
 * @param {string} given.unit
 * @param {{ atLeast?: number, atMost?: number, text?: string, pass?: boolean }} given.goal
 * @param {{ [fact: string]: unknown }} given.detail
 * @returns {Result}
 */
export function makeResult({ name, values, ratios: all, unit, goal, detail }) {
  const ratio = median(all);
  const { atLeast = -Infinity, atMost = Infinity } = goal;
  const text = atLeast > -Infinity ? `>= ${atLeast}` : `<= ${atMost}`;
  return {
    name,
    ratio,
    goal: goal.text ?? text,
    pass: goal.pass ?? (ratio >= atLeast && ratio <= atMost),
    median: median(values),
    spread: spreadOf(all),
    n: all.length,
    unit,
    detail,
  };
}

/** @returns {{ [fact: string]: string | number | number[] }} */
export function machineFacts() {
  const all = cpus();
  return {
    cpu: `${all.length} x ${all[0]?.model.trim() ?? "?"}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    kernel: readFileSync("/proc/sys/kernel/osrelease", "utf8").trim(),
    load: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

/** @param {number} value */
export function digits3(value) {
  return Number(value.toPrecision(3));
}

// @ts-check
/**
 * @file What plans say and what their replays take, for all scans: over many runs, which takes 10 s
 * and more, and over one. Of many runs the first is the canary; what is said after it of the others
 * is compared with what they take. One run has no canary: there each scan is asked once before, and
 * the planner learns from that what starting and loading take here.
 */
import { join } from "node:path";
import { makeResult, median, quantile } from "../measure.js";
import { PLACES, Project } from "./project.js";

/** @import { Bench, Result } from "../measure.js" */
/** @import { Place, Sizes } from "./project.js" */

/** Three seconds of training: sixteen such runs make ten seconds of any scan. @type {Sizes} */
const SHORT = Object.freeze({ epochs: 10, steps: 20, batch: 128, hidden: 512 });
/** @type {Sizes} */
const TINY = Object.freeze({ epochs: 3, steps: 6, batch: 64, hidden: 64 });
/** Design §7: longer plans are mostly the program's own code. */
const LONG_S = 10;
const ERROR_MAX = 0.05;
const INSIDE_MIN = 0.9;

/**
 * @typedef {object} Predicted
 * @property {Place} place
 * @property {number} planned seconds, without the canary
 * @property {number} low of the whole plan, before the canary
 * @property {number} high
 * @property {number} actual without the canary
 * @property {number} whole actual with it
 */

/** @type {Bench} */
export async function benchPredicted({ quick, folder, progress, rounds = quick ? 1 : 8 }) {
  const sizes = quick ? TINY : SHORT;
  const runs = quick ? 2 : 16;
  const project = new Project(join(folder, "predicted"), sizes);
  for (let run = 0; run < runs; run++) {
    progress(`recording ${run + 1} of ${runs}`);
    await project.run([`lr=${lrOf(run)}`]);
  }
  /** @type {Predicted[]} */
  const all = [];
  for (const place of PLACES) await predict(project, place, `lr = ${lrOf(0)}`);
  for (let round = 0; round < rounds; round++) {
    for (const place of PLACES) {
      progress(`round ${round + 1} of ${rounds}, ${place}`);
      const one = `lr = ${lrOf(round % runs)}`;
      all.push(await predict(project, place, onePart(place, one, round % sizes.epochs)));
      all.push(await predict(project, place, undefined));
    }
  }
  return [errorOf(all, quick), insideOf(all)];
}

/** @param {number} run */
function lrOf(run) {
  return (run + 1) / 1000;
}

/**
 * Of an inner scan, one epoch of the run.
 * @param {Place} place
 * @param {string} run
 * @param {number} epoch
 */
function onePart(place, run, epoch) {
  return place === "inner" ? `${run} and epoch = ${epoch}` : run;
}

/**
 * @param {Project} project
 * @param {Place} place
 * @param {string | undefined} where
 * @returns {Promise<Predicted>}
 */
async function predict(project, place, where) {
  const asked = await project.ask(place, where === undefined ? {} : { where });
  const { seconds_low: low, seconds_high: high } = asked.plan;
  const { predicted_s, actual_s: whole } = asked.done;
  const first = asked.canary?.actual_s ?? 0;
  return { place, planned: predicted_s - first, low, high, actual: whole - first, whole };
}

/** @param {Predicted} one */
const errorShare = ({ planned, actual }) => Math.abs(actual - planned) / actual;

/**
 * @param {readonly Predicted[]} all
 * @param {boolean} quick
 * @returns {Result}
 */
function errorOf(all, quick) {
  const long = all.filter(({ planned }) => quick || planned >= LONG_S);
  const errors = long.map(errorShare);
  return makeResult({
    name: `plans of ${LONG_S} s and more: share by which they were wrong`,
    values: long.map(({ actual }) => actual),
    ratios: errors,
    unit: "s",
    goal: { atMost: ERROR_MAX },
    detail: {
      plans: long.length,
      "nine in ten are wrong by at most": quantile(errors, 0.9),
      "actual / planned": median(long.map(({ actual, planned }) => actual / planned)),
      "by scan": Object.fromEntries(
        PLACES.map((place) => [
          place,
          median(long.filter((one) => one.place === place).map(errorShare)),
        ]),
      ),
    },
  });
}

/**
 * @param {readonly Predicted[]} all
 * @returns {Result}
 */
function insideOf(all) {
  const short = all.filter(({ planned }) => planned < LONG_S);
  const inside = short.filter(({ low, high, whole }) => whole >= low && whole <= high);
  const share = inside.length / short.length;
  return makeResult({
    name: `plans below ${LONG_S} s: actual / planned; how many inside their interval`,
    values: short.map(({ actual }) => actual),
    ratios: short.map(({ actual, planned }) => actual / planned),
    unit: "s",
    goal: { text: `>= ${INSIDE_MIN} inside`, pass: share >= INSIDE_MIN },
    detail: {
      plans: short.length,
      "share inside": share,
      "high / low of the intervals": median(short.map(({ high, low }) => high / low)),
      "share wrong, median": median(short.map(errorShare)),
    },
  });
}

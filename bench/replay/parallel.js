// @ts-check
/**
 * @file Every step of a training asked for, by one process and by two (Flor §4.4, figure 10), where checkpoints are
 * complete and workers resume from them, and where they are partial and workers pseudoresume. By the clock it
 * says something only where two cores are idle; the processor time says what workers cost besides.
 */
import { join } from "node:path";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { Project } from "./project.js";
import { TINY } from "./scans.js";

/** @import { Bench, Result } from "../measure.js" */
/** @import { Sizes } from "./project.js" */

/** @type {Sizes} twenty seconds of processor time and more */
const MIDDLE = Object.freeze({ epochs: 32, steps: 40, batch: 256, hidden: 512 });

/** @type {Bench} */
export async function benchParallel({ quick, folder, progress, rounds: given = quick ? 1 : 3 }) {
  const sizes = quick ? TINY : MIDDLE;
  const resuming = new Project(join(folder, "complete"), sizes);
  const pseudo = new Project(join(folder, "partial"), sizes, { partial: true });
  progress("recording");
  await resuming.run();
  await pseudo.run();
  /** @param {Project} project @param {number} jobs */
  const ask = (project, jobs) => () => project.ask("inner", { jobs, canary: false });
  const arms = {
    resumeOne: ask(resuming, 1),
    resumeTwo: ask(resuming, 2),
    pseudoOne: ask(pseudo, 1),
    pseudoTwo: ask(pseudo, 2),
  };
  const rounds = await interleave(given, arms, (n) => progress(`round ${n + 1}`));
  return [
    ...armOf("resume", rounds.resumeOne, rounds.resumeTwo),
    ...armOf("pseudoresume", rounds.pseudoOne, rounds.pseudoTwo),
    costOf("processor time, -j 2: pseudoresume / resume", rounds.pseudoTwo, rounds.resumeTwo, 1.15),
  ];
}

/** @typedef {Awaited<ReturnType<Project["ask"]>>} Replayed */

/**
 * @param {string} arm
 * @param {readonly Replayed[]} one
 * @param {readonly Replayed[]} two
 * @returns {Result[]}
 */
function armOf(arm, one, two) {
  const clock = makeResult({
    name: `${arm}, inner over everything: -j 1 / -j 2`,
    values: two.map(({ s }) => s),
    ratios: ratios(
      one.map(({ s }) => s),
      two.map(({ s }) => s),
    ),
    unit: "s",
    goal: { atLeast: 1.8 },
    detail: {
      "-j 1 s": median(one.map(({ s }) => s)),
      "ratio as planned": median(
        one.map(({ plan }, at) => plan.seconds / (two[at]?.plan.seconds ?? NaN)),
      ),
      units: two[0]?.plan.runs[0]?.units.length ?? NaN,
      "seconds planned of each": two[0]?.plan.runs[0]?.units.map(({ seconds }) => seconds),
    },
  });
  return [clock, costOf(`${arm}, processor time: -j 2 / -j 1`, two, one, 1.15)];
}

/**
 * @param {string} name
 * @param {readonly Replayed[]} measured
 * @param {readonly Replayed[]} calibration
 * @param {number} atMost
 * @returns {Result}
 */
function costOf(name, measured, calibration, atMost) {
  const cpu = measured.map(({ cpuS }) => cpuS);
  return makeResult({
    name,
    values: cpu,
    ratios: ratios(
      cpu,
      calibration.map(({ cpuS }) => cpuS),
    ),
    unit: "s",
    goal: { atMost },
    detail: { "s of the other": median(calibration.map(({ cpuS }) => cpuS)) },
  });
}

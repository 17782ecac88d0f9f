// @ts-check
/**
 * @file Flor's figures 5 and 6 (§4.1, §4.2) over programs of the gallery: what a training takes plain, saving each
 * epoch as somebody would write it by hand, recorded, and recorded with a checkpoint wherever there could be one.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { digits3, interleave, makeResult, median, ratios } from "../measure.js";
import { ROOT } from "../replay/project.js";
import { measureStart } from "./asking.js";
import { interpreterFor, manifestsOf, recordProgram, runPlain, succeed } from "./executing.js";
import { filesAsking, filesSaving, programFile, readPrograms } from "./program.js";

/** @import { Bench } from "../measure.js" */
/** @import { Program } from "./program.js" */

const RATIO_MAX = 1.07;
const MB = 1e6;

/** @type {{ readonly [name: string]: Bench }} */
export const SAVING = Object.fromEntries(
  readPrograms(join(ROOT, "bench/programs/python"))
    .filter(({ isSaved }) => isSaved)
    .map((program) => [program.name, benchOf(program)]),
);

/**
 * @param {Program} program
 * @returns {Bench}
 */
function benchOf(program) {
  return async ({ quick, rounds = quick ? 1 : 5, folder, progress, pythons = [] }) => {
    const found = interpreterFor(program, pythons);
    if ("missing" in found) return [];
    const argv = quick ? program.quick : program.full;
    const execution = { program, folder, argv, interpreter: found.interpreter };
    const { recordS } = measureStart(execution);
    const files = filesAsking(program, []);
    const taken = await interleave(
      rounds,
      {
        plain: (round) => succeed(runPlain(execution, `plain-${round}`, files)),
        byHand: (round) => succeed(runPlain(execution, `by-hand-${round}`, filesSaving(program))),
        recorded: (round) => recordProgram(execution, `recorded-${round}`, files),
        always: (round) => recordProgram(execution, `always-${round}`, files, "--overhead", "inf"),
      },
      (round) => progress(`round ${round + 1}`),
    );
    const seconds = Object.fromEntries(
      Object.entries(taken).map(([arm, all]) => [arm, all.map(({ cpuS }) => cpuS)]),
    );
    const { plain = [], byHand = [], recorded = [], always = [] } = seconds;
    const start = recordS / median(plain);
    const arms = {
      byHand: ratios(byHand, plain),
      recorded: ratios(recorded, plain).map((ratio) => ratio - start),
      always: ratios(always, plain).map((ratio) => ratio - start),
    };
    const saved = savedIn(join(folder, "by-hand-0", program.name));
    const last = { recorded: taken.recorded.at(-1), always: taken.always.at(-1) };
    const result = makeResult({
      name: program.name,
      values: recorded,
      ratios: arms.recorded,
      unit: "s recorded",
      goal: { atMost: RATIO_MAX },
      detail: {
        "s plain": digits3(median(plain)),
        "s of start": digits3(recordS),
        "by hand": shown(arms.byHand),
        "without a budget": shown(arms.always),
      },
    });
    const row = [
      `\`${programFile(program)}\``,
      `${median(plain).toFixed(1)} s`,
      `${shown(arms.byHand)}, ${saved}`,
      `${shown(arms.recorded)}, ${takenIn(last.recorded?.cwd)}`,
      `${shown(arms.always)}, ${takenIn(last.always?.cwd)}`,
    ];
    return [{ ...result, row }];
  };
}

/** @param {readonly number[]} all */
function shown(all) {
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return `${median(all).toFixed(2)} (${least.toFixed(2)} – ${most.toFixed(2)})`;
}

/**
 * Files that a program has saved by hand.
 * @param {string} folder
 */
function savedIn(folder) {
  const files = readdirSync(folder).filter((name) => /^(?:epoch|iter|episode)-\d+\./.test(name));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return countText(files.length, bytes);
}

/** @param {string | undefined} cwd of a run */
function takenIn(cwd) {
  const overhead = cwd === undefined ? undefined : manifestsOf(cwd)[0]?.overhead;
  return countText(overhead?.checkpoints ?? 0, overhead?.bytes ?? 0);
}

/**
 * @param {number} count
 * @param {number} bytes
 */
function countText(count, bytes) {
  return `${count} × ${digits3(bytes / MB / Math.max(1, count))} MB`;
}

// @ts-check
/**
 * @file The gallery: programs in the shapes of public ones, recorded as they lie there, asked at every depth and
 * compared with the truth. A benchmark each, named after the program.
 */
import { join } from "node:path";
import { digits3, makeResult } from "../measure.js";
import { ROOT } from "../replay/project.js";
import { measureProgram, measureStart } from "./asking.js";
import { interpreterFor } from "./executing.js";
import { programFile, readPrograms } from "./program.js";
import { rowOf } from "./report.js";

/** @import { Bench, Result } from "../measure.js" */
/** @import { Program } from "./program.js" */
/** @import { Answered, Measured } from "./asking.js" */

const RATIO_MAX = 1.07;

/** @type {{ readonly [name: string]: Bench }} */
export const PROGRAMS = Object.fromEntries(
  ["python", "javascript"]
    .flatMap((language) => readPrograms(join(ROOT, "bench/programs", language)))
    .map((program) => [program.name, benchOf(program)]),
);

/**
 * @param {Program} program
 * @returns {Bench}
 */
function benchOf(program) {
  return async ({ quick, rounds = quick ? 1 : 3, folder, progress, pythons = [] }) => {
    const found = interpreterFor(program, pythons);
    if ("missing" in found) return [notPossible(program, found.missing)];
    const execution = { program, folder, progress, interpreter: found.interpreter };
    const start = measureStart(execution);
    const argv = quick ? program.quick : program.full;
    const measured = await measureProgram({ ...execution, argv, rounds });
    return [resultOf(program, measured, start)];
  };
}

/**
 * @param {Program} program
 * @param {Measured} measured
 * @param {{ recordS: number, replayS: number }} start
 * @returns {Result}
 */
function resultOf(program, measured, start) {
  const { plainS, ratios, ledger, off, answers } = measured;
  const wrong = [measured, ...answers].flatMap(({ wrong }) => wrong ?? []);
  return {
    ...makeResult({
      name: program.name,
      values: ratios.map((ratio) => ratio * plainS),
      ratios: ratios.map((ratio) => ratio - start.recordS / plainS),
      unit: "s recorded",
      goal: { atMost: RATIO_MAX, ...(wrong.length > 0 ? { pass: false } : {}) },
      detail: {
        "s plain": plainS,
        "s of start": start,
        "ledger says": ledger,
        ...(off.length > 0 ? { "given up": off.join(", ") } : {}),
        ...(wrong.length > 0 ? { WRONG: wrong.join("; ") } : {}),
        ...Object.fromEntries(
          answers.map((answer) => [`${answer.depth} ${answer.name}`, answerText(answer)]),
        ),
      },
    }),
    row: rowOf(program, measured, start),
  };
}

/** @param {Answered} answer */
function answerText({ values, wrong, share, overPlain, marks, notes }) {
  const parts = [
    wrong === undefined ? `${values} right` : `WRONG: ${wrong}`,
    `${digits3(share * 100)} % executed`,
    `${digits3(overPlain)} x plain`,
    marks.join(" "),
    ...notes,
  ];
  return parts.join(" · ");
}

/**
 * @param {Program} program
 * @param {readonly string[]} missing
 */
function notPossible(program, missing) {
  const text = `not possible here: no ${missing.join(", ")}`;
  return {
    ...makeResult({
      name: program.name,
      values: [NaN],
      ratios: [NaN],
      unit: "s",
      goal: { text: "", pass: false },
      detail: { [text]: "" },
    }),
    row: [`\`${programFile(program)}\``, text],
  };
}

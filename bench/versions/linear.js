// @ts-check
/**
 * @file A suffix replay over many versions: seconds for each version, of 50 against 5, and what one
 * more version costs, early and late: what is paid once hides in the first figure, and a cost that
 * grows with the number of versions shows in the second. Every version is recorded once; each round
 * asks for a name that none of them has, at one place of the newest.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { ROOT, take } from "../replay/project.js";
import { JAVASCRIPT } from "./history.js";
import { PYTHON } from "./history-python.js";

/** @import { Bench } from "../measure.js" */
/** @import { History } from "./history.js" */

const CLI = join(ROOT, "dist/cli/main.js");
const LINES = 120;
/** How many versions are asked; each divides the last. */
const SIZES = /** @type {const} */ ([5, 25, 50]);
const QUICK_SIZES = /** @type {const} */ ([2, 5, 10]);
const RATIO_MAX = 1.15;

/** @type {Bench} */
export const benchLinear = (asked) => linear(JAVASCRIPT, asked);
/** @type {Bench} */
export const benchLinearPython = (asked) => linear(PYTHON, asked);

/**
 * @param {History} history
 * @param {Parameters<Bench>[0]} asked
 */
async function linear({ file, language, scriptAt }, { quick, rounds, folder, progress }) {
  const [few, some, many] = quick ? QUICK_SIZES : SIZES;
  const project = join(folder, `linear-${language}`);
  makeRepository(project, file);
  for (let version = 0; version < many; version++) {
    progress(`recording version ${version + 1} of ${many}`);
    writeFileSync(join(project, file), scriptAt({ lines: LINES, version }));
    git(project, "commit", "-qam", `version ${version}`, "--allow-empty");
    await take([CLI, "run", file], project);
  }
  let names = 0;
  /** @param {number} versions */
  const ask = (versions) => async () => {
    const probe = `probe_${names++}`;
    writeFileSync(join(project, file), scriptAt({ lines: LINES, version: many - 1, probe }));
    const apart = many / versions;
    const where = ["--where", `version % ${apart} = ${apart - 1}`];
    const flags = ["--yes", "--json", "--no-canary", "-j", "1", ...(apart === 1 ? [] : where)];
    const taken = await take([CLI, "replay", probe, ...flags], project);
    const done = JSON.parse(taken.out.trimEnd().split("\n").at(-1) ?? "");
    assert.deepEqual([done.kind, done.status, done.cells], ["done", "done", versions]);
    return taken;
  };
  const arms = { few: ask(few), some: ask(some), many: ask(many) };
  await arms.few();
  const found = await interleave(rounds ?? (quick ? 1 : 3), arms, (n) => {
    progress(`replaying, round ${n + 1}`);
  });
  // A quick run has too few versions to tell.
  const goal = { text: `<= ${RATIO_MAX}`, ...(quick ? { pass: true } : { atMost: RATIO_MAX }) };
  return [
    averageResult({ language, few, many }, found, goal),
    marginalResult({ language, few, some, many }, found, goal),
  ];
}

/** @typedef {Readonly<{ s: number, cpuS: number }>} Seconds */
/** @typedef {{ few: Seconds[], some: Seconds[], many: Seconds[] }} Found */
/** @typedef {Parameters<typeof makeResult>[0]["goal"]} Goal */

/**
 * @param {{ language: string, few: number, many: number }} sizes
 * @param {Found} found
 * @param {Goal} goal
 */
function averageResult({ language, few, many }, found, goal) {
  /** @param {keyof Seconds} kind */
  const each = (kind) => ({
    few: found.few.map((taken) => taken[kind] / few),
    many: found.many.map((taken) => taken[kind] / many),
  });
  const [clock, processor] = [each("s"), each("cpuS")];
  return makeResult({
    name: `${language}: suffix replay, seconds a version: ${many} versions / ${few} versions`,
    values: clock.many,
    ratios: ratios(clock.many, clock.few),
    unit: "s",
    goal,
    detail: {
      [`s a version of ${few}`]: median(clock.few),
      "ratio of processor time": median(ratios(processor.many, processor.few)),
      "processor time a version, s": median(processor.many),
    },
  });
}

/**
 * Seconds that one more version takes: the slopes between the sizes.
 * @param {{ language: string, few: number, some: number, many: number }} sizes
 * @param {Found} found
 * @param {Goal} goal
 */
function marginalResult({ language, few, some, many }, found, goal) {
  /** @param {keyof Seconds} kind */
  const slopes = (kind) => {
    const of = {
      few: found.few.map((taken) => taken[kind]),
      some: found.some.map((taken) => taken[kind]),
      many: found.many.map((taken) => taken[kind]),
    };
    /** @param {readonly number[]} to @param {readonly number[]} from @param {number} more */
    const slope = (to, from, more) => to.map((value, at) => (value - (from[at] ?? NaN)) / more);
    return {
      early: slope(of.some, of.few, some - few),
      late: slope(of.many, of.some, many - some),
      all: slope(of.many, of.few, many - few),
    };
  };
  const [clock, processor] = [slopes("s"), slopes("cpuS")];
  return makeResult({
    name: `${language}: one more version: from ${some} to ${many} / from ${few} to ${some}`,
    values: clock.all,
    ratios: ratios(clock.late, clock.early),
    unit: "s",
    goal,
    detail: {
      [`s for one more, from ${few} to ${some}`]: median(clock.early),
      [`s for one more, from ${some} to ${many}`]: median(clock.late),
      "ratio of processor time": median(ratios(processor.late, processor.early)),
      "processor time for one more, s": median(processor.all),
    },
  });
}

/**
 * @param {string} folder
 * @param {string} file
 */
function makeRepository(folder, file) {
  mkdirSync(folder);
  git(folder, "init", "-q");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, ".gitignore"), "node_modules\n__pycache__\n");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, file), "");
  git(folder, "add", "-A");
}

/**
 * @param {string} folder
 * @param {readonly string[]} args
 */
function git(folder, ...args) {
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
  execFileSync("git", [...identity, ...args], { cwd: folder });
}

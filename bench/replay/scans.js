// @ts-check
/**
 * @file The four scans of one training against executing it again with the statements in it, and
 * the two short ones against what no replay can do without.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { makeFloors } from "./floor.js";
import { PLACES, Project } from "./project.js";

/** @import { Bench, Result } from "../measure.js" */
/** @import { Place, Sizes, Taken } from "./project.js" */
/** @import { EventCell } from "../../build/replayer/index.js" */
/** @import { CheckpointRecord, LogRecord } from "../../build/format/index.js" */

/** @type {Sizes} a minute and more on every machine in hand, all ends of epochs in the budget */
export const LONG = Object.freeze({ epochs: 30, steps: 60, batch: 512, hidden: 1024 });
/** @type {Sizes} */
export const TINY = Object.freeze({ epochs: 4, steps: 12, batch: 128, hidden: 256 });
const LONG_S_MIN = 60;

/** @type {Bench} */
export async function benchScans({ quick, folder, progress, rounds: given = quick ? 1 : 3 }) {
  const sizes = quick ? TINY : LONG;
  progress("recording");
  const project = new Project(join(folder, "asked"), sizes);
  const recorded = await project.run();
  const again = new Project(join(folder, "again"), sizes);
  const step = `epoch = ${sizes.epochs >> 1} and step = ${Math.floor(sizes.steps * 0.7)}`;
  const arms = {
    rerun: () => rerun(again),
    plain: () => plain(again),
    prefix: () => project.ask("prefix"),
    suffix: () => project.ask("suffix"),
    outer: () => project.ask("outer"),
    inner: () => project.ask("inner", { where: step }),
  };
  const rounds = await interleave(given, arms, (n) => progress(`round ${n + 1}`));
  assert.ok(quick || median(clock(rounds.plain)) >= LONG_S_MIN, "the training is too short");
  const [truth = []] = rounds.rerun.map(({ values }) => values);
  for (const place of PLACES) {
    for (const { cells } of rounds[place]) sameValues(place, cells, truth);
  }
  const facts = { ...factsOf(project, sizes), "recorded s": recorded.s };
  const titles = /** @type {const} */ ([
    ["prefix", "prefix", 20],
    ["suffix", "suffix", 20],
    ["outer", `outer, all ${sizes.epochs} epochs`, 5],
    ["inner", "inner, one step of one epoch", 20],
  ]);
  const speeds = titles.map(([place, title, atLeast]) =>
    speedOf(`executing again / replay: ${title}`, atLeast, {
      replays: rounds[place],
      rerun: rounds.rerun,
      plain: rounds.plain,
      facts,
    }),
  );
  return [...speeds, ...(await floorsOf(project, { quick, folder, sizes, progress }))];
}

/**
 * Everything is logged, so that the values of all replays can be compared.
 * @param {Project} again
 */
async function rerun(again) {
  again.write(Object.fromEntries(PLACES.map((place) => [place, place])));
  const taken = await again.run();
  const { folder = "" } = again.recorded().at(-1) ?? {};
  const values = readFileSync(join(folder, "log.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"k":"log"'))
    .map((line) => /** @type {LogRecord} */ (JSON.parse(line)));
  return { ...taken, values };
}

/** @param {Project} again */
function plain(again) {
  again.write({});
  return again.run([], { AFTERLOG_MODE: "off" });
}

/**
 * A fast replay with other values would be worth nothing.
 * @param {Place} place
 * @param {readonly EventCell[]} cells
 * @param {readonly LogRecord[]} truth
 */
function sameValues(place, cells, truth) {
  const own = truth.filter(({ name }) => name === place);
  const known = new Map(own.map(({ path, value }) => [JSON.stringify(path), value]));
  if (place !== "inner") assert.equal(cells.length, own.length, place);
  for (const { path, value } of cells) {
    assert.deepEqual(value, known.get(JSON.stringify(path)), `${place} ${JSON.stringify(path)}`);
  }
}

/**
 * @param {Project} project
 * @param {Sizes} sizes
 */
function factsOf(project, sizes) {
  const [run] = project.recorded();
  assert.ok(run, "nothing was recorded");
  const checkpoints = readFileSync(join(run.folder, "checkpoints/index.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /** @type {CheckpointRecord} */ (JSON.parse(line)));
  const ends = checkpoints.filter(({ kind, path }) => kind === "iteration" && path.length === 1);
  return {
    "epochs with an end": `${ends.length} of ${sizes.epochs}`,
    checkpoints: checkpoints.length,
    "state MB": (checkpoints[0]?.stateBytes ?? NaN) / 1e6,
    "record overhead by the ledger": run.manifest.overhead?.share ?? NaN,
  };
}

/** @param {readonly Taken[]} all */
const clock = (all) => all.map(({ s }) => s);
/** @param {readonly Taken[]} all */
const cpu = (all) => all.map(({ cpuS }) => cpuS);

/**
 * @param {string} name
 * @param {number} atLeast
 * @param {{ replays: readonly Replayed[], rerun: readonly Taken[], plain: readonly Taken[],
 *   facts: { [fact: string]: unknown } }} measured
 * @typedef {Awaited<ReturnType<Project["ask"]>>} Replayed
 * @returns {Result}
 */
function speedOf(name, atLeast, { replays, rerun: again, plain: bare, facts }) {
  return makeResult({
    name,
    values: clock(replays),
    ratios: ratios(clock(again), clock(replays)),
    unit: "s",
    goal: { atLeast },
    detail: {
      "ratio of processor time": median(ratios(cpu(again), cpu(replays))),
      "ratio to not recorded, without the statements": median(ratios(clock(bare), clock(replays))),
      "processor s": median(cpu(replays)),
      "executing again s": median(clock(again)),
      "not recorded s": median(clock(bare)),
      "iterations executed again": replays[0]?.plan.runs[0]?.share ?? NaN,
      ...facts,
    },
  });
}

/**
 * @param {Project} project
 * @param {{ quick: boolean, folder: string, sizes: Sizes, progress: (text: string) => void }} options
 */
async function floorsOf(project, { quick, folder, sizes, progress }) {
  const [run] = project.recorded();
  const checkpoint = join(run?.folder ?? "", "checkpoints/epoch=end.safetensors");
  const floors = makeFloors(folder, sizes, checkpoint);
  const arms = {
    prefix: () => project.ask("prefix"),
    floorPrefix: floors.prefix,
    suffix: () => project.ask("suffix"),
    floorSuffix: floors.suffix,
  };
  const rounds = await interleave(quick ? 3 : 15, arms, (n) => progress(`floor ${n + 1}`));
  const pairs = /** @type {const} */ ([
    ["prefix", rounds.prefix, rounds.floorPrefix],
    ["suffix", rounds.suffix, rounds.floorSuffix],
  ]);
  return pairs.map(([title, replays, floor]) =>
    makeResult({
      name: `replay: ${title} / start, load and the code that must run`,
      values: clock(replays),
      ratios: ratios(clock(replays), clock(floor)),
      unit: "s",
      goal: { atMost: 1.5 },
      detail: {
        "ratio of processor time": median(ratios(cpu(replays), cpu(floor))),
        "ratio of the best rounds": Math.min(...clock(replays)) / Math.min(...clock(floor)),
        "floor s": median(clock(floor)),
        "processor s": median(cpu(replays)),
        "floor, processor s": median(cpu(floor)),
        "of it, tree and process s": median(replays.map(({ done }) => done.actual_s)),
      },
    }),
  );
}

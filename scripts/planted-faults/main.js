// @ts-check
/**
 * @file `node scripts/planted-faults/main.js [--only ID…] [--mutants] [--suite unit|test]
 * [--expected] [--budget SECONDS] [--costs FILE] [--lint] [--report FILE]`: plants faults, one at a time, in a
 * copy of the tree and says which test catches each, after how much CPU time, or that it survived.
 *
 * `--expected`: only the tests that are said to catch it. `--budget`: CPU seconds of tests for each fault, after which it counts as not caught. `--costs`:
 * lines of CPU seconds and test file, so that the cheap ones come first. `--report`: a file that
 * holds what has been found: it is not tried again, unless the budget is larger now.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readSources, readTexts, ROOT, testFiles, TreeCopy } from "./copy.js";
import { distancesTo } from "./imports.js";
import { build, complaint, runStep, stopRunning } from "./run-step.js";
import { isUnitTest, roomOf, stepName, stepsFor } from "./test-steps.js";

/** @import { Edit } from "./edits.js" */
/** @import { Failed } from "./run-step.js" */
/** @import { Expected, Step, Suite } from "./test-steps.js" */

/**
 * @typedef {Edit & { readonly id: string, readonly room?: string, readonly gone?: string, readonly caughtBy?: readonly Expected[] }} Fault
 * @typedef {{ id: string, verdict: "caught" | "survived" | "not caught within the budget" | "refused" | "cannot be planted" | "gone", by?: Failed, tried: string[], cpu: number, note?: string }} Found
 */

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    mutants: { type: "boolean", default: false },
    suite: { type: "string", default: "test" },
    budget: { type: "string", default: "Infinity" },
    costs: { type: "string" },
    lint: { type: "boolean", default: false },
    expected: { type: "boolean", default: false },
    report: { type: "string" },
  },
});

/** @returns {Fault[]} */
function chosenFaults() {
  const file = join(import.meta.dirname, options.mutants ? "mutants.json" : "faults.json");
  /** @type {Fault[]} */
  const all = JSON.parse(readFileSync(file, "utf8"));
  return all.filter(({ id }) => options.only.length === 0 || options.only.includes(id));
}

/** @returns {Map<string, number>} */
function readCosts() {
  if (options.costs === undefined) return new Map();
  const lines = readFileSync(options.costs, "utf8").split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.split("\t").at(-1) ?? "", Number.parseFloat(line)]));
}

/**
 * Test files of a suite, of both languages.
 * @param {string} suite
 */
function filesOf(suite) {
  return testFiles().filter((file) => {
    // It sees that a fault is planted, not what goes wrong.
    if (file.endsWith("/planted-faults.test.ts") || file.startsWith("test/long/")) return false;
    return suite === "test" || isUnitTest(file);
  });
}

class Runner {
  #clean = new TreeCopy();
  #copy = new TreeCopy();
  #files = filesOf(options.suite);
  #costs = readCosts();
  #texts = new Map([...readSources(), ...readTexts(this.#files)]);
  /** Tests that were seen to pass without any fault. */
  #sound = new Set();
  /** Whether `dist/` is that of the present sources. */
  #isBuilt = false;

  async prepare() {
    const refused = await build(this.#clean.folder);
    if (refused !== null) throw new Error(`the tree itself does not build:\n${refused}`);
  }

  /**
   * @param {Fault} fault
   * @param {Found} [before] What was found within a smaller budget.
   * @returns {Promise<Found>}
   */
  async try(fault, before) {
    const { id } = fault;
    /** @type {Found} */
    const found = { tried: [], cpu: 0, ...before, id, verdict: "survived" };
    if (fault.gone !== undefined) return { ...found, verdict: "gone", note: fault.gone };
    let file;
    try {
      file = this.#copy.plant(fault);
    } catch (error) {
      return { ...found, verdict: "cannot be planted", note: String(error) };
    }
    this.#isBuilt = false;
    const refused = options.lint ? await complaint(this.#copy.folder, file) : null;
    if (refused !== null) return { ...found, verdict: "refused", note: refused };
    const room = roomOf(file);
    const distances = distancesTo(this.#texts, file);
    const steps = stepsFor(this.#files, { ...fault, room }, { costs: this.#costs, distances });
    const wanted = options.expected ? steps.slice(0, fault.caughtBy?.length ?? 0) : steps;
    const left = wanted.filter((step) => !found.tried.includes(stepName(step)));
    const searched = await this.#search(left, found);
    const isOver = searched.verdict !== "survived" || !options.expected;
    return isOver ? searched : { ...searched, verdict: "not caught within the budget" };
  }

  /**
   * @param {readonly Step[]} steps
   * @param {Found} found
   * @returns {Promise<Found>}
   */
  async #search(steps, found) {
    const queue = [...steps];
    for (let step = queue.shift(); step; step = queue.shift()) {
      if (found.cpu > Number(options.budget)) {
        return { ...found, verdict: "not caught within the budget" };
      }
      const refused = await this.#build(step);
      if (refused !== null) return { ...found, verdict: "refused", note: refused };
      const { cpu, ran, failed } = await runStep(this.#copy.folder, step);
      found.cpu = Math.round((found.cpu + cpu) * 10) / 10;
      found.tried.push(stepName(step));
      if (ran === 0 && failed === null)
        found.note = `${found.note ?? ""}${stepName(step)} ran no test; `;
      if (failed === null) continue;
      const doubt = await this.#doubt(step, failed);
      if (doubt === null) return { ...found, verdict: "caught", by: failed };
      found.note = `${found.note ?? ""}${failed.file}: ${failed.test} ${doubt}; `;
      // The failure kept others from being run.
      const others = step.files.filter((file) => file !== failed.file);
      if (others.length > 0) queue.unshift({ kind: step.kind, files: others });
    }
    return found;
  }

  /**
   * Builds for the first step that needs it: unit tests read the sources.
   * @param {Step} step
   */
  async #build({ files }) {
    if (this.#isBuilt || files.every(isUnitTest)) return null;
    const refused = await build(this.#copy.folder);
    this.#isBuilt = refused === null;
    return refused;
  }

  /**
   * Why a failure may not come from the fault: it must fail again, and pass without the fault.
   * @param {Step} step
   * @param {Failed} failed
   * @returns {Promise<string | null>}
   */
  async #doubt({ kind, files }, { file, test }) {
    const isNamed = file !== "" && test !== "";
    const title = kind === "vitest" ? escaped(test) : test;
    const again = isNamed ? { kind, files: [file], test: title } : { kind, files };
    if ((await runNamed(this.#copy.folder, again)).failed === null) return "does not fail again";
    const key = JSON.stringify(again);
    if (this.#sound.has(key)) return null;
    if ((await runNamed(this.#clean.folder, again)).failed !== null) return "fails without it too";
    this.#sound.add(key);
    return null;
  }

  [Symbol.dispose]() {
    this.#clean[Symbol.dispose]();
    this.#copy[Symbol.dispose]();
  }
}

/**
 * Runs a test by its title, or all of its file: a title with a seed in it is another one each time.
 * @param {string} folder
 * @param {Step} step
 */
async function runNamed(folder, step) {
  const outcome = await runStep(folder, step);
  if (outcome.ran > 0 || outcome.failed !== null) return outcome;
  return runStep(folder, { kind: step.kind, files: step.files });
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/**
 * @param {string | undefined} file
 * @returns {Map<string, Found>}
 */
function readReport(file) {
  if (file === undefined || !existsSync(file)) return new Map();
  /** @type {Found[]} */
  const found = JSON.parse(readFileSync(file, "utf8"));
  return new Map(found.map((one) => [one.id, one]));
}

/**
 * Whether a larger budget than the last one is there.
 * @param {Found} found
 */
function isOpen({ verdict, cpu }) {
  return verdict === "not caught within the budget" && cpu <= Number(options.budget);
}

/**
 * @param {Found} found
 * @returns {string}
 */
function tableRow({ id, verdict, by, cpu, tried, note }) {
  const where = by ? `${by.file}: ${by.test || by.why}` : (note ?? `${tried.length} steps`);
  const line = where.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");
  return `| ${id} | ${verdict} | ${cpu.toFixed(1)} | ${line} |`;
}

async function main() {
  const faults = chosenFaults();
  const known = readReport(options.report);
  const runner = new Runner();
  const stop = () => {
    stopRunning();
    runner[Symbol.dispose]();
    process.exit(130);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    await runner.prepare();
    console.log("| fault | verdict | CPU s | by |\n|---|---|---|---|");
    for (const fault of faults) {
      const before = known.get(fault.id);
      const found = before && !isOpen(before) ? before : await runner.try(fault, before);
      known.set(fault.id, found);
      if (options.report !== undefined) {
        writeFileSync(`${options.report}.tmp`, JSON.stringify([...known.values()], null, 2));
        renameSync(`${options.report}.tmp`, options.report);
      }
      console.log(tableRow(found));
    }
  } finally {
    runner[Symbol.dispose]();
  }
  const all = faults.flatMap(({ id }) => known.get(id) ?? []);
  const caught = all.filter(({ verdict }) => verdict === "caught").length;
  console.log(`${caught} of ${all.length} caught (suite ${options.suite}, in ${ROOT})`);
  process.exitCode = caught === all.length ? 0 : 1;
}

await main();

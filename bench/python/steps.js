// @ts-check
/**
 * @file What recording costs a Python training by how long its steps take: epochs that are recorded
 * beside epochs that are not, in one process, and what the run's own ledger says of the same.
 */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeResult, median, ratios } from "../measure.js";
import { interpreter } from "./interpreter.js";

/** @import { Bench, BenchOptions, Result } from "../measure.js" */

const PROGRAMS = fileURLToPath(new URL("steps", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../python", import.meta.url));
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const BODIES = ["0.05", "0.5", "5", "50"];
/** Flor's: the most that recording may cost. */
const BUDGET = 0.0667;
const SPENT = ["captureMs", "snapshotMs", "waitMs", "slowdownMs", "logMs", "otherMs"];
const execute = promisify(execFile);

/**
 * Times in ms, wall and processor, of an epoch that is not recorded, then of one that is, and so on.
 * @typedef {{ laps: [number, number][] }} Laps
 */

/**
 * @param {string} python
 * @param {string} folder
 * @param {string} program
 * @param {readonly string[]} argv
 */
async function record(python, folder, program, argv) {
  const project = join(folder, "steps");
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project);
  copyFileSync(join(PROGRAMS, program), join(project, program));
  const env = {
    ...process.env,
    PYTHONPATH: [PROGRAMS, PACKAGE].join(":"),
    AFTERLOG_DIR: join(project, ".afterlog"),
    // Half of the time goes into epochs that are not recorded, and the budget is a share of all.
    AFTERLOG_OVERHEAD: String(BUDGET / 2),
  };
  const command = [MAIN, "run", "--python", python, program, ...argv];
  const { stderr } = await execute(process.execPath, command, { cwd: project, env });
  const line = stderr.split("\n").find((one) => one.startsWith('{"laps"')) ?? "";
  const { laps } = /** @type {Laps} */ (JSON.parse(line));
  const runs = join(project, ".afterlog/runs");
  const manifest = readFileSync(join(runs, readdirSync(runs)[0] ?? "", "run.json"), "utf8");
  /** @type {{ [field: string]: number }} */
  const overhead = JSON.parse(manifest).overhead;
  return { laps, overhead };
}

/**
 * @param {BenchOptions} options
 * @param {string} python
 * @param {string} program
 * @param {string} ms
 * @returns {Promise<Result>}
 */
async function measure(options, python, program, ms) {
  const rounds = options.rounds ?? (options.quick ? 4 : 16);
  const { laps, overhead } = await record(python, options.folder, program, [ms, String(rounds)]);
  // The first pair makes memory ready.
  const plain = laps.filter((_, at) => at % 2 === 0 && at > 1).slice(0, rounds - 2);
  const recorded = laps.filter((_, at) => at % 2 === 1 && at > 1);
  const [plainMs, recordedMs] = [plain.map(([wall]) => wall), recorded.map(([wall]) => wall)];
  const processor = ratios(
    recorded.map(([, cpu]) => cpu),
    plain.map(([, cpu]) => cpu),
  );
  const spentMs = SPENT.reduce((sum, part) => sum + (overhead[part] ?? NaN), 0);
  return makeResult({
    name: `${program}, steps of about ${ms} ms: an epoch recorded / not recorded, less 1`,
    values: recordedMs,
    ratios: ratios(recordedMs, plainMs).map((ratio) => ratio - 1),
    unit: "ms",
    goal: { atMost: BUDGET },
    detail: {
      "the ledger says": spentMs / rounds / median(plainMs),
      "by processor time": median(processor) - 1,
      "once, ms": overhead["outermostMs"],
      checkpoints: overhead["checkpoints"],
    },
  });
}

/** @type {Bench} */
export async function benchSteps(options) {
  const python = interpreter();
  /** @type {Result[]} */
  const results = [];
  for (const ms of BODIES) {
    for (const program of ["plain.py", "named.py"]) {
      options.progress(`${program}, ${ms} ms`);
      results.push(await measure(options, python, program, ms));
    }
  }
  return results;
}

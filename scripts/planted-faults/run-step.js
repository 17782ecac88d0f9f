// @ts-check
/**
 * @file Builds a copy of the tree and runs tests in it, until the first failure. Counts the CPU
 * seconds of all processes, because the seconds of a clock depend on who else computes.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** @import { Step } from "./test-steps.js" */

/**
 * @typedef {{ readonly cpu: number, readonly ran: number, readonly failed: Failed | null }} Outcome
 * @typedef {{ readonly file: string, readonly test: string, readonly why: string }} Failed
 */

/** One process that computes longer than this hangs; so does one that lasts longer. */
const CPU_MAX_S = 300;
const WALL_MAX_MS = 1_500_000;

/** `time` of bash is the only one that counts what children of children took. */
const TIMED = 'ulimit -t "$1"; shift; TIMEFORMAT="CPU %U %S"; time "$@" 2>&1';

/** @type {{ readonly pid?: number | undefined } | undefined} */
let running;

/** Ends what runs, with all that it started. */
export function stopRunning() {
  if (running?.pid !== undefined) process.kill(-running.pid, "SIGKILL");
}

/**
 * @param {string} folder
 * @param {readonly string[]} command
 * @returns {Promise<{ status: number | null, output: string, cpu: number }>}
 */
async function timed(folder, command) {
  const argv = ["-c", TIMED, "bash", String(CPU_MAX_S), ...command];
  const env = { ...process.env, AFTERLOG_SEED: process.env["AFTERLOG_SEED"] ?? "1", NO_COLOR: "1" };
  const child = spawn("bash", argv, { cwd: folder, env, detached: true });
  running = child;
  let [output, times] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (times += text));
  const timer = setTimeout(stopRunning, WALL_MAX_MS);
  /** @type {number | null} */
  const status = await new Promise((done) => child.on("close", done));
  clearTimeout(timer);
  running = undefined;
  const [, user = "0", system = "0"] = /CPU ([\d.]+) ([\d.]+)\s*$/.exec(times) ?? [];
  return { status, output, cpu: Number(user) + Number(system) };
}

/**
 * Builds; gives what the compiler has against it.
 * @param {string} folder
 * @returns {Promise<string | null>}
 */
export async function build(folder) {
  const { status, output } = await timed(folder, ["npm", "run", "--silent", "build"]);
  return status === 0 ? null : output.trim();
}

/**
 * Whether types of tests and the linter have something to say of an edited file.
 * @param {string} folder
 * @param {string} file
 * @returns {Promise<string | null>}
 */
export async function complaint(folder, file) {
  const bin = (/** @type {string} */ name) => join("node_modules/.bin", name);
  const checks = file.endsWith(".py")
    ? [["python3", "-W", "error", "-m", "py_compile", file]]
    : [
        [bin("tsc"), "-p", "tsconfig.test.json"],
        [bin("oxlint"), "--type-aware", "--deny-warnings", file],
      ];
  for (const check of checks) {
    const { status, output } = await timed(folder, check);
    if (status !== 0) return output.trim();
  }
  return null;
}

/**
 * @param {string} folder
 * @param {Step} step
 * @returns {Promise<Outcome>}
 */
export function runStep(folder, step) {
  return step.kind === "vitest" ? vitest(folder, step) : unittest(folder, step);
}

/**
 * @param {string} folder
 * @param {Step} step
 * @returns {Promise<Outcome>}
 */
async function vitest(folder, { files, test }) {
  const report = `${folder}.json`;
  rmSync(report, { force: true });
  const { status, output, cpu } = await timed(folder, [
    process.execPath,
    "node_modules/vitest/vitest.mjs",
    "run",
    "--bail=1",
    "--maxWorkers=1",
    "--testTimeout=180000",
    "--reporter=json",
    `--outputFile=${report}`,
    ...(test === undefined ? [] : ["-t", test]),
    ...files,
  ]);
  const results = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null;
  rmSync(report, { force: true });
  if (results === null) {
    const why = status === 0 ? "no report" : lastLines(output);
    return { cpu, ran: 0, failed: { file: files.join(" "), test: "", why } };
  }
  const ran = results.numPassedTests + results.numFailedTests;
  return { cpu, ran, failed: status === 0 ? null : failureIn(folder, results, output) };
}

/**
 * @param {string} folder
 * @param {any} results
 * @param {string} output
 * @returns {Failed}
 */
function failureIn(folder, results, output) {
  for (const { name, status, message, assertionResults } of results.testResults) {
    const file = name.slice(folder.length + 1);
    for (const one of assertionResults) {
      if (one.status !== "failed") continue;
      return { file, test: one.fullName, why: firstLine(one.failureMessages[0] ?? "") };
    }
    if (status === "failed") return { file, test: "", why: firstLine(message) };
  }
  return { file: "", test: "", why: lastLines(output) };
}

/** The interpreter for which the tests of frameworks have theirs. */
const PYTHON = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

/**
 * @param {string} folder
 * @param {Step} step
 * @returns {Promise<Outcome>}
 */
async function unittest(folder, { files, test }) {
  const modules = files.map((file) => `tests.${basename(file, ".py")}`);
  const chosen = test === undefined ? [] : ["-k", test];
  const argv = ["env", "AFTERLOG_MODE=off", PYTHON, "-m", "unittest", "-f", ...chosen, ...modules];
  const { status, output, cpu } = await timed(join(folder, "python"), argv);
  const ran = Number(/^Ran (\d+) tests? in/m.exec(output)?.[1] ?? 0);
  if (status === 0 || (ran === 0 && /NO TESTS RAN/.test(output))) return { cpu, ran, failed: null };
  const [, name = "", where = ""] = /^(?:FAIL|ERROR): (\S+) \(([^)]*)\)/m.exec(output) ?? [];
  const module = where.split(".").find((part) => part.startsWith("test_")) ?? "";
  const file = files.find((one) => one.endsWith(`/${module}.py`)) ?? files.join(" ");
  return { cpu, ran, failed: { file, test: name, why: lastLines(output) } };
}

/** @param {string} text */
function firstLine(text) {
  return (text.split("\n").find((line) => line.trim() !== "") ?? "").trim().slice(0, 300);
}

/** @param {string} text */
function lastLines(text) {
  return text.trim().split("\n").slice(-6).join("\n").slice(-600);
}

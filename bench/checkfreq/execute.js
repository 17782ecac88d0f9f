// @ts-check
/** @file One training of `programs/steps.js`, recorded or not, and what it left. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @import { CheckpointRecord, Manifest, ProfileRecord } from "../../build/format/index.js" */

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * @typedef {object} Execution
 * @property {number} ms of the loop
 * @property {number} turns of a step's work
 * @property {readonly CheckpointRecord[]} checkpoints
 * @property {readonly ProfileRecord[]} profile
 * @property {Manifest["overhead"]} overhead
 */

/**
 * A project with the program in it.
 * @param {string} folder
 */
export function makeProject(folder) {
  mkdirSync(folder);
  cpSync(fileURLToPath(new URL("programs/steps.js", import.meta.url)), join(folder, "steps.js"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
}

/**
 * @param {string} project
 * @param {{ [name: string]: string }} env
 * @param {(epoch: number) => void} [begun] an epoch has begun
 * @returns {Promise<Execution>}
 */
export async function execute(project, env, begun = () => undefined) {
  rmSync(join(project, ".afterlog"), { recursive: true, force: true });
  const child = spawn(process.execPath, [CLI, "run", "steps.js"], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const told = { ms: NaN, turns: NaN };
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("epoch ")) begun(Number(line.slice(6)));
    if (line.startsWith("bench ")) Object.assign(told, JSON.parse(line.slice(6)));
  }
  if (env["AFTERLOG_MODE"] === "off") {
    return { ...told, checkpoints: [], profile: [], overhead: null };
  }
  const runs = join(project, ".afterlog/runs");
  const run = join(runs, readdirSync(runs)[0] ?? "");
  const manifest = /** @type {Manifest} */ (
    JSON.parse(readFileSync(join(run, "run.json"), "utf8"))
  );
  const index = /** @type {CheckpointRecord[]} */ (linesOf(join(run, "checkpoints/index.jsonl")));
  const profile = /** @type {ProfileRecord[]} */ (linesOf(join(run, "profile.jsonl")));
  const checkpoints = index.filter(({ k }) => k === "checkpoint");
  return { ...told, checkpoints, profile, overhead: manifest.overhead };
}

/** @param {string} file */
function linesOf(file) {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => /** @type {unknown} */ (JSON.parse(line)));
}

/**
 * Ends of outermost loops are apart from the budget.
 * @param {readonly CheckpointRecord[]} checkpoints
 */
export function outermostMs(checkpoints) {
  return checkpoints
    .filter(({ kind, path }) => kind === "loop" && path.length === 1)
    .reduce((sum, { times }) => sum + times.capture + times.wait + times.snapshot, 0);
}

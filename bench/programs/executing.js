// @ts-check
/** @file Commands with the processor time of all their processes, and the interpreters of programs. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PRELOAD } from "../replay/floor.js";
import { ROOT } from "../replay/project.js";

/** @import { Manifest } from "../../build/format/index.js" */
/** @import { Program } from "./program.js" */

const TIMER = join(ROOT, "bench/handsfree/processor_time.py");
const CLI = join(ROOT, "dist/cli/main.js");
const MISSING = `
import importlib, sys
for need in sys.argv[1:]:
    name, _, least = need.partition(">=")
    try:
        version = importlib.import_module(name).__version__ if least else importlib.util.find_spec(name)
    except ImportError:
        version = None
    if not version or least and [int(n) for n in version.split("+")[0].split(".")[:2]] < [int(n) for n in least.split(".")]:
        print(need)
`.replace("import importlib, sys", "import importlib.util, sys");

/**
 * @typedef {object} Executed
 * @property {number} code
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} cpuS
 */

/**
 * The first interpreter that has what a program needs, or what the best one lacks.
 * @param {Program} program
 * @param {readonly string[]} pythons
 * @returns {{ interpreter: string } | { missing: readonly string[] }}
 */
export function interpreterFor({ language, needs }, pythons) {
  if (language === "javascript") {
    const missing = needs.filter((name) => !existsSync(join(ROOT, "node_modules", name)));
    return missing.length === 0 ? { interpreter: process.execPath } : { missing };
  }
  const tried = pythons.map((interpreter) => {
    const { status, stdout } = spawnSync(interpreter, ["-c", MISSING, ...needs], {
      encoding: "utf8",
    });
    return { interpreter, missing: status === 0 ? stdout.split("\n").filter(Boolean) : ["Python"] };
  });
  const [best] = tried.toSorted((a, b) => a.missing.length - b.missing.length);
  if (!best) return { missing: ["Python"] };
  return best.missing.length === 0 ? { interpreter: best.interpreter } : { missing: best.missing };
}

/**
 * A new folder with these files, from which the packages of this repository are found.
 * @param {string} folder
 * @param {{ readonly [file: string]: string }} files
 */
export function writeFiles(folder, files) {
  const modules = join(dirname(folder), "node_modules");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(modules)) symlinkSync(join(ROOT, "node_modules"), modules);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/**
 * The interpreter for a program's folder: one of its own, where the program brings packages for it.
 * @param {string} folder
 * @param {string} interpreter
 */
export function ownInterpreter(folder, interpreter) {
  const packages = join(folder, "site-packages");
  if (!existsSync(packages)) return interpreter;
  const own = join(folder, ".venv");
  if (!existsSync(own)) {
    spawnSync(interpreter, ["-m", "venv", "--system-site-packages", "--without-pip", own]);
    const [version = ""] = readdirSync(join(own, "lib"));
    cpSync(packages, join(own, "lib", version, "site-packages"), { recursive: true });
  }
  return join(own, "bin/python");
}

/**
 * @param {string} cwd
 * @param {readonly string[]} command
 * @returns {Executed}
 */
export function timed(cwd, command) {
  const result = `${cwd}.processor-time`;
  const { status, stdout, stderr } = spawnSync("python3", [TIMER, result, ...command], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    // Threads of a kernel that wait for each other spend processor time on it.
    env: { ...process.env, OMP_NUM_THREADS: "1" },
  });
  return { code: status ?? -1, stdout, stderr, cpuS: Number(readFileSync(result, "utf8")) };
}

/**
 * @param {string} cwd
 * @param {readonly string[]} argv
 */
export function afterlog(cwd, ...argv) {
  return timed(cwd, [process.execPath, CLI, ...argv]);
}

/**
 * @typedef {object} Execution
 * @property {Program} program
 * @property {string} interpreter
 * @property {readonly string[]} argv
 * @property {string} folder empty
 */

/**
 * @param {Execution} execution
 * @param {string} name
 * @param {{ readonly [file: string]: string }} files
 */
export function runPlain({ program, interpreter, folder, argv }, name, files) {
  const cwd = writeFiles(join(folder, name, program.name), files);
  const [command, ...words] = /\.[cm]?ts$/.test(program.entry)
    ? typeScript(program.entry)
    : [ownInterpreter(cwd, interpreter), program.entry];
  return timed(cwd, [command, ...words, ...argv]);
}

/**
 * Node as it loads TypeScript for a run, of which there is none here.
 * @param {string} entry
 * @returns {[string, ...string[]]}
 */
function typeScript(entry) {
  return [process.execPath, "--import", PRELOAD, entry];
}

/**
 * @template {Executed} E
 * @param {E} executed
 */
export function succeed(executed) {
  if (executed.code !== 0) throw new Error(executed.stderr.slice(-2000) || executed.stdout);
  return executed;
}

/**
 * @param {Execution} execution
 * @param {string} name
 * @param {{ readonly [file: string]: string }} files
 * @param {...string} options of `afterlog run`
 */
export function recordProgram({ program, interpreter, folder, argv }, name, files, ...options) {
  const cwd = writeFiles(join(folder, name, program.name), files);
  if (program.language === "python") options.push("--python", ownInterpreter(cwd, interpreter));
  return { cwd, ...succeed(afterlog(cwd, "run", ...options, program.entry, ...argv)) };
}

/**
 * @param {string} cwd
 * @returns {Manifest[]} the recorded run first
 */
export function manifestsOf(cwd) {
  const runs = join(cwd, ".afterlog/runs");
  /** @type {Manifest[]} */
  const all = readdirSync(runs).map((run) =>
    JSON.parse(readFileSync(join(runs, run, "run.json"), "utf8")),
  );
  return all.toSorted((a, b) => a.order - b.order);
}

/** @file Which Python executes a program, how it is started, and where the package is that records. */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AfterlogError } from "../../format/index.ts";
import { nodePath } from "../../host/index.ts";
import type { StartCommand, StartOptions } from "../language.ts";

/** The package as it lies beside the engine: nobody need install it to record. */
const PACKAGES = fileURLToPath(new URL("../../../python", import.meta.url));
const MAIN = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

export interface PythonOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The interpreter; absent: that of the active environment, else `python3`. */
  readonly python?: string | undefined;
}

/**
 * The interpreter for what a run did. The one that it had may be gone, with its environment or on
 * another machine: then it is that of now, and what it computes is compared as always.
 */
export function interpreterOfRun(
  recorded: string | undefined,
  env: NodeJS.ProcessEnv,
): { readonly command: string; readonly isAnother: boolean } {
  const isGone = recorded !== undefined && isAbsolute(recorded) && !existsSync(recorded);
  if (recorded === undefined || isGone) return { command: interpreter(env), isAnother: isGone };
  return { command: recorded, isAnother: false };
}

/** The interpreter, and an environment in which it finds the package. */
export function pythonEnvironment({ env, python }: PythonOptions): {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
} {
  const path = [PACKAGES, ...(env["PYTHONPATH"] ? [env["PYTHONPATH"]] : [])];
  return {
    command: python ?? interpreter(env),
    env: {
      ...env,
      PYTHONPATH: path.join(delimiter),
      AFTERLOG_CLI: `${nodePath}\n${MAIN}`,
    },
  };
}

/** As a shell in the same environment would find it. */
function interpreter(env: NodeJS.ProcessEnv): string {
  const active = env["VIRTUAL_ENV"] ?? env["CONDA_PREFIX"] ?? "";
  const own = join(active, "bin", "python3");
  return active !== "" && existsSync(own) ? own : "python3";
}

/** The oldest version whose syntax the package keeps to. */
const MINOR_MIN = 9;
const VERSION = "import sys; print('%d.%d' % sys.version_info[:2])";
/** What is known of commands, so that a replay of many units asks once. */
const known = new Set<string>();

/** Throws AL007 unless the command is a Python that the package works with. */
export function requirePython(command: string, env: NodeJS.ProcessEnv): void {
  if (known.has(command)) return;
  const { status, stdout } = spawnSync(command, ["-c", VERSION], { env, encoding: "utf8" });
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  if (status !== 0 || minor === undefined) {
    throw new AfterlogError("AL007", `${command} cannot be started, or is no Python`, {
      help: [
        "name one:  afterlog run --python /usr/bin/python3 train.py",
        "or activate the environment that the program needs",
      ],
      data: { command },
    });
  }
  if (Number(major) !== 3 || Number(minor) < MINOR_MIN) {
    throw new AfterlogError("AL007", `${command} is Python ${major}.${minor}`, {
      notes: [`Afterlog works with Python 3.${MINOR_MIN} and later`],
      help: ["name another:  afterlog run --python python3.11 train.py"],
      data: { command },
    });
  }
  known.add(command);
}

const HASH_SEEDS = 2 ** 32;

/** Throws AL007 if there is no Python for it. */
export function startPython(program: string, options: StartOptions): StartCommand {
  const { hashSeed } = options;
  const { command, env } = pythonEnvironment(options);
  requirePython(command, options.env);
  const drawn = String(randomInt(HASH_SEEDS));
  return {
    command,
    args: ["-m", "afterlog.launch", program],
    // Else the order of a set of texts would be another one in each process.
    env: { ...env, PYTHONHASHSEED: hashSeed ?? env["PYTHONHASHSEED"] ?? drawn },
    wantsSource: true,
  };
}

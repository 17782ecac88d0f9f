/** @file How Python is started with a program. */
import { randomInt } from "node:crypto";
import type { StartCommand, StartOptions } from "../start-command.ts";
import { pythonEnvironment, requirePython } from "./interpreter.ts";

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

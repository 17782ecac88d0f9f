/**
 * @file How a program is started so that the SDK is in it before anything else runs: by the
 * extension of its file, Node with a preload or Python with a launcher.
 */
import { randomInt } from "node:crypto";
import { extname } from "node:path";
import { nodePath } from "../host/index.ts";
import { pythonEnvironment, requirePython } from "./python/interpreter.ts";
import { TYPESCRIPT_LOADERS } from "./typescript/loaders.ts";

/** Programs that can be recorded, by the extension of their file. */
export const PROGRAM_EXTENSIONS: ReadonlySet<string> = new Set([
  ".ts",
  ".mts",
  ".cts",
  ".tsx",
  ".js",
  ".mjs",
  ".cjs",
  ".py",
]);

export interface StartCommand {
  readonly command: string;
  /** Up to the program, with it; the program's own arguments follow. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Whether the SDK in it is to be handed the source that is kept: it keeps less by itself. */
  readonly wantsSource: boolean;
}

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The interpreter for Python; absent: that of the active environment, else `python3`. */
  readonly python?: string | undefined;
  /** What the hashes of texts begin with in Python; absent: drawn, unless the environment says. */
  readonly hashSeed?: string | undefined;
}

/** The command that starts the program at this path. Throws AL007 if there is no Python for it. */
export function startCommand(program: string, options: StartOptions): StartCommand {
  return extname(program) === ".py" ? startPython(program, options) : startNode(program, options);
}

function startNode(program: string, { env }: StartOptions): StartCommand {
  // As part of its address: threads and forked processes inherit the flag, and so find it too.
  const loaders = new URLSearchParams(TYPESCRIPT_LOADERS).toString();
  const preload = new URL(`../sdk/preload.js?${loaders}`, import.meta.url).href;
  return { command: nodePath, args: ["--import", preload, program], env, wantsSource: false };
}

const HASH_SEEDS = 2 ** 32;

function startPython(program: string, options: StartOptions): StartCommand {
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

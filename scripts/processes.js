/** @file Commands of this project, started by its scripts. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

export const ROOT = join(import.meta.dirname, "..");
/** The exit code of a command that is not installed, as shells have it. */
export const NO_COMMAND = 127;

const env = {
  ...process.env,
  PATH: [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
};

/**
 * Runs a command to its end; what it prints is shown at once, or kept where `quiet`.
 * @param {readonly string[]} command
 * @param {{ quiet?: boolean, cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ code: number, output: string, seconds: number }>}
 */
export function execute([program, ...argv], options = {}) {
  const began = performance.now();
  const child = spawn(program, argv, {
    cwd: options.cwd ?? ROOT,
    env: { ...env, ...options.env },
    stdio: options.quiet ? ["ignore", "pipe", "pipe"] : "inherit",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((done) => {
    const end = (code) => done({ code, output, seconds: (performance.now() - began) / 1000 });
    child.on("error", (error) => {
      output += `${error.message}\n`;
      end(NO_COMMAND);
    });
    child.on("close", (code) => end(code ?? 1));
  });
}

/** Shows what a step is, runs it, and ends this process if it fails. */
export async function step(...command) {
  console.log(`== ${command.join(" ")}`);
  const { code } = await execute(command);
  if (code !== 0) process.exit(code);
}

/**
 * Processor time of this process and of all that it started and waited for, and they in turn;
 * undefined where no /proc tells.
 * @returns {number | undefined}
 */
export function processorSeconds() {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
  } catch {
    return undefined;
  }
}

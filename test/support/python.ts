/** Python as users have it: the interpreters of this machine, and runs recorded with them. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Finished } from "./process.ts";
import type { TestProject } from "./project.ts";
import { ROOT } from "./project.ts";
import { interpreters, torchInterpreter } from "./interpreters.ts";

export const PACKAGES: string = join(ROOT, "python");

/** One of each version that a user would find on the PATH. */
export const INTERPRETERS: readonly string[] = interpreters();

/** The interpreter that has torch; undefined if none does. */
export const TORCH: string | undefined = torchInterpreter();

/** Runs a file with an interpreter, in the project, with the package on the path. */
export function python(
  project: TestProject,
  command: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  return project.start(argv, { PYTHONPATH: PACKAGES, ...env }, { command }).finished;
}

/** What a module of the package answers, as JSON. */
export function ask(command: string, code: string, ...argv: string[]): unknown {
  const env = { ...process.env, PYTHONPATH: PACKAGES, AFTERLOG_MODE: "off" };
  const out = execFileSync(command, ["-c", code, ...argv], { encoding: "utf8", env });
  return JSON.parse(out);
}

/** The same, of a module that reads JSON from its standard input. */
export function askWith(command: string, code: string, input: unknown): unknown {
  const env = { ...process.env, PYTHONPATH: PACKAGES, AFTERLOG_MODE: "off" };
  const options = { encoding: "utf8", env, input: JSON.stringify(input) } as const;
  return JSON.parse(execFileSync(command, ["-c", code], options));
}

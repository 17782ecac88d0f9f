/** @file Which Python executes a program, and where the package is that it records with. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";

/** The package as it lies beside the engine: nobody need install it to record. */
const PACKAGES = fileURLToPath(new URL("../../../python", import.meta.url));
const MAIN = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

export interface PythonOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The interpreter; absent: that of the active environment, else `python3`. */
  readonly python?: string | undefined;
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
      AFTERLOG_CLI: `${execPath}\n${MAIN}`,
    },
  };
}

/** As a shell in the same environment would find it. */
function interpreter(env: NodeJS.ProcessEnv): string {
  const active = env["VIRTUAL_ENV"] ?? env["CONDA_PREFIX"] ?? "";
  const own = join(active, "bin", "python3");
  return active !== "" && existsSync(own) ? own : "python3";
}

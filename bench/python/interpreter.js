// @ts-check
/** @file The Python that has torch. */
import { spawnSync } from "node:child_process";

export function interpreter() {
  const candidates = [process.env["PYTHON"] ?? "python3", "/usr/bin/python3"];
  const found = candidates.find((one) => spawnSync(one, ["-c", "import torch"]).status === 0);
  if (found === undefined) throw new Error("no Python here has torch (PYTHON names another one)");
  return found;
}

/** The tests of the Python package, on every interpreter that is here. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { INTERPRETERS, PACKAGES } from "./harness.ts";

test.each(INTERPRETERS)("the package's own tests pass with %s", (command) => {
  const argv = ["-m", "unittest", "discover", "-s", "tests", "-t", "."];
  const env = { ...process.env, AFTERLOG_MODE: "off", PYTHONDONTWRITEBYTECODE: "1" };
  const { status, stderr } = spawnSync(command, argv, { cwd: PACKAGES, env, encoding: "utf8" });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
});

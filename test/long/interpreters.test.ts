/**
 * @file The Python package's own tests, with every interpreter that is here and supported; `npm test`
 * runs them with one.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everyInterpreter, interpreters } from "../support/interpreters.ts";

const PACKAGES = join(import.meta.dirname, "../../python");
const ALL = everyInterpreter().supported;

test.each(ALL)("%s", (command) => {
  // Those that lie apart from the PATH have no libraries: what is on disk is what they can tell.
  const some = ["format", "settings", "source", "policies", "changes", "state"].map(
    (name) => `test_${name}`,
  );
  const names = interpreters().includes(command) ? [] : some;
  const options = { cwd: PACKAGES, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(command, ["-m", "tests", ...names], options);
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
});

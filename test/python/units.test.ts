/** The tests of the Python package, with the interpreters that are here. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { everyInterpreter, INTERPRETERS, PACKAGES, TORCH } from "./harness.ts";

function unittest(command: string, ...argv: string[]): { status: number | null; stderr: string } {
  const env = { ...process.env, AFTERLOG_MODE: "off", PYTHONDONTWRITEBYTECODE: "1" };
  const options = { cwd: PACKAGES, env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(command, ["-m", "unittest", ...argv], options);
  return { status, stderr: status === 0 ? "" : stderr };
}

test("an interpreter here has torch: without one half of the tests say nothing", () => {
  // `scripts/test.sh` installs it for Debian's own interpreter.
  expect(TORCH).toBeDefined();
});

test.each(INTERPRETERS)(
  "the package's own tests pass with %s",
  (command) => {
    const ran = unittest(command, "discover", "-s", "tests", "-t", ".");
    expect(ran).toEqual({ status: 0, stderr: "" });
  },
  300_000,
);

const OTHERS = everyInterpreter().supported.filter((command) => !INTERPRETERS.includes(command));

test.skipIf(OTHERS.length === 0).each(OTHERS)("what is on disk, with %s", (command) => {
  const names = ["format", "source", "policies", "changes", "state"].map(
    (name) => `tests.test_${name}`,
  );
  expect(unittest(command, ...names)).toEqual({ status: 0, stderr: "" });
});

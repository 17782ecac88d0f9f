/**
 * @file Before every test file. Properties draw their examples by one seed. What programs print is
 * compared as text, so none of them colors, wherever the tests run. How much processor time a
 * file takes, with the processes that it starts, is noted for the table at the end.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeEach } from "vitest";
import type { RunnerTestFile } from "vitest";
import { endKeptProcess } from "./command-line.ts";
import { DRAW_SEED } from "./draws.ts";
import { removeOriginals } from "./project.ts";

fc.configureGlobal({ seed: DRAW_SEED });

delete process.env["FORCE_COLOR"];
process.env["NO_COLOR"] = "1";

/** Of this process and of those that it has waited for; undefined where no /proc tells. */
function processorSeconds(): number | undefined {
  try {
    // After the name, which may hold blanks: state is field 3; times are 14 to 17, in hundredths.
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
  } catch {
    return undefined;
  }
}

declare module "vitest" {
  interface TaskMeta {
    processorSeconds?: number;
  }
}

const before = processorSeconds();
let file: RunnerTestFile | undefined;
beforeEach(({ task }) => {
  file = task.file;
});
afterAll(async () => {
  await Promise.all([removeOriginals(), endKeptProcess()]);
  const after = processorSeconds();
  if (file && before !== undefined && after !== undefined)
    file.meta.processorSeconds = after - before;
});

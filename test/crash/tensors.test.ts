/** @file A tensor that the log names is there: its bytes come before its line, whenever we die. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TensorReference } from "../../src/format/index.ts";
import { hex32 } from "../../src/format/index.ts";
import { readManifest, runPaths } from "../../src/store/index.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { ofKind, readLog, warnings } from "../support/recorded.ts";

const MODES = ["worker", "inline"] as const;

/** The tensors that the log names: those in `values.bin`, byte for byte, and the others. */
function readTensors(runFolder: string): { kept: number; missing: TensorReference[] } {
  const { records, damage } = readLog(runFolder);
  expect(damage).toEqual([]);
  const file = runPaths.values(runFolder);
  const values = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const tensors = ofKind(records, "log").map(({ value }) => value as TensorReference);
  const missing = tensors.filter(({ offset = Infinity, bytes, crc32: checksum }) => {
    const kept = values.subarray(offset, offset + bytes);
    return kept.byteLength < bytes || hex32(crc32(kept)) !== checksum;
  });
  return { kept: tensors.length - missing.length, missing };
}

/** How many tensors the log names: none is missing. */
function checkTensors(runFolder: string): number {
  const { kept, missing } = readTensors(runFolder);
  expect(missing).toEqual([]);
  return kept;
}

/** Logs tensors for as long as it lives, while checkpoints of many megabytes are written. */
const LOGGING = `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(24 << 20), n: 0 });
for (let round = 0; round < 3; round++) {
  for (const i of al.loop("i", al.range(1))) {
    state.w.fill(++state.n);
    al.log("t", Float64Array.of(round, i));
  }
  // The end of an outermost loop is always taken: it is being written from here on.
  const until = performance.now() + 5000;
  while (performance.now() < until) al.log("t", Float64Array.of(round, performance.now()));
}
`;

describe("kill -9 while tensors are logged", () => {
  test.each(["persist:mid-data", "persist:before-data-sync", "persist:before-index"])(
    "at %s",
    async (point) => {
      using project = TestProject.apart();
      project.write("train.mjs", LOGGING);
      const ended = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_CRASH_AT: point } });
      expect(ended.signal).toBe("SIGKILL");
      expect(checkTensors(project.onlyRun)).toBeGreaterThan(1);
    },
  );

  test.each(MODES)("between checkpoints, %s", async (mode) => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
for (let n = 0; ; n++) {
  al.log("t", new Float64Array(64).fill(n));
  if (n === 20_000) process.kill(process.pid, "SIGKILL");
}
`,
    );
    const ended = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_PERSIST: mode } });
    expect(ended.signal).toBe("SIGKILL");
    expect(checkTensors(project.onlyRun)).toBeGreaterThan(0);
  });
});

describe("the disk fails while tensors are logged", () => {
  test.each(MODES)("%s: those before are kept, and nothing else is given up", async (mode) => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
const state = al.checkpointing({ n: 0 });
for (let round = 0; round < 4; round++) {
  for (const i of al.loop("i", al.range(2))) al.log("t", Float64Array.of(++state.n));
}
`,
    );
    const crash = { AFTERLOG_CRASH_AT: "ENOSPC:values:before-write#3", AFTERLOG_PERSIST: mode };
    const ended = await project.train({ env: { ...WITHOUT_GIT, ...crash } });
    expect(ended.code).toBe(0);
    const { kept, missing } = readTensors(project.onlyRun);
    expect({ kept, missing: missing.length }).toEqual({ kept: 2, missing: 6 });
    expect(statSync(runPaths.values(project.onlyRun)).size).toBe(16);
    const { off, overhead } = readManifest(project.onlyRun);
    expect(off.map(({ feature }) => feature)).toEqual(["version", "values"]);
    expect(overhead?.checkpoints).toBeGreaterThanOrEqual(4);
    expect(warnings(ended.stderr)).toHaveLength(2);
    expect(readLog(project.onlyRun).sealed).toBe("done");
  });
});

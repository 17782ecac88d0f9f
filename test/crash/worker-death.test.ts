/** @file What only shows when the worker dies at an unlucky moment of the log. */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import type { TensorReference } from "../../src/format/index.ts";
import { hex32 } from "../../src/format/index.ts";
import { readManifest, runPaths } from "../../src/store/index.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { ofKind, readLog, sequence, warnings } from "../support/recorded.ts";

const env = (crashAt: string): NodeJS.ProcessEnv => ({
  ...WITHOUT_GIT,
  AFTERLOG_CRASH_AT: crashAt,
});

/** Each line is larger than the ring, so the worker dies while one is being handed over. */
test.each([1, 2, 3])("inside a line of 6 MB, write %i", async (time) => {
  using project = TestProject.apart({ fast: true });
  project.write(
    "train.mjs",
    `import * as al from "afterlog";
for (const i of al.loop("i", al.range(2))) al.log("long", String(i).repeat(6_000_000));
al.log("short", "end");
console.log("finished");
`,
  );
  const ended = await project.train({ env: env(`worker:log:before-write#${time}`) });
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished\n" });
  const { records, damage, sealed } = readLog(project.onlyRun);
  expect(damage).toEqual([]);
  expect(sealed).toBe("done");
  expect(sequence(records)).toEqual(sequence(records).map((_, index) => index));
  const values = ofKind(records, "log").map(({ value }) => String(value));
  expect(values.map((value) => [value.length, value.at(0), value.at(-1)])).toEqual([
    [6_000_000, "0", "0"],
    [6_000_000, "1", "1"],
    [3, "e", "d"],
  ]);
});

/** The only write is that of the end, so the worker dies when the run is being sealed. */
test("while the run is sealed", async () => {
  using project = TestProject.apart({ fast: true });
  project.write("train.mjs", 'import * as al from "afterlog";\nal.log("x", 1);\n');
  const ended = await project.train({ env: env("worker:log:before-write") });
  expect(ended.code).toBe(0);
  const { records, damage, sealed } = readLog(project.onlyRun);
  expect({ damage, sealed }).toEqual({ damage: [], sealed: "done" });
  expect(ofKind(records, "log").map(({ value }) => value)).toEqual([1]);
  expect(readManifest(project.onlyRun)).toMatchObject({ status: "done", exitCode: 0 });
});

/** A reference without its bytes says so: it has no offset, and the feature is named as off. */
test("tensors logged after its death", async () => {
  using project = TestProject.apart({ fast: true });
  project.write(
    "train.mjs",
    `import * as al from "afterlog";
const state = al.checkpointing({ n: 0 });
for (let round = 0; round < 4; round++) {
  for (const i of al.loop("i", al.range(2))) {
    state.n++;
    al.log("t", Float64Array.of(round, i));
  }
}
`,
  );
  const ended = await project.train({ env: env("worker:persist:before-index#2") });
  expect(ended.code).toBe(0);
  const { records, sealed } = readLog(project.onlyRun);
  expect(sealed).toBe("done");
  const tensors = ofKind(records, "log").map(({ value }) => value as TensorReference);
  expect(tensors).toHaveLength(8);
  const values = readFileSync(runPaths.values(project.onlyRun));
  expect(tensors[0]).toMatchObject({ offset: 0 });
  expect(tensors.at(-1)).not.toHaveProperty("offset");
  // What was on its way when the worker died ends behind the file: not kept, and evidently so.
  const kept = tensors.filter(({ offset = Infinity, bytes }) => offset + bytes <= values.length);
  for (const { offset = 0, bytes, crc32: checksum } of kept) {
    expect(hex32(crc32(values.subarray(offset, offset + bytes)))).toBe(checksum);
  }
  const features = readManifest(project.onlyRun).off.map(({ feature }) => feature);
  expect(features).toEqual(["version", "checkpoints", "values"]);
  expect(warnings(ended.stderr)).toHaveLength(3);
});

/** The program computes on without ever coming back to Node: its lines arrive all the same. */
test("no death: lines reach the file while the program never yields", async () => {
  using project = TestProject.apart({ fast: true });
  project.write(
    "train.mjs",
    `import * as al from "afterlog";
import { readdirSync, readFileSync } from "node:fs";
al.log("marker", "here it is");
const [run] = readdirSync(".afterlog/runs");
const log = ".afterlog/runs/" + run + "/log.jsonl";
const read = () => { try { return readFileSync(log, "utf8"); } catch { return ""; } };
while (!read().includes("here it is"));
process.kill(process.pid, "SIGKILL");
`,
  );
  const ended = await project.train({ env: WITHOUT_GIT });
  expect(ended.signal).toBe("SIGKILL");
  expect(ofKind(readLog(project.onlyRun).records, "log")).toMatchObject([{ value: "here it is" }]);
});

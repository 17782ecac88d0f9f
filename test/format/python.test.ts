/** The files are what docs/format.md says: a reader in Python that knows only that text agrees. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listCheckpoints } from "../../src/store/index.ts";
import { TestProject } from "../support/project.ts";

const PROGRAM = `
import * as al from "afterlog";
const state = al.checkpointing({
  large: new Float32Array(3000),
  frozen: new Float64Array(2000).fill(1 / 3),
  small: new Int8Array([1, 2, 3]),
  huge: new Uint8Array(5 << 20),
  plain: { text: "é\\ud800", list: [1, -0, NaN, 2n ** 70n], nested: new Map([["k", new Set([1])]]) },
});
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", ["a", "b"])) {
    state.large[epoch] += Math.random();
    state.huge[epoch]++;
    al.log("loss", state.large[epoch]);
  }
  state.plain.list.push(epoch);
  al.log("odd", [-0, NaN, "\\udfff", 2n ** 60n, { $: 1 }, new Float32Array([1.5])]);
}
`;

// How many of them go while it runs depends on when they are durable.
test.each([
  ["all", 13, 13],
  ["every:2", 3, 12],
])("Python reads a run with all its checkpoints, keeping %s", async (keep, least, most) => {
  using project = new TestProject({ "t.mjs": PROGRAM });
  await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: "inf", AFTERLOG_KEEP: keep }).finished;
  const script = join(import.meta.dirname, "read_run.py");
  const seen = JSON.parse(execFileSync("python3", [script, project.run], { encoding: "utf8" })) as {
    status: string;
    values: [string, unknown][];
    checkpoints: { [file: string]: { [name: string]: [string, number[]] } };
  };
  expect(seen.status).toBe("done");
  expect(seen.values.filter(([name]) => name === "loss").map(([, value]) => value)).toEqual(
    project.logged("loss"),
  );
  expect(Object.keys(seen.checkpoints)).toEqual(
    listCheckpoints(project.run).map(({ file }) => file),
  );
  expect(Object.keys(seen.checkpoints).length).toBeGreaterThanOrEqual(least);
  expect(Object.keys(seen.checkpoints).length).toBeLessThanOrEqual(most);
  for (const tensors of Object.values(seen.checkpoints)) {
    expect(tensors).toEqual({
      large: ["F32", [3000]],
      frozen: ["F64", [2000]],
      small: ["I8", [3]],
      huge: ["U8", [5 << 20]],
    });
  }
});

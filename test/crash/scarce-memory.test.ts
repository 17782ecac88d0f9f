/** A state of which two copies do not fit into the memory: the training goes on, with less overlap or without. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listCheckpoints, runPaths, verifyCheckpoints } from "../../build/store/index.js";
import { ThreadMaterializer } from "../../build/materialize/index.js";
import { MAIN, TestProject } from "../support/project.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "afterlog-memory-"));
  mkdirSync(runPaths.checkpoints(folder), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STATE_BYTES = 65 << 20;

test.each([
  ["two fit", 1e9, [true, true, true], []],
  ["one fits: the next waits for it", 1e8, [true, true, true], ["overlap of checkpoints"]],
  ["none fits", 1e7, [false, false, false], ["checkpoints for want of memory"]],
])("%s", (_, free, taken, said) => {
  const failed: string[] = [];
  const materializer = new ThreadMaterializer({
    run: "r",
    runFolder: folder,
    crashAt: null,
    freeBytes: () => free,
    events: { committed: () => undefined, failed: (feature) => failed.push(feature) },
  });
  const values = new Uint8Array(STATE_BYTES);
  const take = (epoch: number): boolean => {
    values[0] = epoch;
    const leaf = {
      name: "w",
      dtype: "U8" as const,
      shape: [STATE_BYTES],
      bytes: STATE_BYTES,
      copyTo: (target: Uint8Array) => target.set(values),
    };
    return materializer.take({
      kind: "iteration",
      path: [["epoch", epoch]],
      seq: epoch,
      paired: true,
      needs: [],
      // As at the end of an outermost loop: nobody waits for memory that does not come.
      waitMsMax: Infinity,
      file: `epoch=${epoch}.safetensors`,
      state: {
        graph: {
          places: [{ key: "d0.w", source: "a", value: ["ref", 0] }],
          nodes: [{ t: "buffer", tensor: "w", bytes: STATE_BYTES }],
        },
        entry: [],
        leaves: [leaf],
      },
      generators: [],
      iterators: [],
      captureMs: 0,
      t: 0,
    }).taken;
  };
  expect([0, 1, 2].map(take)).toEqual(taken);
  materializer.drain();
  materializer.finish("done", () => 0);
  expect(failed).toEqual(said);
  expect(listCheckpoints(folder).length).toBe(taken.filter(Boolean).length);
  expect(verifyCheckpoints(folder).bad).toEqual([]);
});

/** What it has of `ulimit -d` is said by the program itself, whatever Node takes on this machine. */
const TRAINING = `
import { readFileSync } from "node:fs";
const w = new Uint8Array(${2 * STATE_BYTES});
for (let epoch = 0; epoch < 3; epoch++) {
  w.fill(epoch);
  console.log("sum", w[0]);
}
console.error("VmData", /VmData:\\s+(\\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
`;

// What the program takes alone, and so many copies of its state, of which recording takes a part for its own thread.
test.skipIf(process.platform !== "linux").each([
  ["one copy fits into what ulimit allows", 2.2, 4, ["overlap of checkpoints"]],
  ["none does", 0.9, 0, ["checkpoints for want of memory"]],
])("%s", async (_, copies, checkpoints, off) => {
  using project = new TestProject({ "train.mjs": TRAINING });
  const start = async (limit: string, ...argv: string[]): Promise<string> => {
    const line = `ulimit -d ${limit} && exec "$0" "$@"`;
    const command = ["-c", line, process.execPath, ...argv];
    const { code, stderr } = await project.start(command, {}, { command: "sh" }).finished;
    expect({ code, said: code === 0 ? "" : stderr }).toEqual({ code: 0, said: "" });
    return stderr;
  };
  const [, kibibytes] = /VmData (\d+)/.exec(await start("unlimited", "train.mjs")) ?? [];
  const limit = Number(kibibytes) + Math.round((copies * 2 * STATE_BYTES) / 1024);
  await start(String(limit), MAIN, "run", "--overhead", "inf", "train.mjs");
  expect(project.manifest.off.map(({ feature }) => feature)).toEqual(off);
  expect(project.manifest.overhead?.checkpoints).toBe(checkpoints);
});

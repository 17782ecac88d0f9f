/**
 * Recordings of every release stay readable: listed, verified, restored, queried. Whole projects are
 * in `kept-project.test.ts`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restore } from "../../src/adapters/index.ts";
import { openCheckpoint, verifyCheckpoints } from "../../src/store/index.ts";
import { MAIN } from "../support/project.ts";
import { readStrictly } from "./strict-safetensors.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const HISTORIES = join(FIXTURES, "histories");
const RELEASES = readdirSync(HISTORIES).filter((release) =>
  existsSync(join(HISTORIES, release, "runs")),
);

/** As the program has them: a new instance is made from a live one of the same class. */
class Momentum {
  velocity = new Float32Array(2000);
}

test("every checkpoint is a safetensors file, by the letter", () => {
  const files = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" });
  const checkpoints = files.filter((file) => file.endsWith(".safetensors"));
  expect(checkpoints.length).toBeGreaterThan(10);
  for (const file of checkpoints) {
    const tensors = readStrictly(readFileSync(join(FIXTURES, file)));
    expect([...tensors.keys()], file).toContain("__structure__");
  }
});

describe.each(RELEASES)("recorded by %s", (release) => {
  const runs = join(HISTORIES, release, "runs");
  const [run = ""] = readdirSync(runs);

  test("its checkpoints verify and restore to what the log says", () => {
    const folder = join(runs, run);
    const { good, bad } = verifyCheckpoints(folder);
    expect(bad).toEqual([]);
    expect(good.map(({ file }) => file)).toMatchInlineSnapshot(`
      [
        "epoch=0,step=end.safetensors",
        "epoch=0.safetensors",
        "epoch=1,step=end.safetensors",
        "epoch=1.safetensors",
        "epoch=2,step=end.safetensors",
        "epoch=2.safetensors",
        "epoch=end.safetensors",
      ]
    `);
    const state: { [field: string]: unknown } = {
      weights: new Float32Array(2000),
      optimizer: new Momentum(),
      best: { loss: Infinity, epochs: new Set([-1]), when: new Date(0), big: 2n ** 70n },
    };
    const places = Object.keys(state).map((field) => ({
      key: `d0.${field}`,
      source: "a" as const,
      get: () => state[field],
      set: (value: unknown) => (state[field] = value),
    }));
    const last = good.at(-1);
    if (!last) throw new Error("no checkpoint");
    using reader = openCheckpoint(folder, last);
    restore(places, reader.structure(), (name) => reader.tensor(name));
    const { weights, best } = state as { weights: Float32Array; best: { [key: string]: unknown } };
    expect(Array.from(weights.subarray(0, 4))).toMatchInlineSnapshot(`
      [
        0.1649957150220871,
        -0.11744026839733124,
        -0.21611785888671875,
        0,
      ]
    `);
    expect(best).toEqual({
      loss: weights[2],
      epochs: new Set([2]),
      when: new Date(0),
      big: 2n ** 70n,
    });
  });

  const project = mkdtempSync(join(tmpdir(), "afterlog-history-"));
  beforeAll(() => cpSync(runs, join(project, ".afterlog/runs"), { recursive: true }));
  afterAll(() => rmSync(project, { recursive: true, force: true }));
  const afterlog = (...argv: string[]): string =>
    execFileSync(process.execPath, [MAIN, "-C", project, ...argv], { encoding: "utf8" });

  test.each<[argv: string, said: RegExp]>([
    ["ls --json", /"status":"done".*"checkpoints":7,.*"lr":0.25/],
    ["show @", /checkpoints +7,.*newest epoch=end[\s\S]*step +6 iterations in 3 entries/],
    ["why @ loss", /= +0\.04670692892977968\nfrom +recorded by the run itself/],
    ["restore @@end --out end.safetensors", /weights +F32 \[2000\]/],
  ])("afterlog %s", (argv, said) => {
    expect(afterlog(...argv.split(" "))).toMatch(said);
  });

  test("its values are in the frame", () => {
    const text = afterlog("frame", "lr", "loss", "final", "--json");
    const rows = JSON.parse(text) as { [column: string]: unknown }[];
    const columns = ["epoch", "step", "step_value", "lr", "loss", "final"];
    expect(rows.map((row) => columns.map((column) => row[column]))).toMatchInlineSnapshot(`
      [
        [
          0,
          0,
          "a",
          0.25,
          0.00046546262750647716,
          0.1649957150220871,
        ],
        [
          0,
          1,
          "b",
          0.25,
          0.027223585975649778,
          0.1649957150220871,
        ],
        [
          1,
          0,
          "a",
          0.25,
          0.001407819921345324,
          0.1649957150220871,
        ],
        [
          1,
          1,
          "b",
          0.25,
          0.013792216641237198,
          0.1649957150220871,
        ],
        [
          2,
          0,
          "a",
          0.25,
          0.006832985511113832,
          0.1649957150220871,
        ],
        [
          2,
          1,
          "b",
          0.25,
          0.04670692892977968,
          0.1649957150220871,
        ],
      ]
    `);
  });
});

/**
 * @file Training that is captured in one process and resumed in another goes on with exactly the
 * losses of the run that was never interrupted.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Losses = { [row: string]: number[][] };

const folder = mkdtempSync(join(tmpdir(), "afterlog-resume-"));
const root = join(import.meta.dirname, "../..");

beforeAll(() => {
  if (existsSync(join(root, "build/adapters/index.js"))) return;
  throw new Error("build first: npm run build");
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(program: string, phase: string): Losses {
  const file = join(import.meta.dirname, "programs", program);
  const child = spawnSync(process.execPath, [file, phase, folder], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`${program} ${phase}: ${child.stderr}`);
  return JSON.parse(child.stdout) as Losses;
}

const PROGRAMS: { [program: string]: readonly string[] } = {
  "plain.mjs": ["plain"],
  "jax.mjs": ["jax"],
  "tfjs.mjs": [
    "sgd",
    "momentum",
    "nesterov",
    "adagrad",
    "adadelta",
    "adam",
    "adamax",
    "rmsprop",
    "centered",
    "model",
    "frozen",
    "stateful",
  ],
};

describe.each(Object.entries(PROGRAMS))("%s", (program, rows) => {
  const phases: { [phase: string]: Losses } = {};
  beforeAll(() => {
    for (const phase of ["full", "watch", "save", "resume"]) phases[phase] = run(program, phase);
  });

  test.each(rows)("%s is not disturbed by captures", (row) => {
    expect(phases["watch"]?.[row]).toStrictEqual(phases["full"]?.[row]);
  });

  test.each(rows)("%s continues exactly", (row) => {
    const [full, saved, resumed] = ["full", "save", "resume"].map((name) => phases[name]?.[row]);
    expect(full).toHaveLength(9);
    expect(saved).toHaveLength(4);
    // Equal numbers, not close ones.
    expect([...(saved ?? []), ...(resumed ?? [])]).toStrictEqual(full);
    expect(new Set(full?.map(([loss]) => loss)).size).toBeGreaterThan(5);
  });
});

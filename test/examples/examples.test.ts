/**
 * @file The examples as a user meets them: recorded by the built command line in a project of
 * their own, they learn, and the same seed logs the same values.
 *
 * Needs `npm run build`. Reads the run's log itself, so that it depends on no other reader.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogRecord, Record } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { IS_LONG } from "../support/draws.ts";
import {
  listRunIds,
  readManifest,
  runPaths,
  STORE_FOLDER,
  storePaths,
} from "../../src/store/index.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = join(ROOT, "dist", "cli", "main.js");
const SEED = "7";
/** 1,540 images for training in batches of 32. */
const STEPS = 49;

const EXAMPLES = [
  { program: "examples/digits/train.ts", fields: ["params", "opt"] },
  { program: "examples/digits-tfjs/train.ts", fields: ["model", "optimizer"] },
  { program: "examples/plain/train.ts", fields: ["layer1", "layer2"] },
] as const;

let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "afterlog-examples-"));
  cpSync(join(ROOT, "examples"), join(project, "examples"), { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  mkdirSync(join(project, "node_modules"));
  symlinkSync(ROOT, join(project, "node_modules", "afterlog"), "dir");
  for (const scope of ["@jax-js", "@tensorflow"]) {
    symlinkSync(join(ROOT, "node_modules", scope), join(project, "node_modules", scope), "dir");
  }
});

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

interface Recorded {
  readonly logs: readonly LogRecord[];
  readonly records: readonly Record[];
  readonly stdout: string;
}

/** Records one run in a process of its own and reads back what it wrote. */
function record(program: string, seed: string, args: readonly string[]): Recorded {
  const store = join(project, STORE_FOLDER);
  const before = new Set(listRunIds(store));
  const child = spawnSync(process.execPath, [CLI, "run", "--seed", seed, program, ...args], {
    cwd: project,
    env: environment(),
    encoding: "utf8",
  });
  // The program's words first: they say why it failed.
  expect({ stderr: child.stderr, status: child.status }).toMatchObject({ status: 0 });
  const made = listRunIds(store).filter((run) => !before.has(run));
  expect(made).toHaveLength(1);
  const folder = storePaths.run(store, made[0] ?? "");
  expect(readManifest(folder)).toMatchObject({ status: "done", exitCode: 0, seed, off: [] });
  const lines = readFileSync(runPaths.log(folder), "utf8").trimEnd().split("\n");
  const records = lines.map((line): Record => JSON.parse(line));
  return { logs: records.filter((r) => r.k === "log"), records, stdout: child.stdout };
}

/** This process's environment without what would steer Afterlog. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("AFTERLOG_"));
  return Object.fromEntries(kept);
}

/** What was logged, and where, without times. */
function values({ logs }: Recorded): string[] {
  return logs.map(
    ({ path, name, value }) => `${formatPath(path)} ${name} ${JSON.stringify(value)}`,
  );
}

function numbers({ logs }: Recorded, name: string): number[] {
  return logs.filter((log) => log.name === name).map((log) => Number(log.value));
}

describe.each(EXAMPLES)("$program", ({ program, fields }) => {
  test("learns at its defaults", () => {
    const run = record(program, SEED, []);
    const losses = numbers(run, "loss");
    const accuracies = numbers(run, "accuracy");
    expect(accuracies).toHaveLength(10);
    expect(losses).toHaveLength(10 * STEPS);
    expect(losses.every(Number.isFinite)).toBe(true);
    // An untrained network is at ln 10 nats, and right one time in ten.
    expect(losses[0]).toBeGreaterThan(1.5);
    expect(mean(losses.slice(-STEPS))).toBeLessThan(0.1);
    expect(accuracies.at(-1)).toBeGreaterThan(0.95);
    expect(numbers(run, "f1")[0]).toBeGreaterThan(0.94);
    expect(numbers(run, "worst_digit")[0]).toBeOneOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(run.stdout).toContain(`epoch 10/10  accuracy ${accuracies.at(-1)?.toFixed(4)}`);
    expect(run.records).toContainEqual(expect.objectContaining({ k: "declare", fields }));
  });

  test.each(IS_LONG ? [SEED] : [])("logs the same values for seed %s, others for 8", (seed) => {
    const first = record(program, seed, ["epochs=2"]);
    expect(values(first)).toHaveLength(2 * (STEPS + 1) + 2);
    expect(values(record(program, seed, ["epochs=2"]))).toEqual(values(first));
    expect(numbers(record(program, "8", ["epochs=2"]), "loss")).not.toEqual(numbers(first, "loss"));
  });

  test("takes its arguments", () => {
    const given = { epochs: 1, lr: 0.002, hidden: 16, batch_size: 100 };
    const run = record(
      program,
      SEED,
      Object.entries(given).map(([k, v]) => `${k}=${v}`),
    );
    const args = run.records.filter((r) => r.k === "arg");
    expect(Object.fromEntries(args.map(({ name, value }) => [name, value]))).toEqual(given);
    expect(numbers(run, "loss")).toHaveLength(16);
  });

  test("is short, and Afterlog adds little", () => {
    const lines = readFileSync(join(ROOT, program), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(150);
    // `arg` and `loop` stand where a constant and an iterable stood; these are lines of their own.
    const added = lines.filter((line) => /\bal\.(log|checkpointing|fit\w*)\(/.test(line));
    expect(added.length).toBeLessThanOrEqual(6);
  });
});

function mean(of: readonly number[]): number {
  return of.reduce((sum, value) => sum + value, 0) / of.length;
}

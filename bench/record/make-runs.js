// @ts-check
/** @file Many finished runs, written directly: what the catalog and the commands read. */
import { mkdirSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { hex32, manifestToJson } from "../../build/format/index.js";
import { runPaths, storePaths } from "../../build/store/index.js";

export const EPOCHS = 50;
/** Three names a step, two an epoch: 10,000 log records a run. */
export const STEPS = 66;
export const LOGS_PER_RUN = EPOCHS * (3 * STEPS + 2);

/**
 * Makes `count` runs of {@link LOGS_PER_RUN} log records each.
 * @param {string} store
 * @param {number} count
 */
export function makeRuns(store, count) {
  for (let number = 0; number < count; number++) makeRun(store, number);
}

/**
 * @param {string} store
 * @param {number} number
 */
function makeRun(store, number) {
  const run = runName(number);
  writeRun(store, { run, number, ...logLines(run, number) });
}

/**
 * Makes `runs` runs that log `names` names at the end of each of two epochs, as norms of layers are, and have
 * two arguments.
 * @param {string} store
 * @param {{ readonly runs: number, readonly names: number }} size
 */
export function makeNamedRuns(store, { runs, names }) {
  for (let number = 0; number < runs; number++) {
    const run = runName(number);
    writeRun(store, { run, number, ...namedLines(run, number, names) });
  }
}

/** @param {number} number */
function runName(number) {
  return `train-20261115-${String(number).padStart(6, "0")}`;
}

/**
 * @param {string} store
 * @param {{ run: string, number: number, lines: string, count: number }} made
 */
function writeRun(store, { run, number, lines, count }) {
  const folder = storePaths.run(store, run);
  mkdirSync(runPaths.checkpoints(folder), { recursive: true });
  const seal = { k: "seal", status: "done", count, crc32: hex32(crc32(lines)) };
  writeFileSync(runPaths.log(folder), `${lines}${JSON.stringify(seal)}\n`);
  writeFileSync(runPaths.profile(folder), "");
  writeFileSync(runPaths.checkpointIndex(folder), "");
  writeFileSync(runPaths.manifest(folder), manifestToJson(makeManifest(run, number)));
}

/**
 * @param {string} run
 * @param {number} number
 * @param {number} names
 */
function namedLines(run, number, names) {
  const parts = [`{"k":"header","format":1,"run":"${run}"}\n`];
  let seq = 0;
  /** @type {(kind: string, rest: string) => void} */
  const add = (kind, rest) => {
    parts.push(`{"k":"${kind}","seq":${seq},${rest},"t":${seq * 137}}\n`);
    seq++;
  };
  add("arg", `"name":"lr","value":${1 / (1 + (number % 40))},"default":0.001,"from":"argv"`);
  add("arg", `"name":"epochs","value":2,"default":2,"from":"default"`);
  const loop = `"path":[],"loop":"epoch","entry":0`;
  add("enter", `${loop},"site":0,"iterator":0,"length":2,"range":{"start":0,"step":1}`);
  for (let epoch = 0; epoch < 2; epoch++) {
    for (let name = 0; name < names; name++) {
      const value = ((number + 1) * (name + 1) * 0.618 + epoch) % 1;
      const where = `"path":[["epoch",${epoch}]],"name":"norm/layer${name}"`;
      add("log", `${where},"site":0,"value":${value}`);
    }
  }
  add("exit", `${loop},"how":"exhausted","iterations":2,"draws":[],"pending":[]`);
  return { lines: parts.join(""), count: parts.length };
}

/**
 * The log as the recorder writes it.
 * @param {string} run
 * @param {number} number
 */
function logLines(run, number) {
  const lr = 10 ** -(1 + (number % 40) / 10);
  const parts = [`{"k":"header","format":1,"run":"${run}"}\n`];
  let seq = 0;
  /** @type {(kind: string, rest: string) => void} */
  const add = (kind, rest) => {
    parts.push(`{"k":"${kind}","seq":${seq},${rest},"t":${seq * 137}}\n`);
    seq++;
  };
  /** @type {(path: string, name: string, value: number) => void} */
  const log = (path, name, value) =>
    add("log", `"path":[${path}],"name":"${name}","site":0,"value":${value}`);
  /** @type {(path: string, loop: string, length: number) => void} */
  const enter = (path, loop, length) => {
    const range = `"range":{"start":0,"step":1}`;
    const rest = `"entry":0,"site":0,"iterator":0,"length":${length},${range}`;
    add("enter", `"path":[${path}],"loop":"${loop}",${rest}`);
  };
  /** @type {(path: string, loop: string, iterations: number) => void} */
  const exit = (path, loop, iterations) => {
    const rest = `"entry":0,"how":"exhausted","iterations":${iterations},"draws":[],"pending":[]`;
    add("exit", `"path":[${path}],"loop":"${loop}",${rest}`);
  };
  add("arg", `"name":"lr","value":${lr},"default":0.001,"from":"argv"`);
  enter("", "epoch", EPOCHS);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const outer = `["epoch",${epoch}]`;
    enter(outer, "step", STEPS);
    for (let step = 0; step < STEPS; step++) {
      const path = `${outer},["step",${step}]`;
      const at = epoch * STEPS + step + number / 7;
      log(path, "loss", 1 / (1 + at));
      log(path, "grad", (at * 0.618) % 1);
      log(path, "rate", lr * (1 - at / 1e5));
    }
    exit(outer, "step", STEPS);
    log(outer, "accuracy", 1 - 1 / (2 + epoch + number / 1000));
    log(outer, "val_loss", 1 / (2 + epoch + number / 1000));
  }
  exit("", "epoch", EPOCHS);
  return { lines: parts.join(""), count: parts.length };
}

/**
 * @param {string} run
 * @param {number} number
 * @returns {import("../../build/format/index.js").Manifest}
 */
function makeManifest(run, number) {
  const order = 1_790_000_000_000 + number * 60_000;
  const cost = { captureMs: 1, snapshotMs: 1, waitMs: 0, slowdownMs: 0, logMs: 1, otherMs: 0 };
  return {
    format: 1,
    run,
    name: null,
    kind: "record",
    parent: null,
    directive: null,
    project: "bench",
    program: "train.ts",
    language: "typescript",
    argv: [],
    order,
    started: new Date(order).toISOString(),
    ended: new Date(order + 30_000).toISOString(),
    status: "done",
    exitCode: 0,
    signal: null,
    seed: "42",
    generator: "xoshiro256**",
    host: {
      name: "bench",
      platform: "linux",
      arch: "x64",
      cpus: 2,
      memoryBytes: 8e9,
      bootId: null,
      pid: 1,
      pidStart: null,
    },
    versions: { afterlog: "0.1.0" },
    version: null,
    rewriter: { version: null, rewritten: false, captureMap: null },
    sources: {},
    off: [],
    warnings: [],
    overhead: {
      budget: 0.0667,
      share: 0.02,
      checkpoints: 0,
      bytes: 0,
      ...cost,
      outermostMs: 1,
      endMs: 1,
      setupMs: 1,
      runMs: 30_000,
    },
  };
}

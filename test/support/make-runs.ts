/**
 * @file Run directories as the recorder leaves them, made directly through the types of the
 * format: for tests and benchmarks of what reads them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type {
  CheckMark,
  CheckpointRecord,
  LoopPath,
  Manifest,
  PathElement,
  ProfileRecord,
  Record,
  RunStatus,
} from "../../src/format/index.ts";
import { hex32, manifestToJson, pathElement, valueToJson } from "../../src/format/index.ts";
import { runPaths, storePaths } from "../../src/store/index.ts";

/** What recording cost. */
export const OVERHEAD = {
  budget: 0.0667,
  share: 0.021,
  checkpoints: 2,
  bytes: 2048,
  captureMs: 1,
  snapshotMs: 1,
  waitMs: 0,
  slowdownMs: 0,
  logMs: 1,
  otherMs: 0,
  endMs: 0,
  outermostMs: 1,
  setupMs: 1,
  runMs: 12_500,
};

/** A value of the recorder that is already JSON text: a tensor, say. */
export class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** Writes the lines of a log, keeping track of seq, path and loop entries as the SDK does. */
export class LogBuilder {
  readonly lines: string[] = [];
  readonly #path: PathElement[] = [];
  readonly #entries = new Map<string, number>();
  #seq = 0;

  constructor(run: string) {
    this.#line({ k: "header", format: 1, run });
  }

  get seq(): number {
    return this.#seq;
  }

  get path(): LoopPath {
    return [...this.#path];
  }

  arg(name: string, value: unknown): void {
    this.#line({
      k: "arg",
      seq: this.#next(),
      name,
      value,
      default: value,
      from: "default",
      t: this.#seq * 1000,
    });
  }

  log(name: string, value: unknown, hindsight?: { check?: CheckMark }): void {
    const probe = hindsight === undefined ? {} : ({ probe: true, ...hindsight } as const);
    const path = this.path;
    this.#line({
      k: "log",
      seq: this.#next(),
      path,
      name,
      site: null,
      value,
      ...probe,
      t: this.#seq * 1000,
    });
  }

  /** A loop over `items`; a number is a range. `undefined` items are written as no scalar. */
  loop(
    loop: string,
    items: number | { start: number; step: number; length: number } | readonly unknown[],
    body: (index: number) => void,
  ): void {
    const path = this.path;
    const key = JSON.stringify([path, loop]);
    const entry = this.#entries.get(key) ?? 0;
    this.#entries.set(key, entry + 1);
    const span = typeof items === "number" ? { start: 0, step: 1, length: items } : items;
    const range = "start" in span ? { range: { start: span.start, step: span.step } } : {};
    const t = (): number => this.#seq * 1000;
    const enter = { k: "enter", seq: this.#next(), path, loop, entry, site: null } as const;
    this.#line({ ...enter, iterator: 0, length: span.length, ...range, t: t() });
    for (let index = 0; index < span.length; index++) {
      this.#path.push(pathElement(loop, index, entry));
      const value = Array.isArray(items) ? (items[index] as unknown) : undefined;
      if (value !== undefined) {
        this.#line({ k: "iter", seq: this.#next(), path: this.path, value, t: t() });
      }
      body(index);
      this.#path.pop();
    }
    const exit = { k: "exit", seq: this.#next(), path, loop, entry, how: "exhausted" } as const;
    this.#line({ ...exit, iterations: span.length, draws: [], pending: [], t: t() });
  }

  rewind(seq: number, path: LoopPath = []): void {
    this.#line({ k: "rewind", path, seq });
    this.#seq = seq + 1;
  }

  seal(status: "done" | "failed"): void {
    const bytes = Buffer.from(this.lines.join(""));
    this.#line({ k: "seal", status, count: this.lines.length, crc32: hex32(crc32(bytes)) });
  }

  #next(): number {
    this.#seq += 1;
    return this.#seq;
  }

  #line(record: Record): void {
    const fields = Object.entries(record).map(([key, value]) => {
      const json = value instanceof Raw ? value.json : valueToJson(value);
      return `${JSON.stringify(key)}:${json}`;
    });
    this.lines.push(`{${fields.join(",")}}\n`);
  }
}

export interface RunOptions {
  readonly run: string;
  readonly status?: RunStatus;
  readonly sealed?: boolean;
  readonly manifest?: Partial<Manifest>;
  readonly body?: (log: LogBuilder) => void;
  readonly checkpoints?: readonly Partial<CheckpointRecord>[];
  readonly profile?: readonly ProfileRecord[];
}

/** Makes one run directory; answers its folder and the log that was written. */
export function makeRun(store: string, options: RunOptions): { folder: string; log: LogBuilder } {
  const { run, status = "done" } = options;
  const folder = storePaths.run(store, run);
  mkdirSync(runPaths.checkpoints(folder), { recursive: true });
  const log = new LogBuilder(run);
  options.body?.(log);
  const ended = status === "done" || status === "failed";
  if (options.sealed ?? ended) log.seal(status === "failed" ? "failed" : "done");
  writeFileSync(runPaths.log(folder), log.lines.join(""));
  const profile = (options.profile ?? []).map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(runPaths.profile(folder), profile.join(""));
  writeFileSync(
    runPaths.checkpointIndex(folder),
    (options.checkpoints ?? []).map((record) => `${JSON.stringify(checkpoint(record))}\n`).join(""),
  );
  writeManifest(folder, { run, status, ...options.manifest });
  return { folder, log };
}

export function writeManifest(folder: string, fields: Partial<Manifest> & { run: string }): void {
  writeFileSync(join(folder, "run.json"), manifestToJson(makeManifest(fields)));
}

function makeManifest(fields: Partial<Manifest> & { run: string }): Manifest {
  const order = fields.order ?? 1_790_000_000_000 + orderOf(fields.run) * 60_000;
  return {
    format: 1,
    name: null,
    kind: "record",
    parent: null,
    directive: null,
    project: "digits",
    program: "train.ts",
    language: "typescript",
    argv: [],
    started: new Date(order).toISOString(),
    ended: fields.status === "recording" ? null : new Date(order + 12_500).toISOString(),
    order,
    status: "done",
    exitCode: 0,
    signal: null,
    // Another host: nobody can tell whether its process lives, so `recording` stays.
    host: {
      name: "elsewhere",
      platform: "linux",
      arch: "x64",
      cpus: 2,
      memoryBytes: 8e9,
      bootId: null,
      pid: 1,
      pidStart: null,
    },
    versions: { afterlog: "0.1.0", node: "20.20.2" },
    version: {
      commit: "a1b9c3000000000000000000000000000000000f",
      head: null,
      branch: "main",
      ref: `refs/afterlog/runs/${fields.run}`,
      dirty: 0,
      private: false,
      folder: ".",
      large: [],
      warnings: [],
    },
    rewriter: { version: null, rewritten: false, captureMap: null },
    seed: "42",
    generator: "xoshiro256**",
    sources: {},
    off: [],
    warnings: [],
    overhead: OVERHEAD,
    ...fields,
  };
}

function orderOf(run: string): number {
  const digits = /(\d+)$/.exec(run)?.[1];
  return digits === undefined ? 0 : Number(digits);
}

function checkpoint(fields: Partial<CheckpointRecord>): CheckpointRecord {
  return {
    k: "checkpoint",
    kind: "iteration",
    path: [["epoch", 0]],
    seq: 1,
    logBytes: 0,
    file: "epoch=0.safetensors",
    bytes: 1024,
    stateBytes: 1024,
    holds: [],
    needs: [],
    crc32: "00000000",
    stateHash: "00000000",
    generators: [],
    iterators: [],
    absent: [],
    times: { capture: 1, snapshot: 2, wait: 0, persist: 5 },
    t: 1000,
    places: [],
    ...fields,
  };
}

/** A training run of the usual shape: arguments, epochs of steps, a score at the end. */
export function trainingRun(
  run: string,
  options: { readonly epochs: number; readonly steps: number; readonly lr: number },
): RunOptions {
  return {
    run,
    body: (log) => {
      log.arg("lr", options.lr);
      log.arg("epochs", options.epochs);
      log.loop("epoch", options.epochs, (epoch) => {
        log.loop("step", options.steps, (step) => {
          log.log("loss", 1 / (1 + epoch * options.steps + step));
          log.log("grad", step % 7);
        });
        log.log("accuracy", 1 - 1 / (2 + epoch));
      });
      log.log("f1", options.lr * 10);
    },
    checkpoints: [{ path: [["epoch", 0]] }, { path: [["epoch", 1]] }],
    profile: [
      { k: "prefix", ms: 3 },
      { k: "iterations", path: [], loop: "epoch", entry: 0, from: 0, next: [0, 0], head: [5, 6] },
    ],
  };
}

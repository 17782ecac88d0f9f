/**
 * @file The power is cut at every moment of a run: every write, name and sync of it is recorded, and
 * after each of them what was not synced is dropped, kept, torn or mixed. Whatever is left, the
 * store has every checkpoint that was committed, none that is torn, and goes on from the newest.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  CheckpointRecord,
  LoopPath,
  Record,
  TensorReference,
} from "../../src/format/index.ts";
import { formatPath, hex32 } from "../../src/format/index.ts";
import { analyzeProgram } from "../../src/languages/index.ts";
import { matchLoops, planNewestPoint } from "../../src/planner/index.ts";
import { readRunFacts } from "../../src/replayer/index.ts";
import { readCheckpointIndex, readManifest, runPaths } from "../../src/store/index.ts";
import { verifyCheckpoints } from "../../src/store/index.ts";
import { MAIN } from "../support/project.ts";
import { seededRandom } from "../support/draws.ts";
import { CLEAN_ENVIRONMENT, TestProject } from "../support/project.ts";
import { ofKind, readLog, restoreRecord } from "../support/recorded.ts";
import { count, DRAW_SEED } from "../support/draws.ts";
import type { Call } from "./trace.ts";
import { readTrace, traced } from "./trace.ts";
import type { Change, Choice } from "./volatile-disk.ts";
import { SECTOR_BYTES, VolatileDisk } from "./volatile-disk.ts";
import { needs } from "../support/needs.ts";

const MIXTURES = count(1, { long: 10 });
const SEED = DRAW_SEED;
/** States from which a training is really continued. */
const RESUMED = 2;

const EPOCHS = 2;
const STEPS = 3;
const PROGRAM = `import * as al from "afterlog";
const state = al.checkpointing({
  w: new Float32Array(2048),
  frozen: new Float32Array(2048).fill(7),
  n: 0,
});
const killAt = Number(process.env["KILL_AT"] ?? Infinity);
for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
  for (const step of al.loop("step", al.range(${STEPS}))) {
    state.n++;
    state.w.fill(state.n);
    al.log("t", Float64Array.of(state.n, Math.random()));
    al.log("loss", (state.n - 4) ** 2);
    if (state.n === killAt) {
      // What was taken is durable by then.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      process.kill(process.pid, "SIGKILL");
    }
  }
  al.log("total", state.w.reduce((sum, w) => sum + w, 0) + Math.random());
}
`;
const model = analyzeProgram("train.ts", (file) => (file === "train.ts" ? PROGRAM : undefined));

/** `state.n` at a checkpoint, from its path alone. */
function countAt(path: LoopPath): number {
  const [[, epoch = 0] = [], [, step = "end"] = []] = path;
  if (epoch === "end") return EPOCHS * STEPS;
  return epoch * STEPS + (step === "end" ? STEPS : step + 1);
}

/** What readers see: what a rewind supersedes is gone. Tensors by their bytes, not by their place. */
function values(records: readonly Record[]): string[] {
  let kept: Record[] = [];
  for (const record of records) {
    if (record.k !== "rewind") kept.push(record);
    else kept = kept.filter((before) => !("seq" in before) || before.seq <= record.seq);
  }
  return kept.flatMap((record) => {
    if (record.k !== "log") return [];
    const { offset: _, ...value } = Object(record.value) as Partial<TensorReference>;
    const shown = typeof record.value === "object" ? value : record.value;
    return [`${formatPath(record.path)} ${record.name} ${JSON.stringify(shown)}`];
  });
}

const RUN = [MAIN, "run", "--seed", "5", "--overhead", "inf"];

/** Runs the command line; under strace if a file for the trace is given. */
function afterlog(
  project: TestProject,
  words: readonly string[],
  { trace, env = {} }: { readonly trace?: string; readonly env?: NodeJS.ProcessEnv } = {},
): void {
  const command = [process.execPath, ...words];
  const [first = "", ...rest] =
    trace === undefined ? command : ["strace", ...traced(trace), ...command];
  execFileSync(first, rest, {
    cwd: project.folder,
    env: { ...CLEAN_ENVIRONMENT, ...env },
    stdio: "ignore",
  });
}

function filesUnder(folder: string): Map<string, Buffer | "folder"> {
  const found = new Map<string, Buffer | "folder">([[folder, "folder"]]);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) for (const entry of filesUnder(path)) found.set(...entry);
    else found.set(path, readFileSync(path));
  }
  return found;
}

/** A run of which every call is known. */
interface Traced {
  readonly runs: string;
  readonly run: string;
  readonly calls: readonly Call[];
  readonly disk: VolatileDisk;
}

function record(project: TestProject, words: readonly string[], env: NodeJS.ProcessEnv): Traced {
  const trace = join(project.folder, "trace");
  const runs = join(project.store, "runs");
  mkdirSync(runs, { recursive: true });
  const disk = new VolatileDisk(filesUnder(runs));
  afterlog(project, words, { trace, env });
  const calls = readTrace(trace, runs);
  for (const call of calls) disk.apply(call);
  return { runs, run: project.onlyRun, calls, disk };
}

/** The ways in which what was not synced is treated at one moment. */
function choices(pending: readonly Change[], random: () => number): Choice[] {
  const only =
    (of: Change["of"]): Choice =>
    (change) =>
      change.of === of ? "all" : "none";
  const fixed: Choice[] = [() => "none", () => "all", only("names"), only("data")];
  if (pending.length === 0) return fixed.slice(0, 1);
  const mixed = Array.from({ length: MIXTURES }, (): Choice => {
    const drawn = new Map(pending.map((change) => [change.id, draw(change, random)]));
    return ({ id }) => drawn.get(id) ?? "none";
  });
  return [...fixed, ...mixed];
}

function draw({ bytes }: Change, random: () => number): ReturnType<Choice> {
  const kind = random();
  if (kind < 0.4) return "all";
  if (kind < 0.7 || bytes <= SECTOR_BYTES) return "none";
  return { bytes: Math.floor((random() * bytes) / SECTOR_BYTES) * SECTOR_BYTES };
}

/** Lays out what a cut left, in place of what was there. */
class Remains implements Disposable {
  readonly #project = TestProject.apart({ fast: true });
  readonly #runs: string;
  #there = new Map<string, Buffer | "folder">();

  constructor() {
    this.#runs = join(this.#project.store, "runs");
    mkdirSync(this.#runs, { recursive: true });
  }

  /** The folder of the run. */
  lay(files: ReadonlyMap<string, Buffer | "folder">, { runs, run }: Traced): string {
    const wanted = new Map(
      [...files].map(([path, what]) => [join(this.#runs, path.slice(runs.length)), what] as const),
    );
    for (const path of this.#there.keys()) {
      if (!wanted.has(path)) rmSync(path, { recursive: true, force: true });
    }
    // Folders before what is in them.
    for (const [path, what] of [...wanted].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const before = this.#there.get(path);
      if (what === "folder") mkdirSync(path, { recursive: true });
      else if (!Buffer.isBuffer(before) || !before.equals(what)) writeFileSync(path, what);
    }
    this.#there = new Map(wanted);
    return join(this.#runs, basename(run));
  }

  [Symbol.dispose](): void {
    this.#project[Symbol.dispose]();
  }
}

/** Whether such remains were not looked at before: many moments leave the same. */
function onceEach(): (files: ReadonlyMap<string, Buffer | "folder">, committed: number) => boolean {
  const seen = new Set<string>();
  return (files, committed) => {
    const texts = [...files].map(([path, what]) => {
      return what === "folder" ? path : `${path} ${what.byteLength} ${crc32(what)}`;
    });
    const key = `${committed}\n${texts.toSorted().join("\n")}`;
    const before = seen.size;
    return seen.add(key).size > before;
  };
}

/** What must hold of whatever is left of the run; answers how far it can go on. */
function check(
  run: string,
  committed: readonly CheckpointRecord[],
  truth: readonly string[],
): number {
  const { removed, damaged } = readCheckpointIndex(run);
  const { good, bad } = verifyCheckpoints(run);
  expect({ bad, damaged }).toEqual({ bad: [], damaged: 0 });
  const files = new Set(good.map(({ file }) => file));
  const gone = committed.filter(({ file }) => !files.has(file) && !removed.has(file));
  expect(gone.map(({ file }) => file)).toEqual([]);
  for (const checkpoint of good) checkCheckpoint(run, checkpoint, truth);
  if (committed.length === 0) return 0;
  expect(["interrupted", "done"]).toContain(readManifest(run).status);
  const point = planNewestPoint(readRunFacts(run), model, matchLoops(model, model), ({ file }) =>
    files.has(file),
  );
  const newest = Math.max(0, ...committed.map(({ path }) => countAt(path)));
  expect(countAt(point?.path ?? [])).toBeGreaterThanOrEqual(newest);
  return newest;
}

function checkCheckpoint(
  run: string,
  checkpoint: CheckpointRecord,
  truth: readonly string[],
): void {
  const { path, logBytes, seq } = checkpoint;
  const where = formatPath(path);
  const state = restoreRecord(run, checkpoint);
  const count = countAt(path);
  expect([state["n"], (state["w"] as Float32Array)[9]], where).toEqual([count, count]);
  expect((state["frozen"] as Float32Array)[9], where).toBe(7);
  // The log is there up to its boundary, with the tensors that it names.
  const { records, damage, tornBytes } = readLog(run, logBytes);
  expect({ damage, tornBytes }, where).toEqual({ damage: [], tornBytes: 0 });
  const before = records.filter((one) => !("seq" in one) || one.k === "rewind" || one.seq <= seq);
  const seen = values(before);
  expect(seen, where).toEqual(truth.slice(0, seen.length));
  expect(seen.length, where).toBeGreaterThanOrEqual(2 * count);
  checkTensors(run, before);
}

function checkTensors(run: string, records: readonly Record[]): void {
  const file = runPaths.values(run);
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  for (const { name, value } of ofKind(records, "log")) {
    if (name !== "t") continue;
    const { offset = NaN, bytes: length, crc32: checksum } = value as TensorReference;
    expect(hex32(crc32(bytes.subarray(offset, offset + length)))).toBe(checksum);
  }
}

/** The checkpoints that had been committed at that line: their lines in the index were synced. */
function committedAt(remains: Remains, made: Traced, line: number): CheckpointRecord[] {
  const run = remains.lay(
    made.disk.after(line, () => "none"),
    made,
  );
  const { taken, removed } = readCheckpointIndex(run);
  return taken.filter(({ file }) => !removed.has(file));
}

/** Continues the training from what is left. */
function goOn(
  files: ReadonlyMap<string, Buffer | "folder">,
  made: Traced,
  from: TestProject,
): string[] {
  using project = TestProject.apart({ fast: true });
  project.write("train.ts", PROGRAM);
  mkdirSync(project.store);
  for (const name of ["git", "clock"]) {
    cpSync(join(from.store, name), join(project.store, name), { recursive: true });
  }
  for (const [path, what] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const target = join(project.store, "runs", path.slice(made.runs.length));
    if (what === "folder") mkdirSync(target, { recursive: true });
    else writeFileSync(target, what);
  }
  afterlog(project, [...RUN, "--resume", "train.ts"]);
  expect(readManifest(project.onlyRun).status).toBe("done");
  return values(readLog(project.onlyRun).records);
}

describe(`a power cut, seed ${SEED}`, needs("strace"), () => {
  const whole = TestProject.apart({ fast: true });
  let truth: string[] = [];

  beforeAll(() => {
    whole.write("train.ts", PROGRAM);
    afterlog(whole, [...RUN, "train.ts"]);
    truth = values(readLog(whole.onlyRun).records);
  }, 60_000);
  afterAll(() => whole[Symbol.dispose]());

  const rows = [
    { what: "the thread", words: [], persist: "worker", killAt: 0 },
    { what: "inline", words: [], persist: "inline", killAt: 0 },
    {
      what: "while checkpoints go",
      words: ["--keep", "peak:loss:min"],
      persist: "worker",
      killAt: 0,
    },
    { what: "of a run that goes on", words: [], persist: "worker", killAt: 4 },
  ];
  test.each(rows)("$what", { timeout: 600_000 }, ({ words, persist, killAt }) => {
    using project = TestProject.apart({ fast: true });
    project.write("train.ts", PROGRAM);
    mkdirSync(project.store, { recursive: true });
    if (killAt > 0) {
      const env = { KILL_AT: String(killAt) };
      expect(() => afterlog(project, [...RUN, "train.ts"], { env })).toThrow("Command failed");
    }
    const resume = killAt > 0 ? ["--resume"] : [];
    const made = record(project, [...RUN, ...resume, ...words, "train.ts"], {
      AFTERLOG_PERSIST: persist,
    });
    expect(values(readLog(made.run).records)).toEqual(truth);
    using remains = new Remains();
    const random = seededRandom(SEED);
    const reached = new Set<number>();
    const states: Map<string, Buffer | "folder">[] = [];
    const isNew = onceEach();
    const moments = [...new Set(made.calls.flatMap(({ begun, ended }) => [begun, ended]))];
    for (const line of moments.toSorted((a, b) => a - b)) {
      const committed = committedAt(remains, made, line);
      for (const choice of choices(made.disk.pending(line), random)) {
        const files = made.disk.after(line, choice);
        if (!isNew(files, committed.length)) continue;
        const run = remains.lay(files, made);
        reached.add(check(run, committed, truth));
        if (committed.length > 0 && readManifest(run).status !== "done") states.push(files);
      }
    }
    // Every step was the newest that had been committed at some moment.
    const steps = Array.from({ length: EPOCHS * STEPS }, (_, at) => at + 1);
    expect([...reached].filter((step) => step >= killAt)).toEqual(
      [0, ...steps].filter((step) => step >= killAt),
    );
    for (let time = 0; time < RESUMED; time++) {
      const files = states[Math.floor(random() * states.length)] ?? new Map();
      expect(goOn(files, made, project)).toEqual(truth);
    }
  });
});

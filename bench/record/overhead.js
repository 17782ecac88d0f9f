// @ts-check
/**
 * @file What recording costs a training: the time of its outermost loop, recorded against not
 * recorded under the same loader, in turn. Ends of outermost loops are apart from the budget, so
 * their checkpoints are taken off the recorded time.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bestRatio, interleave, makeResult, median } from "../measure.js";

/** @import { BenchOptions, Result } from "../measure.js" */
/** @import { CheckpointRecord, Manifest } from "../../build/format/index.js" */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLI = join(ROOT, "dist/cli/main.js");
/** All runs draw the same numbers: how long a training takes depends on its values. */
const SAME_RANDOM =
  "let __state = 1;\n" +
  "Math.random = () => (__state = (__state * 16807) % 2147483647) / 2147483647;\n";
/** The default of `--overhead`. */
const DEFAULT_BUDGET = 0.0667;

/**
 * One execution. `ms`: of the outermost loop; `queuedMs`: of that, waiting for a processor.
 * @typedef {object} Timing
 * @property {number} ms
 * @property {number} queuedMs
 * @property {number} share what the run's own ledger says
 * @property {number} checkpoints
 */

/** @type {import("../measure.js").Bench} */
export async function benchDigits(options) {
  const project = join(options.folder, "digits");
  cpSync(join(ROOT, "examples/digits"), project, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(options.folder, "node_modules"));
  const program = join(project, "train.ts");
  writeFileSync(program, timeLoop(readFileSync(program, "utf8"), options.quick ? 10 : 150));
  return overheadOf(options, { name: "digits", program, env: {} });
}

/** @type {import("../measure.js").Bench} */
export async function benchHeavy(options) {
  const project = join(options.folder, "heavy");
  mkdirSync(project);
  const program = join(project, "heavy.js");
  cpSync(fileURLToPath(new URL("programs/heavy.js", import.meta.url)), program);
  // As an ES module, whatever folder it lies in.
  writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
  const sizes = options.quick ? "6 2 20" : "8 6 200";
  return overheadOf(options, { name: "heavy", program, env: { BENCH_SIZES: sizes } });
}

/**
 * Puts the program's own clock around its outermost loop, and the number of epochs in its source:
 * arguments keep their defaults where recording is off.
 * @param {string} example
 * @param {number} epochs
 */
function timeLoop(example, epochs) {
  const source = example.replace(/al\.arg\("epochs", \d+\)/, `al.arg("epochs", ${epochs})`);
  const marks = ["// --- config ---", "// --- loop ---", "// --- test ---"];
  const [top = -1, begin = -1, end = -1] = marks.map((mark) => source.indexOf(mark));
  if (top < 0 || begin < top || end < begin)
    throw new Error(`the example lacks ${marks.join(" or ")}`);
  const now = `[performance.now(), (await import("node:fs")).readFileSync("/proc/thread-self/schedstat", "utf8")]`;
  const before = `const __began = ${now};\n`;
  const after = `const __ended = ${now};\nconsole.log("bench", JSON.stringify([__began, __ended]));\n`;
  const parts = [source.slice(0, top), SAME_RANDOM, source.slice(top, begin), before];
  return [...parts, source.slice(begin, end), after, source.slice(end)].join("");
}

/**
 * @param {BenchOptions} options
 * @param {{ name: string, program: string, env: { [name: string]: string } }} what
 * @returns {Promise<Result[]>}
 */
async function overheadOf({ quick, progress }, { name, program, env }) {
  /** @param {readonly string[]} flags */
  const record = (flags) => () => execute(program, flags, env);
  const arms = {
    off: () => execute(program, [], { ...env, AFTERLOG_MODE: "off" }),
    two: record(["--overhead", "0.02"]),
    usual: record([]),
  };
  const rounds = await interleave(quick ? 2 : 5, arms, (n) => progress(`round ${n + 1}`));
  const goals = /** @type {const} */ ([
    ["two", `${name}: record overhead, --overhead 0.02`, 0.02],
    ["usual", `${name}: record overhead, default budget`, DEFAULT_BUDGET],
  ]);
  return goals.map(([arm, title, atMost]) => {
    const all = rounds[arm];
    const shares = all.map(({ ms }, at) => ms / (rounds.off[at]?.ms ?? NaN) - 1);
    const times = (/** @type {Timing[]} */ timings) => timings.map(({ ms }) => ms);
    /** @param {Timing | undefined} timing */
    const unqueued = (timing) => (timing ? timing.ms - timing.queuedMs : NaN);
    const alone = all.map((timing, at) => unqueued(timing) / unqueued(rounds.off[at]) - 1);
    return makeResult({
      name: title,
      values: all.map(({ ms }) => ms),
      ratios: shares,
      unit: "ms of loop",
      goal: { atMost },
      detail: {
        "not recorded, ms": median(rounds.off.map(({ ms }) => ms)),
        "overhead of the time with a processor": median(alone),
        "overhead of the best rounds": bestRatio(times(all), times(rounds.off)) - 1,
        "overhead by the run's ledger": median(all.map(({ share }) => share)),
        "most by the ledger": Math.max(...all.map(({ share }) => share)),
        checkpoints: all.map(({ checkpoints }) => checkpoints).join(" "),
      },
    });
  });
}

/**
 * @param {string} program
 * @param {readonly string[]} flags
 * @param {{ [name: string]: string }} env
 * @returns {Timing}
 */
function execute(program, flags, env) {
  const cwd = dirname(program);
  const out = execFileSync(process.execPath, [CLI, "run", ...flags, program], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const line = out.split("\n").find((text) => text.startsWith("bench "));
  if (line === undefined) throw new Error(`${program} printed no time`);
  const [[from, queuedFrom], [to, queuedTo]] = /** @type {[[number, string], [number, string]]} */ (
    JSON.parse(line.slice(6))
  );
  const queuedMs = queued(queuedTo) - queued(queuedFrom);
  if (env["AFTERLOG_MODE"] === "off") return { ms: to - from, queuedMs, share: 0, checkpoints: 0 };
  const { manifest, outermostMs } = readRun(cwd);
  const { share = NaN, checkpoints = NaN } = manifest.overhead ?? {};
  return { ms: to - from - outermostMs, queuedMs, share, checkpoints };
}

/**
 * Milliseconds that the thread waited for a processor.
 * @param {string} schedstat
 */
function queued(schedstat) {
  return Number(schedstat.split(" ")[1]) / 1e6;
}

/**
 * The newest run, and what the ends of its outermost loops blocked.
 * @param {string} project
 */
function readRun(project) {
  const runs = join(project, ".afterlog/runs");
  const manifests = readdirSync(runs).map(
    (run) =>
      /** @type {Manifest} */ (JSON.parse(readFileSync(join(runs, run, "run.json"), "utf8"))),
  );
  const manifest = manifests.toSorted((a, b) => a.order - b.order).at(-1);
  if (!manifest) throw new Error(`nothing was recorded in ${project}`);
  const index = readFileSync(join(runs, manifest.run, "checkpoints/index.jsonl"), "utf8");
  const outermostMs = index
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => /** @type {CheckpointRecord} */ (JSON.parse(text)))
    .filter(({ kind, path }) => kind === "loop" && path.length === 1)
    .reduce((sum, { times }) => sum + times.capture + times.wait + times.snapshot, 0);
  return { manifest, outermostMs };
}

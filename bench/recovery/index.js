// @ts-check
/**
 * @file What an interruption costs a PyTorch training, after CheckFreq §6.3 (tables 6.4 to 6.6, figures 6.6 and 6.8):
 * one that is killed four times and taken up each time, with checkpoints by hand at the ends of epochs (`torch.save`,
 * durable), and recorded at 3.5 % and resumed; the same without interruptions; and one whose loader is not resumed.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, spreadOf } from "../measure.js";

/** @import { Bench, BenchOptions, Result } from "../measure.js" */
/** @import { CheckpointRecord, Manifest, ProfileRecord } from "../../build/format/index.js" */

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PROGRAM = fileURLToPath(new URL("programs/train.py", import.meta.url));
const WRITER = fileURLToPath(new URL("../checkfreq/programs/writer.js", import.meta.url));
const EPOCHS = 3;
/** In epochs. */
const KILLS = [0.35, 0.8, 1.5, 2.6];
const RUN = [process.execPath, CLI, "run", "--overhead", "3.5%"];

/**
 * @typedef {object} Workload
 * @property {number} width
 * @property {number} steps
 */

/**
 * @param {string} folder
 * @param {readonly string[]} command
 * @param {{ [name: string]: string }} env
 * @returns {Promise<{ seconds: number, startedAt: number, said: string }>}
 */
function execute(folder, [file = "", ...argv], env) {
  const startedAt = Date.now() / 1000;
  const from = performance.now();
  const child = spawn(file, argv, { cwd: folder, env: { ...process.env, ...env } });
  let said = "";
  child.stdout.resume();
  child.stderr.on("data", (data) => (said += String(data)));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      resolve({ seconds: (performance.now() - from) / 1000, startedAt, said });
    });
  });
}

/**
 * A training that is killed and taken up again until it is done.
 * @param {string} folder
 * @param {Workload} work
 * @param {{ how: "epoch" | "step" | "ours", python: string, kills: readonly number[] }} arm
 */
async function train(folder, { width, steps }, { how, python, kills }) {
  mkdirSync(folder);
  cpSync(PROGRAM, join(folder, "train.py"));
  const passed = join(folder, "passed");
  const recoveries = [];
  let seconds = 0;
  let killedAt = -1;
  for (const killAt of [...kills, -1]) {
    const isFirst = killedAt < 0;
    const command =
      how === "ours"
        ? [...RUN, ...(isFirst ? [] : ["--resume"]), "train.py"]
        : [python, "train.py"];
    const expert = how === "ours" ? {} : { EXPERT: join(folder, "expert.pt"), HOW: how };
    const run = await execute(folder, command, {
      WIDTH: String(width),
      STEPS: String(steps),
      EPOCHS: String(EPOCHS),
      KILL_AT: String(killAt),
      PASSED_AT: String(killedAt),
      PASSED_FILE: passed,
      ...expert,
    });
    seconds += run.seconds;
    if (!isFirst) {
      const [at = NaN, processorSeconds = NaN] = readFileSync(passed, "utf8")
        .split(" ")
        .map(Number);
      const lost = how === "ours" ? lostOf(run.said, killedAt, steps) : killedAt % steps;
      recoveries.push({ seconds: at - run.startedAt, processorSeconds, lost });
    }
    killedAt = killAt;
  }
  const loss = existsSync(`${passed}.loss`) ? Number(readFileSync(`${passed}.loss`, "utf8")) : NaN;
  return { seconds, recoveries, loss };
}

/**
 * `resumes after epoch=1,batch=23`: how many steps before the kill.
 * @param {string} said
 * @param {number} killedAt
 * @param {number} steps
 */
function lostOf(said, killedAt, steps) {
  const [, epoch, , batch] = /resumes after epoch=(\d+)(,\w+=(\d+|end))?/.exec(said) ?? [];
  if (epoch === undefined) return killedAt;
  const within = batch === undefined || batch === "end" ? steps : Number(batch) + 1;
  return killedAt - (Number(epoch) * steps + within);
}

/**
 * What the run of a folder left.
 * @param {string} folder
 */
function recorded(folder) {
  const runs = join(folder, ".afterlog/runs");
  const run = join(runs, readdirSync(runs)[0] ?? "");
  const lines = (/** @type {string} */ name) =>
    readFileSync(join(run, name), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => /** @type {unknown} */ (JSON.parse(line)));
  const index = /** @type {CheckpointRecord[]} */ (lines("checkpoints/index.jsonl"));
  const profile = /** @type {ProfileRecord[]} */ (lines("profile.jsonl"));
  const manifest = /** @type {Manifest} */ (
    JSON.parse(readFileSync(join(run, "run.json"), "utf8"))
  );
  const taken = index.filter(({ k }) => k === "checkpoint");
  return {
    perEpoch: taken.length / EPOCHS,
    megabytes: Math.max(...taken.map(({ stateBytes }) => stateBytes)) / 1e6,
    overhead: manifest.overhead?.share ?? NaN,
    intervals: profile.flatMap((record) => (record.k === "frequency" ? [record.interval] : [])),
  };
}

/**
 * @param {Workload} work
 * @returns {Bench}
 */
function recovery(work) {
  return async ({ folder, quick, pythons, progress }) => {
    const [python = "python3"] = pythons ?? [];
    const steps = quick ? 20 : work.steps;
    const own = { ...work, steps };
    const kills = KILLS.map((epochs) => Math.round(epochs * steps));
    /** @type {{ [arm: string]: Awaited<ReturnType<typeof train>> }} */
    const arms = {};
    for (const [name, how, killed] of /** @type {const} */ ([
      ["plain", "epoch", []],
      ["ours alone", "ours", []],
      ["epoch", "epoch", kills],
      ["ours", "ours", kills],
      ["plain loader", "step", kills],
    ])) {
      progress(name);
      arms[name] = await train(join(folder, name), own, { how, python, kills: killed });
    }
    const writer = spawn(process.execPath, [WRITER, join(folder, "other.bin")]);
    progress("beside a writer");
    await train(join(folder, "beside"), own, { how: "ours", python, kills: [] });
    writer.kill("SIGKILL");
    return [
      resultOf(work, arms, recorded(join(folder, "ours alone")), recorded(join(folder, "beside"))),
    ];
  };
}

/**
 * @param {Workload} work
 * @param {{ [arm: string]: Awaited<ReturnType<typeof train>> }} arms
 * @param {ReturnType<typeof recorded>} alone
 * @param {ReturnType<typeof recorded>} beside
 * @returns {Result}
 */
function resultOf({ width }, arms, alone, beside) {
  const of = (/** @type {string} */ arm) => arms[arm]?.recoveries ?? [];
  // By the processor's time: others work on such machines, too.
  const ratios = of("ours").map(
    ({ processorSeconds }, at) => processorSeconds / (of("epoch")[at]?.processorSeconds ?? NaN),
  );
  const table = (/** @type {string} */ arm) => ({
    recoverySeconds: of(arm).map(({ seconds }) => Number(seconds.toFixed(2))),
    processorSeconds: of(arm).map(({ processorSeconds }) => Number(processorSeconds.toFixed(2))),
    stepsLost: of(arm).map(({ lost }) => lost),
    totalSeconds: Number((arms[arm]?.seconds ?? NaN).toFixed(1)),
    loss: arms[arm]?.loss,
  });
  return {
    name: `${width} wide: recovery, ours / an epoch's checkpoint`,
    ratio: median(ratios),
    goal: "<= 1",
    pass: median(ratios) <= 1,
    median: median(of("ours").map(({ processorSeconds }) => processorSeconds)),
    spread: spreadOf(ratios),
    n: ratios.length,
    unit: "s",
    detail: {
      ...Object.fromEntries(Object.keys(arms).map((arm) => [arm, table(arm)])),
      alone,
      beside,
    },
  };
}

/** @type {{ readonly [name: string]: Bench }} */
export const RECOVERY = {
  small: recovery({ width: 256, steps: 100 }),
  large: recovery({ width: 1024, steps: 100 }),
};

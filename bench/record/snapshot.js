// @ts-check
/**
 * @file The copy that blocks the training, against a plain copy between two touched buffers; and
 * the first checkpoint of a process against those after it.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bestRatio, interleave, makeResult, median, ratios, threadMs, timeMs } from "../measure.js";
import { makeTensors, MIB, Taker } from "./state.js";

/** @import { BenchOptions, Result } from "../measure.js" */

/**
 * @param {BenchOptions} options
 * @returns {Promise<Result[]>}
 */
export async function benchSnapshot(options) {
  /** @type {Result[]} */
  const results = [];
  for (const count of [10, 1000]) results.push(await snapshotOf(options, count));
  return results;
}

/**
 * @param {BenchOptions} options
 * @param {number} count
 */
async function snapshotOf({ quick, folder, progress }, count) {
  const bytes = (quick ? 64 : 512) * MIB;
  const tensors = makeTensors(bytes, count);
  const copies = tensors.map((tensor) => new Uint8Array(tensor.byteLength).fill(1));
  const sources = tensors.map(({ buffer }) => new Uint8Array(buffer));
  const taker = new Taker(join(folder, String(count)), { tensors });
  taker.prepare();
  taker.drain();
  const whole = [new Uint8Array(bytes).fill(1), new Uint8Array(bytes).fill(2)];
  const round = () => {
    const cpuFrom = threadMs();
    const cost = taker.take();
    const cpuMs = threadMs() - cpuFrom;
    // The thread must be quiet while the calibration copies.
    taker.drain();
    taker.clear();
    return { ...cost, cpuMs };
  };
  const copy = () => timeMs(() => sources.forEach((source, at) => copies[at]?.set(source)));
  round();
  copy();
  const copyWhole = () => timeMs(() => whole[0]?.set(whole[1] ?? []));
  const arms = { took: round, copied: copy, once: copyWhole };
  const { took, copied, once } = await interleave(quick ? 3 : 9, arms, (n) =>
    progress(`${count} tensors, round ${n + 1}`),
  );
  taker.finish();
  const snapshots = took.map(({ snapshotMs }) => snapshotMs);
  return makeResult({
    name: `snapshot of ${bytes / MIB} MiB in ${count} tensors / memcpy`,
    values: snapshots.map((ms) => bytes / MIB / ms / 1.024),
    ratios: ratios(copied, snapshots),
    unit: "GiB/s",
    goal: { atLeast: 0.8 },
    detail: {
      "memcpy, tensor by tensor, ms": median(copied),
      "snapshot ms": median(snapshots),
      "ratio of the best rounds": bestRatio(copied, snapshots),
      "memcpy of all at once, ms": median(once),
      "ratio to it, best rounds": bestRatio(once, snapshots),
      "processor time of taking it, ms": median(took.map(({ cpuMs }) => cpuMs)),
      "capture (walk) ms": median(took.map(({ captureMs }) => captureMs)),
      "blocked in all ms": median(took.map(({ blockedMs }) => blockedMs)),
    },
  });
}

/**
 * @param {BenchOptions} options
 * @returns {Promise<Result[]>}
 */
export async function benchFirst({ quick, folder, progress }) {
  const bytes = (quick ? 64 : 512) * MIB;
  /** @type {(wait: "prepared" | "at once") => (round: number) => { first: number, steady: number }} */
  const start = (wait) => (round) => {
    const program = fileURLToPath(new URL("programs/first-checkpoint.js", import.meta.url));
    const own = join(folder, `${wait.replace(" ", "-")}-${round}`);
    const out = execFileSync(process.execPath, [program, own, String(bytes), wait], {
      encoding: "utf8",
    });
    return JSON.parse(out);
  };
  const arms = { prepared: start("prepared"), atOnce: start("at once") };
  const { prepared, atOnce } = await interleave(quick ? 2 : 5, arms, (n) =>
    progress(`round ${n + 1}`),
  );
  const both = [
    { name: "first checkpoint, state declared before / steady", all: prepared, atMost: 1.5 },
    { name: "first checkpoint, at once after declaring / steady", all: atOnce, atMost: Infinity },
  ];
  return both.map(({ name, all, atMost }) =>
    makeResult({
      name: `${name}, ${bytes / MIB} MiB`,
      values: all.map(({ first }) => first),
      ratios: all.map(({ first, steady }) => first / steady),
      unit: "ms blocked",
      goal: atMost < Infinity ? { atMost } : { text: "(reported)", pass: true },
      detail: { "steady ms": median(all.map(({ steady }) => steady)) },
    }),
  );
}

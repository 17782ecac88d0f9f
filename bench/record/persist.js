// @ts-check
/**
 * @file From a snapshot to a durable, listed checkpoint, against the best way to write as many
 * bytes in sequence: O_DIRECT from aligned memory, or the page cache and fdatasync.
 */
import { closeSync, constants, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { bestRatio, interleave, makeResult, median, timeMs } from "../measure.js";
import { makeTensors, MIB, Taker } from "./state.js";

const WRITE_BYTES = 8 * MIB;

/** @import { BenchOptions, Result } from "../measure.js" */

/**
 * @param {BenchOptions} options
 * @returns {Promise<Result[]>}
 */
export async function benchPersist(options) {
  return [await persistOf(options, 10), await persistOf(options, 1000)];
}

/**
 * @param {BenchOptions} options
 * @param {number} count
 */
async function persistOf({ quick, folder, progress }, count) {
  const bytes = (quick ? 64 : 512) * MIB;
  const taker = new Taker(join(folder, String(count)), { tensors: makeTensors(bytes, count) });
  taker.prepare();
  taker.drain();
  // A resizable buffer is mapped, so it begins on a page, as O_DIRECT wants.
  const memory = new Uint8Array(new ArrayBuffer(bytes, { maxByteLength: bytes })).fill(1);
  const persist = () => {
    taker.take();
    const started = performance.now();
    taker.drain();
    const untilListed = performance.now() - started;
    const persisted = taker.committed.at(-1)?.times.persist ?? NaN;
    taker.clear();
    return { persisted, untilListed };
  };
  const arms = {
    direct: () => writeSequence(folder, memory, constants.O_DIRECT),
    persist,
    buffered: () => writeSequence(folder, memory, 0),
  };
  for (const arm of Object.values(arms)) arm();
  const rounds = await interleave(quick ? 3 : 9, arms, (n) =>
    progress(`${count} tensors, round ${n + 1}`),
  );
  taker.finish();
  const best = rounds.direct.map((ms, at) => Math.min(ms, rounds.buffered[at] ?? Infinity));
  const persists = rounds.persist.map(({ persisted }) => persisted);
  const rate = (/** @type {number} */ ms) => bytes / MIB / 1.024 / ms;
  return makeResult({
    name: `persist of ${bytes / MIB} MiB in ${count} tensors / best sequential write`,
    values: persists.map(rate),
    ratios: persists.map((ms, at) => (best[at] ?? NaN) / ms),
    unit: "GiB/s",
    goal: { atLeast: 0.8 },
    detail: {
      "O_DIRECT GiB/s": rate(median(rounds.direct)),
      "buffered GiB/s": rate(median(rounds.buffered)),
      "persist ms": median(persists),
      "ratio of the best rounds": bestRatio(best, persists),
      "until listed ms": median(rounds.persist.map(({ untilListed }) => untilListed)),
    },
  });
}

/**
 * @param {string} folder
 * @param {Uint8Array} memory
 * @param {number} flag
 */
function writeSequence(folder, memory, flag) {
  const file = join(folder, "sequence.bin");
  const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
  const ms = timeMs(() => {
    const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | flag, 0o644);
    for (let at = 0; at < memory.byteLength; at += WRITE_BYTES) {
      writeSync(fd, memory, at, Math.min(WRITE_BYTES, memory.byteLength - at), at);
    }
    fdatasyncSync(fd);
    closeSync(fd);
  });
  rmSync(file);
  return ms;
}

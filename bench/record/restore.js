// @ts-check
/**
 * @file `al.restore` of a checkpoint that is in the page cache, into the arrays of the program,
 * against plain reads of the same bytes: into arrays like those, which is the fair one, into
 * page-aligned memory, which some processors read into much faster, and into fresh memory.
 */
import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { STRUCTURE_NAME } from "../../build/format/index.js";
import { CheckpointReader, sharedPageMemory } from "../../build/store/index.js";
import { bestRatio, interleave, makeResult, median, ratios, timeMs } from "../measure.js";
import { makeTensors, MIB, Taker } from "./state.js";

/** @import { BenchOptions, Result } from "../measure.js" */

/**
 * @param {BenchOptions} options
 * @returns {Promise<Result[]>}
 */
export async function benchRestore(options) {
  // Nothing is recorded here: only `restore` is wanted of the SDK.
  process.env["AFTERLOG_MODE"] = "off";
  const { restore } = await import("../../build/sdk/index.js");
  return [await restoreOf(options, 10, restore), await restoreOf(options, 1000, restore)];
}

/**
 * @param {BenchOptions} options
 * @param {number} count
 * @param {typeof import("../../build/sdk/index.js").restore} restore
 */
async function restoreOf({ quick, folder, progress }, count, restore) {
  const bytes = (quick ? 64 : 512) * MIB;
  const record = { tensors: makeTensors(bytes, count) };
  const live = record.tensors[0];
  const taker = new Taker(join(folder, String(count)), record);
  taker.take();
  taker.drain();
  const expected = record.tensors.map((tensor) => tensor[0]);
  const { file } = taker;
  const positions = positionsIn(file);
  const sizes = record.tensors.map(({ byteLength }) => byteLength);
  const warm = sizes.map((size) => new Uint8Array(size).fill(1));
  const paged = sizes.map((size) => new Uint8Array(sharedPageMemory(size), 0, size).fill(1));
  const arms = {
    restored: () => {
      for (const tensor of record.tensors) tensor.fill(0, 0, 1);
      const ms = timeMs(() => restore(record, file));
      assert.equal(record.tensors[0], live, "arrays are refilled in place");
      assert.deepEqual(
        record.tensors.map((tensor) => tensor[0]),
        expected,
      );
      return ms;
    },
    warm: () => readInto(file, positions, (at) => warm[at]),
    paged: () => readInto(file, positions, (at) => paged[at]),
    fresh: () => readInto(file, positions, (at) => new Uint8Array(sizes[at] ?? 0)),
  };
  readFileSync(file);
  for (const arm of Object.values(arms)) arm();
  const rounds = await interleave(quick ? 3 : 9, arms, (n) =>
    progress(`${count} tensors, round ${n + 1}`),
  );
  taker.finish();
  taker.clear();
  const { restored } = rounds;
  return makeResult({
    name: `restore of ${bytes / MIB} MiB in ${count} tensors / plain read`,
    values: restored.map((ms) => bytes / MIB / 1.024 / ms),
    ratios: ratios(rounds.warm, restored),
    unit: "GiB/s",
    goal: { atLeast: 0.7 },
    detail: {
      "restore ms": median(restored),
      "ratio of the best rounds": bestRatio(rounds.warm, restored),
      "read into warm memory ms": median(rounds.warm),
      "read into page-aligned memory ms": median(rounds.paged),
      "read into fresh memory ms": median(rounds.fresh),
      "ratio to the read into fresh memory": median(ratios(rounds.fresh, restored)),
    },
  });
}

/**
 * Where the tensors lie in the file, in their order.
 * @param {string} file
 */
function positionsIn(file) {
  const reader = new CheckpointReader(file);
  const { dataStart, tensors } = reader.header;
  reader[Symbol.dispose]();
  return tensors
    .filter(({ name }) => name !== STRUCTURE_NAME)
    .map(({ offset }) => dataStart + offset);
}

/**
 * Milliseconds to read the tensors' bytes where they lie, each into its buffer.
 * @param {string} file
 * @param {readonly number[]} positions
 * @param {(at: number) => Uint8Array | undefined} bufferFor
 */
function readInto(file, positions, bufferFor) {
  const { gc } = globalThis;
  gc?.();
  return timeMs(() => {
    const fd = openSync(file, "r");
    for (const [index, position] of positions.entries()) {
      const buffer = bufferFor(index) ?? new Uint8Array(0);
      for (let at = 0; at < buffer.byteLength;) {
        at += readSync(fd, buffer, at, buffer.byteLength - at, position + at);
      }
    }
    closeSync(fd);
  });
}

// @ts-check
/** @file A state of many tensors, and checkpoints of it through the real thread. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { capture, identify } from "../../build/adapters/index.js";
import { ThreadMaterializer } from "../../build/materialize/index.js";

/** @import { CheckpointRecord } from "../../build/format/index.js" */

export const MIB = 2 ** 20;

/**
 * Float arrays of `bytes` together, every page touched.
 * @param {number} bytes
 * @param {number} count
 * @returns {Float32Array[]}
 */
export function makeTensors(bytes, count) {
  const length = Math.floor(bytes / count / 4);
  return Array.from({ length: count }, (_, at) =>
    Float32Array.from({ length: 1024 }, (__, i) => at + i / 1024),
  ).map((pattern) => {
    const tensor = new Float32Array(length);
    for (let from = 0; from < length; from += pattern.length) {
      tensor.set(pattern.subarray(0, length - from), from);
    }
    return tensor;
  });
}

/**
 * The places of `al.checkpointing({ tensors })`.
 * @param {{ tensors: Float32Array[] }} record
 */
function placesOf(record) {
  return [
    {
      key: "d0.tensors",
      source: /** @type {const} */ ("a"),
      get: () => record.tensors,
      set: (/** @type {unknown} */ value) => {
        record.tensors = /** @type {Float32Array[]} */ (value);
      },
    },
  ];
}

/** Takes checkpoints of one state, as the checkpointer of the SDK does. */
export class Taker {
  /** @type {CheckpointRecord[]} */
  committed = [];
  /** @type {string} */
  #runFolder;
  #record;
  #entry;
  #materializer;
  #count = 0;

  /**
   * @param {string} folder
   * @param {{ tensors: Float32Array[] }} record
   */
  constructor(folder, record) {
    this.#runFolder = join(folder, "run");
    this.#record = record;
    this.#entry = identify(placesOf(record));
    mkdirSync(this.#runFolder, { recursive: true });
    this.#materializer = new ThreadMaterializer({
      run: "bench",
      runFolder: this.#runFolder,
      crashAt: null,
      events: {
        committed: (made) => this.committed.push(made),
        failed: (feature, why) => {
          throw new Error(`${feature}: ${why}`);
        },
      },
    });
  }

  prepare() {
    this.#materializer.prepare(this.#capture());
  }

  /** Waits until memory is prepared and everything taken is durable. */
  drain() {
    this.#materializer.drain();
  }

  /** Takes a checkpoint in which every tensor has changed. `blockedMs` is all the program feels. */
  take() {
    for (const tensor of this.#record.tensors) tensor[0] = ++this.#count;
    const started = performance.now();
    const state = this.#capture();
    const cost = this.#materializer.take({
      kind: "iteration",
      path: [["epoch", this.#count]],
      seq: 0,
      file: `epoch=${this.#count}.safetensors`,
      state,
      generators: [],
      iterators: [],
      needs: [],
      captureMs: performance.now() - started,
      paired: false,
      waitMsMax: Infinity,
      t: 0,
    });
    return { ...cost, blockedMs: performance.now() - started };
  }

  /** The file of the newest checkpoint. */
  get file() {
    return join(this.#runFolder, "checkpoints", this.committed.at(-1)?.file ?? "");
  }

  /** Removes the files written so far. */
  clear() {
    for (const { file } of this.committed) {
      rmSync(join(this.#runFolder, "checkpoints", file), { force: true });
    }
  }

  finish() {
    this.#materializer.finish("done", () => 0);
  }

  #capture() {
    return capture(placesOf(this.#record), this.#entry);
  }
}

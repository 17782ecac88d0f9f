// @ts-check
/**
 * @file A training with a large state and real work: each step multiplies two matrices and moves
 * two of ten tensors by what came out. `BENCH_SIZES` has epochs, steps and megabytes. Prints the
 * loop's time.
 */
import { readFileSync } from "node:fs";
// @ts-ignore: found by the loader of `afterlog run`
import * as al from "afterlog";

const TENSORS = 10;
const SIDE = 512;
// Not as arguments: those keep their defaults where recording is off.
const sizes = (process.env["BENCH_SIZES"] ?? "").split(" ").map(Number);
const [epochs = NaN, steps = NaN, megabytes = NaN] = sizes;

const weights = Array.from({ length: TENSORS }, (_, at) =>
  new Float32Array((megabytes * 1e6) / TENSORS / 4).fill(at + 1),
);
const left = new Float32Array(SIDE * SIDE).fill(0.5);
const right = new Float32Array(SIDE * SIDE).fill(0.25);
const product = new Float32Array(SIDE * SIDE);
al.checkpointing({ weights });

/**
 * The element; a check for one that is missing would be most of the work.
 * @type {(values: Float32Array, at: number) => number}
 */
const get = (values, at) => /** @type {number} */ (values[at]);

function multiply() {
  product.fill(0);
  for (let row = 0; row < SIDE; row++) {
    for (let k = 0; k < SIDE; k++) {
      const factor = get(left, row * SIDE + k);
      const to = row * SIDE;
      const from = k * SIDE;
      for (let column = 0; column < SIDE; column++) {
        product[to + column] = get(product, to + column) + factor * get(right, from + column);
      }
    }
  }
}

/** @param {Float32Array} tensor */
function update(tensor) {
  const mask = product.length - 1;
  for (let at = 0; at < tensor.length; at++) {
    tensor[at] = get(tensor, at) * 0.999 + 1e-3 * get(product, at & mask);
  }
}

const now = () => [performance.now(), readFileSync("/proc/thread-self/schedstat", "utf8")];
const began = now();
for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const step of al.loop("step", al.range(steps))) {
    multiply();
    for (const half of [0, 1]) {
      update(weights[(2 * (epoch * steps + step) + half) % TENSORS] ?? left);
    }
    al.log("weight", weights[0]?.[0] ?? 0);
  }
  al.log("epoch_weight", weights[1]?.[0] ?? 0);
}
console.log("bench", JSON.stringify([began, now()]));

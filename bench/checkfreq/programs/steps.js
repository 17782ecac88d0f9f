// @ts-check
/**
 * @file A training with a state of `BENCH_SIZES` megabytes that changes in every step, and steps of
 * so many milliseconds of real work. Prints the time of its loop. With `BENCH_EVERY` the loop that is
 * recorded goes over so many steps at once: a checkpoint of each iteration is then one every so many.
 */
// @ts-ignore: found by the loader of `afterlog run`
import * as al from "afterlog";

// Not as arguments: those keep their defaults where recording is off.
const sizes = (process.env["BENCH_SIZES"] ?? "").split(" ").map(Number);
const [epochs = NaN, steps = NaN, megabytes = NaN, stepMs = NaN] = sizes;
const every = Number(process.env["BENCH_EVERY"] ?? 1);

const weights = Array.from({ length: 8 }, () => new Float32Array((megabytes * 1e6) / 8 / 4));
const work = new Float64Array(1 << 12).fill(0.5);
al.checkpointing({ weights });

/** As many turns as a step takes, found out once: a clock in the loop would hide what is lost. */
function calibrate() {
  const began = performance.now();
  let turns = 0;
  while (performance.now() - began < 200) {
    compute(1);
    turns++;
  }
  return Math.max(1, Math.round((turns * stepMs) / 200));
}

/** @param {number} turns */
function compute(turns) {
  for (let turn = 0; turn < turns; turn++) {
    for (let at = 0; at < work.length; at++) work[at] = Math.sqrt((work[at] ?? 0) + 1);
  }
}

calibrate();
const turns = Number(process.env["BENCH_TURNS"] ?? calibrate());
const began = performance.now();
for (const epoch of al.loop("epoch", al.range(epochs))) {
  console.log("epoch", epoch);
  for (const first of al.loop("step", al.range(Math.ceil(steps / every)))) {
    for (let step = first * every; step < Math.min(steps, (first + 1) * every); step++) {
      compute(turns);
      for (const tensor of weights) tensor[(epoch * steps + step) % tensor.length] = step;
    }
  }
}
console.log("bench", JSON.stringify({ ms: performance.now() - began, turns }));

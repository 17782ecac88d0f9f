// @ts-check
/**
 * @file Parsing, analysing and rewriting a program of 1,000 lines, as the loader does it with the
 * first file: processor time, first in a process that has compiled nothing yet, then again.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProgramRewriter } from "../../build/languages/typescript/rewriting/program-rewriter.js";
import { makeResult, median } from "../measure.js";
import { take } from "../replay/project.js";

/** @import { Bench } from "../measure.js" */

const GOAL_MS = 150;
const LINES = 1000;

/** @type {Bench} */
export async function benchRewriting({ quick, rounds = quick ? 2 : 9, folder, progress }) {
  const text = programOf(LINES);
  const program = join(folder, "train.ts");
  writeFileSync(program, text);
  const own = new URL("rewriting-once.js", import.meta.url).pathname;
  /** @type {number[]} */
  const first = [];
  /** @type {number[]} */
  const again = [];
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1}`);
    const { out } = await take([own, folder, program], folder);
    const [cold = NaN, ...warm] = /** @type {number[]} */ (JSON.parse(out));
    first.push(cold);
    again.push(median(warm));
  }
  const { rewritten } = new ProgramRewriter(optionsFor(folder, program)).rewrite(program, text);
  assert.ok(rewritten, "the program is rewritten");
  const lines = text.split("\n").length;
  const result = (/** @type {string} */ name, /** @type {number[]} */ values) =>
    makeResult({
      name: `${lines} lines parsed, analysed and rewritten, ${name}`,
      values,
      ratios: values.map((ms) => ms / GOAL_MS),
      unit: "ms of processor time",
      goal: { text: `< ${GOAL_MS} ms`, pass: median(values) < GOAL_MS },
      detail: { "ms, min and max": [Math.min(...values), Math.max(...values)] },
    });
  return [result("for the first time in a process", first), result("again", again)];
}

/**
 * @param {string} root
 * @param {string} program
 */
export function optionsFor(root, program) {
  return { root, program, probes: [], recorded: [], handsFree: true };
}

/**
 * A training program as long as asked: models, losses, data, a loop of epochs and steps for each.
 * @param {number} lines
 */
export function programOf(lines) {
  const parts = ["const results: number[] = [];"];
  for (let n = 0; parts.join("\n").split("\n").length < lines - 40; n++) parts.push(partOf(n));
  const body = parts.join("\n");
  const rest = lines - body.split("\n").length;
  return `${body}\n${Array.from({ length: rest }, (_, i) => `results.push(${i});`).join("\n")}`;
}

/** @param {number} n */
function partOf(n) {
  return `
interface Options${n} {
  epochs: number;
  lr: number;
}
class Model${n} {
  weights = new Float64Array(16);
  #velocity = new Float64Array(16);
  history: { loss: number; size: number }[] = [];
  constructor(readonly options: Options${n}) {
    for (let i = 0; i < this.weights.length; i++) this.weights[i] = Math.random() - 0.5;
  }
  gradient(batch: number[][]): Float64Array {
    const grad = new Float64Array(16);
    for (const row of batch) {
      let z = 0;
      for (let i = 0; i < row.length; i++) z += row[i] * this.weights[i];
      const error = 1 / (1 + Math.exp(-z)) - 0.5;
      row.forEach((value, i) => (grad[i] += error * value));
    }
    return grad;
  }
  step(batch: number[][]): number {
    const grad = this.gradient(batch);
    grad.forEach((g, i) => {
      this.#velocity[i] = 0.9 * this.#velocity[i] - this.options.lr * g;
      this.weights[i] += this.#velocity[i];
    });
    return Math.hypot(...grad);
  }
}
function* batches${n}(count: number, size: number): Generator<number[][]> {
  for (let i = 0; i < count; i++) {
    yield Array.from({ length: size }, () => Array.from({ length: 16 }, () => Math.random()));
  }
}
function train${n}(options: Options${n}): number {
  const model = new Model${n}(options);
  let best = Infinity;
  let bestWeights = model.weights.slice();
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    let loss = 0;
    for (const batch of batches${n}(10, 8)) loss += model.step(batch);
    model.history.push({ loss, size: Math.hypot(...model.weights) });
    if (loss < best) {
      best = loss;
      bestWeights = model.weights.slice();
    }
    console.log(\`epoch \${epoch} loss \${loss} best \${best}\`);
  }
  return bestWeights.reduce((sum, w) => sum + w * w, 0);
}
results.push(train${n}({ epochs: ${3 + (n % 4)}, lr: 0.0${1 + (n % 9)} }));`;
}

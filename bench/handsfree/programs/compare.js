// @ts-check
/**
 * @file Executes every loop in turn as a file of the project and as a package, and prints the
 * milliseconds of both. No loop statement here: nothing must be active around what is measured.
 */
import * as rewritten from "./loops.js";
// @ts-expect-error the same text, put into node_modules by the benchmark
import * as untouched from "plain-loops";

/** @type {{ readonly rounds: number, readonly sizes: { readonly [name: string]: number } }} */
const { rounds, sizes } = JSON.parse(process.env["BENCH_LOOPS"] ?? "");

/** @typedef {{ readonly [name: string]: (n: number) => { ms: number, sum: number } }} Loops */

const names = Object.keys(sizes);
const results = names.map((name) => {
  const n = sizes[name] ?? 0;
  const arms = [/** @type {Loops} */ (rewritten)[name], /** @type {Loops} */ (untouched)[name]];
  arms.forEach((arm) => arm?.(Math.ceil(n / 4)));
  const pairs = Array.from({ length: rounds }, (_, round) => {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    /** @type {number[]} */
    const pair = [];
    order.forEach((at) => (pair[at] = arms[at]?.(n).ms ?? NaN));
    return pair;
  });
  return [name, pairs];
});
process.stdout.write(`bench ${JSON.stringify(Object.fromEntries(results))}\n`);

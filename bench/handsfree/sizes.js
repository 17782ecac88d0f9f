// @ts-check
/**
 * @file What parsing, analysing and rewriting costs for each line of long programs, beside one of 1,000 lines:
 * processor time of the first time in a process. A ratio of 1 is linear.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeResult } from "../measure.js";
import { take } from "../replay/project.js";
import { programOf } from "./rewriting.js";

/** @import { Bench } from "../measure.js" */

const SMALL = 1000;
const SIZES = [5000, 10_000, 20_000];
const GOAL = 1.5;

/** @type {Bench} */
export async function benchSizes({ quick, rounds = quick ? 1 : 5, folder, progress }) {
  const own = new URL("rewriting-once.js", import.meta.url).pathname;
  const msOf = async (/** @type {number} */ lines) => {
    const program = join(folder, `train-${lines}.ts`);
    writeFileSync(program, programOf(lines));
    const { out } = await take([own, folder, program, "1"], folder);
    const [ms = NaN] = /** @type {number[]} */ (JSON.parse(out));
    return ms;
  };
  const results = [];
  for (const lines of SIZES) {
    /** @type {number[]} */
    const values = [];
    /** @type {number[]} */
    const ratios = [];
    for (let round = 0; round < rounds; round++) {
      progress(`${lines} lines, round ${round + 1}`);
      const small = await msOf(SMALL);
      const ms = await msOf(lines);
      values.push(ms);
      ratios.push(ms / lines / (small / SMALL));
    }
    results.push(
      makeResult({
        name: `a line of ${lines}, beside one of ${SMALL}`,
        values,
        ratios,
        unit: "ms of processor time",
        goal: { atMost: GOAL },
        detail: { "ms, min and max": [Math.min(...values), Math.max(...values)] },
      }),
    );
  }
  return results;
}

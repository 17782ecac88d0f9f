// @ts-check
/**
 * @file What an iteration of an instrumented loop costs: rewritten and untouched loops in one
 * process, in turn, recorded without checkpoints but those of the ends of outermost loops. Times
 * are processor times of the training thread: others may work on the machine.
 */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeResult, quantile } from "../measure.js";
import { ROOT, take } from "../replay/project.js";

/** @import { Bench } from "../measure.js" */

const LOOPS = fileURLToPath(new URL("programs/loops.js", import.meta.url));
const COMPARE = fileURLToPath(new URL("programs/compare.js", import.meta.url));
const CLI = join(ROOT, "dist/cli/main.js");

/** Loops with next to nothing in them, and how they are called. */
const EMPTY = Object.freeze({
  countedFor: "for (let i = 0; …)",
  whileLoop: "while",
  doLoop: "do … while",
  overArray: "for … of an array",
  overGenerator: "for … of a generator",
  capturedHead: "for, its variable held by a closure",
});

/** Loops whose body takes a millisecond. */
const LONG = Object.freeze({
  training: "epochs of steps, each a product of matrices",
  singleLoop: "one loop",
});

/** @typedef {{ [name: string]: [rewritten: number, untouched: number][] }} Pairs */

/** @type {Bench} */
export async function benchEmptyLoops(options) {
  const n = options.quick ? 200_000 : 4_000_000;
  const names = Object.keys(EMPTY);
  const pairs = await compare(options, Object.fromEntries(names.map((name) => [name, n])));
  return Object.entries(EMPTY).map(([name, title]) => {
    const own = pairs[name] ?? [];
    const ns = own.map(([rewritten, untouched]) => ((rewritten - untouched) * 1e6) / n);
    return makeResult({
      name: `${title}: added to an iteration`,
      values: own.map(([rewritten]) => (rewritten * 1e6) / n),
      ratios: ns,
      unit: "ns an iteration",
      goal: { atMost: 100 },
      detail: { "untouched, ns an iteration": own.map(([, untouched]) => (untouched * 1e6) / n) },
    });
  });
}

/** @type {Bench} */
export async function benchLongBodies(options) {
  const n = 40;
  const names = Object.keys(LONG);
  const many = { ...options, rounds: options.rounds ?? (options.quick ? 5 : 99) };
  const pairs = await compare(many, Object.fromEntries(names.map((name) => [name, n])));
  return Object.entries(LONG).map(([name, title]) => {
    const own = pairs[name] ?? [];
    /** @param {0 | 1} at */
    const quick = (at) =>
      quantile(
        own.map((pair) => pair[at]),
        0.25,
      );
    return makeResult({
      name: `${title}: slower by`,
      values: own.map(([rewritten]) => rewritten / n),
      ratios: own.map(([rewritten, untouched]) => rewritten / untouched - 1),
      unit: "ms an iteration",
      goal: { atMost: 0.01 },
      detail: { "slower by, of the quickest quarter of the rounds": quick(0) / quick(1) - 1 },
    });
  });
}

/**
 * @param {import("../measure.js").BenchOptions} options
 * @param {{ readonly [name: string]: number }} sizes
 * @returns {Promise<Pairs>}
 */
async function compare({ folder, quick, rounds = quick ? 3 : 15 }, sizes) {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "plain-loops"), { recursive: true });
  symlinkSync(ROOT, join(modules, "afterlog"));
  const asModule = '{ "type": "module", "main": "loops.js" }\n';
  writeFileSync(join(folder, "package.json"), asModule);
  writeFileSync(join(modules, "plain-loops/package.json"), asModule);
  cpSync(LOOPS, join(modules, "plain-loops/loops.js"));
  cpSync(LOOPS, join(folder, "loops.js"));
  cpSync(COMPARE, join(folder, "compare.js"));
  const env = { BENCH_LOOPS: JSON.stringify({ rounds, sizes }) };
  const { out } = await take([CLI, "run", "--overhead", "0", "compare.js"], folder, env);
  const line = out.split("\n").find((text) => text.startsWith("bench ")) ?? "bench {}";
  return JSON.parse(line.slice(6));
}

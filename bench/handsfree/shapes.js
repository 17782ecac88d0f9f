// @ts-check
/**
 * @file What recording costs programs whose loops are hot, short or in functions that call themselves, and
 * what their runs say that it cost: the processor time of all processes of `afterlog run` against that of
 * the bare interpreter, in turn.
 */
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { interleave, makeResult, median } from "../measure.js";
import { ROOT } from "../replay/project.js";
import { spawnSync } from "node:child_process";

/** @import { Bench } from "../measure.js" */
/** @import { Manifest } from "../../build/format/index.js" */

const CLI = join(ROOT, "dist/cli/main.js");
const PROGRAMS = join(ROOT, "bench/handsfree/shapes");
const TIMER = join(ROOT, "bench/handsfree/processor_time.py");
const PYTHON = process.env["PYTHON"] ?? "python3";
/** Goal: recorded over plain, the start left out. */
const RATIO_MAX = 1.07;
/** What makes the programs take some ten seconds on a quiet machine. */
const ROUNDS = Object.freeze({
  "autograd.cjs": 3000,
  "autograd.py": 4000,
  "lines.cjs": 1_500_000,
  "lines.py": 1_000_000,
  "samples.py": 140,
  "short.cjs": 470,
  "short.py": 75,
  "tree.cjs": 3000,
  "tree.py": 3000,
});

/** @type {Bench} */
export async function benchShapes({ quick, rounds = quick ? 1 : 5, folder, progress }) {
  const project = join(folder, "shapes");
  cpSync(PROGRAMS, project, { recursive: true });
  const results = [];
  for (const [name, size] of Object.entries(ROUNDS)) {
    const argument = String(quick ? Math.ceil(size / 5) : size);
    const result = join(folder, "processor-time");
    /** @param {readonly string[]} command */
    const timed = (command) => {
      const { status, stderr } = spawnSync(PYTHON, [TIMER, result, ...command], {
        cwd: project,
        encoding: "utf8",
        maxBuffer: 2 ** 30,
      });
      if (status !== 0) throw new Error(`${command.join(" ")}\n${stderr}`);
      return Number(readFileSync(result, "utf8"));
    };
    const interpreter = extname(name) === ".py" ? PYTHON : process.execPath;
    const empty = `empty${extname(name)}`;
    /** @param {string[]} program */
    const plain = (...program) => timed([interpreter, ...program]);
    /** @param {string[]} program */
    const recorded = (...program) => timed([process.execPath, CLI, "run", ...program]);
    const taken = await interleave(
      rounds,
      {
        plain: async () => plain(name, argument),
        recorded: async () => {
          const cpuS = recorded(name, argument);
          return { cpuS, ...newestRun(project) };
        },
        start: async () => recorded(empty) - plain(empty),
      },
      (n) => progress(`${name} ${n + 1}`),
    );
    const startS = median(taken.start);
    const ratios = taken.recorded.map(({ cpuS }, at) => (cpuS - startS) / (taken.plain[at] ?? NaN));
    results.push(
      makeResult({
        name: `${name}: recorded over plain, processor time less the start`,
        values: taken.recorded.map(({ cpuS }) => cpuS),
        ratios,
        unit: "s recorded",
        goal: { atMost: RATIO_MAX },
        detail: {
          "s plain": median(taken.plain),
          "s of start": startS,
          "with the start": median(
            taken.recorded.map(({ cpuS }, at) => cpuS / (taken.plain[at] ?? NaN)),
          ),
          "ledger says": 1 + median(taken.recorded.map(({ share }) => share)),
          "bytes of log": median(taken.recorded.map(({ bytes }) => bytes)),
          "given up": taken.recorded.at(-1)?.off.join(", "),
        },
      }),
    );
  }
  return results;
}

/** @param {string} project */
function newestRun(project) {
  const runs = join(project, ".afterlog/runs");
  const manifests = readdirSync(runs).map(
    (run) =>
      /** @type {Manifest} */ (JSON.parse(readFileSync(join(runs, run, "run.json"), "utf8"))),
  );
  const newest = manifests.toSorted((a, b) => a.order - b.order).at(-1);
  if (!newest) throw new Error("nothing was recorded");
  const { size: bytes } = statSync(join(runs, newest.run, "log.jsonl"));
  const off = newest.off.map(({ feature }) => feature);
  return { share: newest.overhead?.share ?? NaN, bytes, off };
}

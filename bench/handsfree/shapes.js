// @ts-check
/**
 * @file What recording costs programs whose loops are hot, short or in functions that call themselves:
 * the processor time of all processes of the recorded command against that of the same command that does
 * not record, each less what an empty program of its language takes.
 */
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { interleave, makeResult, median } from "../measure.js";
import { ROOT, take } from "../replay/project.js";

/** @import { Bench } from "../measure.js" */
/** @import { Manifest } from "../../dist/format/index.js" */

const CLI = join(ROOT, "dist/cli/main.js");
const PROGRAMS = join(ROOT, "bench/handsfree/shapes");
/** Goal: a program's own work may take so many times as long. */
const RATIO_MAX = 1.5;

/** @type {Bench} */
export async function benchShapes({ quick, rounds = quick ? 1 : 5, folder, progress }) {
  const project = join(folder, "shapes");
  cpSync(PROGRAMS, project, { recursive: true });
  const programs = readdirSync(PROGRAMS).filter((file) => !file.startsWith("empty"));
  const results = [];
  for (const name of programs) {
    const empty = `empty${extname(name)}`;
    /** @param {string} program */
    const off = (program) => take([CLI, "run", program], project, { AFTERLOG_MODE: "off" });
    /** @param {string} program */
    const recorded = (program) => take([CLI, "run", program], project);
    const taken = await interleave(
      rounds,
      {
        off: async () => (await off(name)).cpuS - (await off(empty)).cpuS,
        recorded: async () => {
          const { cpuS } = await recorded(name);
          const run = newestRun(project);
          return { cpuS: cpuS - (await recorded(empty)).cpuS, ...run };
        },
      },
      (n) => progress(`${name} ${n + 1}`),
    );
    const own = taken.recorded.map(({ cpuS }) => cpuS);
    results.push(
      makeResult({
        name: `${name}: recorded over not recorded, processor time`,
        values: own,
        ratios: own.map((s, at) => s / Math.max(0.01, taken.off[at] ?? NaN)),
        unit: "s recorded",
        goal: { atMost: RATIO_MAX },
        detail: {
          "s not recorded": median(taken.off),
          "share by the ledger": median(taken.recorded.map(({ share }) => share)),
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

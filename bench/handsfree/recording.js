// @ts-check
/**
 * @file What recording costs the programs that never heard of Afterlog, within the usual budget: the
 * share by the run's own ledger, and the processor time of all its processes against those of the
 * same command that does not record. They are small, so start and end weigh on the second.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { interleave, makeResult, median } from "../measure.js";
import { ROOT, take } from "../replay/project.js";

/** @import { Bench } from "../measure.js" */
/** @import { Manifest } from "../../build/format/index.js" */

const CLI = join(ROOT, "dist/cli/main.js");
const PROGRAMS = join(ROOT, "test/handsfree/programs");
const DEFAULT_BUDGET = 0.0667;

/** @type {Bench} */
export async function benchRecording({ quick, rounds = quick ? 1 : 5, folder, progress }) {
  const names = readdirSync(PROGRAMS).filter((file) => file.endsWith(".ts"));
  const results = [];
  for (const name of names) {
    const project = join(folder, name.replace(/\.ts$/, ""));
    makeProject(project);
    const arms = {
      off: () => take([CLI, "run", "--seed", "7", name], project, { AFTERLOG_MODE: "off" }),
      recorded: async () => {
        const { cpuS } = await take([CLI, "run", "--seed", "7", name], project);
        return { cpuS, ...newestRun(project) };
      },
    };
    const { off, recorded } = await interleave(rounds, arms, (n) => progress(`${name} ${n + 1}`));
    results.push(
      makeResult({
        name: `${name}: record overhead by the run's ledger`,
        values: recorded.map(({ runMs }) => runMs / 1000),
        ratios: recorded.map(({ share }) => share),
        unit: "s of the program",
        goal: { atMost: DEFAULT_BUDGET },
        detail: {
          checkpoints: recorded.map(({ checkpoints }) => checkpoints).join(" "),
          "s of processor time, recorded": median(recorded.map(({ cpuS }) => cpuS)),
          "s of processor time, not recorded": median(off.map(({ cpuS }) => cpuS)),
        },
      }),
    );
  }
  return results;
}

/** @param {string} folder */
function makeProject(folder) {
  mkdirSync(folder);
  cpSync(PROGRAMS, folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

/** @param {string} project */
function newestRun(project) {
  const runs = join(project, ".afterlog/runs");
  const manifests = readdirSync(runs).map(
    (run) =>
      /** @type {Manifest} */ (JSON.parse(readFileSync(join(runs, run, "run.json"), "utf8"))),
  );
  const newest = manifests.toSorted((a, b) => a.order - b.order).at(-1);
  const { share = NaN, checkpoints = NaN, runMs = NaN } = newest?.overhead ?? {};
  return { share, checkpoints, runMs };
}

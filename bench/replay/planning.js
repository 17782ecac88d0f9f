// @ts-check
/**
 * @file `afterlog plan` over 100 runs: processor time of the process. Four runs are recorded, of
 * versions that differ by a log statement; the others are their copies under other names.
 */
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { hex32, manifestToJson } from "../../build/format/index.js";
import { interleave, makeResult, median } from "../measure.js";
import { Project } from "./project.js";

/** @import { Bench } from "../measure.js" */
/** @import { Manifest } from "../../build/format/index.js" */
/** @import { Place, Sizes } from "./project.js" */

/** Small tensors: as many iterations as a long training, in little time. @type {Sizes} */
const SMALL = Object.freeze({ epochs: 30, steps: 40, batch: 8, hidden: 8 });
/** @type {readonly { readonly [name: string]: Place }[]} */
const VERSIONS = [{}, { first: "outer" }, { second: "suffix" }, { third: "inner" }];
const CPU_S_MAX = 2;

/** @type {Bench} */
export async function benchPlanning({ quick, folder, progress }) {
  const copies = quick ? 2 : 25;
  const project = new Project(join(folder, "planning"), SMALL);
  for (const [at, probes] of VERSIONS.entries()) {
    progress(`recording version ${at + 1}`);
    project.write(probes);
    await project.run();
  }
  for (const recorded of project.recorded()) {
    for (let copy = 1; copy < copies; copy++) copyRun(recorded, copy);
  }
  const runs = VERSIONS.length * copies;
  const everything = Object.assign({}, ...VERSIONS);
  project.write({ ...everything, every_epoch: "outer", every_step: "inner" });
  progress("planning");
  const first = await project.plan("every_epoch");
  assert.equal(first.plan.runs.length, runs, JSON.stringify(first.plan.left_out[0]));
  const arms = {
    outer: () => project.plan("every_epoch"),
    inner: () => project.plan("every_step"),
  };
  const rounds = await interleave(quick ? 2 : 9, arms, (n) => progress(`round ${n + 1}`));
  return /** @type {const} */ (["outer", "inner"]).map((scan) => {
    const cpu = rounds[scan].map(({ cpuS }) => cpuS);
    return makeResult({
      name: `afterlog plan, ${scan}, ${runs} runs of ${VERSIONS.length} versions: processor time`,
      values: cpu,
      ratios: cpu.map((seconds) => seconds / runs),
      unit: "s",
      goal: { text: `<= ${CPU_S_MAX} s`, pass: median(cpu) <= CPU_S_MAX },
      detail: {
        "s, min and max": [Math.min(...cpu), Math.max(...cpu)],
        "s by the clock": median(rounds[scan].map(({ s }) => s)),
        "first plan, which also ingests the runs, s": first.cpuS,
        "iterations a run": SMALL.epochs * SMALL.steps,
      },
    });
  });
}

/**
 * @param {{ folder: string, manifest: Manifest }} recorded
 * @param {number} copy
 */
function copyRun({ folder, manifest }, copy) {
  const letters = copy.toString(36).padStart(2, "0");
  const run = `${manifest.run.slice(0, -2)}${letters}`;
  const to = join(dirname(folder), run);
  cpSync(folder, to, { recursive: true, errorOnExist: true, force: false });
  const { sha256: _, ...fields } = /** @type {Manifest & { sha256?: string }} */ (manifest);
  writeFileSync(
    join(to, "run.json"),
    manifestToJson({ ...fields, run, order: manifest.order + copy }),
  );
  const log = join(to, "log.jsonl");
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  const seal = JSON.parse(lines.pop() ?? "");
  const text = `${lines.join("\n")}\n`.replace(`"run":"${manifest.run}"`, `"run":"${run}"`);
  writeFileSync(log, `${text}${JSON.stringify({ ...seal, crc32: hex32(crc32(text)) })}\n`);
}

// @ts-check
/**
 * @file What policies of `gc` save, and what questions then take (FlorDB §6.1.3): the same recorded runs are asked with
 * all of their checkpoints, with those of every fifth epoch, and with the best and the last. Bytes and shares of
 * iterations: neither the clock nor the load of the machine has a part in them.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeResult, median } from "../measure.js";
import { Project, ROOT, take } from "../replay/project.js";

/** @import { Bench, Result } from "../measure.js" */
/** @import { Place } from "../replay/project.js" */

/** Each keeps less than the one before it. */
const POLICIES = ["every:5", "peak:held_loss:min"];
/** @type {readonly Place[]} Those that a checkpoint has a part in. */
const ASKED = ["suffix", "outer", "inner"];
const SIZES = Object.freeze({ epochs: 20, steps: 10, batch: 64, hidden: 64 });
const KEPT_SHARE_MAX = 0.25;

/** @type {Bench} */
export async function benchRetention({ quick, folder, progress, rounds = quick ? 1 : 3 }) {
  const project = new Project(join(folder, "retention"), SIZES);
  for (let run = 0; run < rounds; run++) {
    progress(`recording ${run + 1} of ${rounds}`);
    const env = { AFTERLOG_OVERHEAD: "inf", AFTERLOG_KEEP: "all" };
    await project.run([`lr=${(run + 1) / 100}`], env);
  }
  const all = bytesOf(project);
  const results = await sharesOf(project, { rounds, policy: "all", progress });
  for (const policy of POLICIES) {
    await take([join(ROOT, "dist/cli/main.js"), "gc", "--policy", policy, "--yes"], project.folder);
    const kept = bytesOf(project);
    results.push(
      makeResult({
        name: `bytes of checkpoints: ${policy} / all`,
        values: kept.map((one) => one / 1e6),
        ratios: kept.map((one, run) => one / (all[run] ?? 0)),
        unit: "MB",
        goal: { atMost: KEPT_SHARE_MAX },
        detail: { "MB of all": median(all) / 1e6 },
      }),
    );
    results.push(...(await sharesOf(project, { rounds, policy, progress })));
  }
  return results;
}

/**
 * @param {Project} project
 * @param {{ rounds: number, policy: string, progress: (text: string) => void }} how
 * @returns {Promise<Result[]>}
 */
async function sharesOf(project, { rounds, policy, progress }) {
  const results = [];
  for (const place of ASKED) {
    progress(`${policy}: ${place} scan`);
    const { plan, cells } = await project.ask(place, whereOf(place));
    const shares = plan.runs.map(({ share }) => share);
    assert.equal(shares.length, rounds);
    assert.ok(cells.length >= rounds);
    results.push(
      makeResult({
        name: `${place} scan: share of the iterations that is executed, ${policy}`,
        values: shares,
        ratios: shares,
        unit: "",
        goal: place === "suffix" ? { atMost: 0 } : { text: "", pass: true },
        detail: { cells: cells.length },
      }),
    );
  }
  return results;
}

/** @param {Place} place */
function whereOf(place) {
  return place === "inner" ? { where: `epoch = ${SIZES.epochs >> 1} and step = 3` } : {};
}

/** @param {Project} project */
function bytesOf({ folder }) {
  const runs = join(folder, ".afterlog/runs");
  return readdirSync(runs).flatMap((run) => {
    const checkpoints = join(runs, run, "checkpoints");
    // Replays have none.
    const files = existsSync(checkpoints) ? readdirSync(checkpoints) : [];
    const bytes = files.reduce((sum, file) => sum + statSync(join(checkpoints, file)).size, 0);
    return bytes > 0 ? [bytes] : [];
  });
}

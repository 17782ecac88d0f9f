// @ts-check
/**
 * @file A suffix replay over many versions: seconds for each version, of 50 against 5. Every version
 * is recorded once; each round asks for a name that none of them has, at one place of the newest.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { ROOT, take } from "../replay/project.js";
import { scriptAt } from "./history.js";

/** @import { Bench } from "../measure.js" */

const CLI = join(ROOT, "dist/cli/main.js");
const LINES = 120;
const FEW = 5;
const RATIO_MAX = 1.15;

/** @type {Bench} */
export async function benchLinear({ quick, rounds, folder, progress }) {
  const many = quick ? 10 : 50;
  const project = join(folder, "linear");
  makeRepository(project);
  for (let version = 0; version < many; version++) {
    progress(`recording version ${version + 1} of ${many}`);
    writeFileSync(join(project, "train.js"), scriptAt({ lines: LINES, version }));
    git(project, "commit", "-qam", `version ${version}`, "--allow-empty");
    await take([CLI, "run", "train.js"], project);
  }
  let names = 0;
  /** @param {string | undefined} where @param {number} versions */
  const ask = (where, versions) => async () => {
    const probe = `probe_${names++}`;
    writeFileSync(join(project, "train.js"), scriptAt({ lines: LINES, version: many - 1, probe }));
    const condition = where === undefined ? [] : ["--where", where];
    const flags = ["--yes", "--json", "--no-canary", "-j", "1", ...condition];
    const taken = await take([CLI, "replay", probe, ...flags], project);
    const done = JSON.parse(taken.out.trimEnd().split("\n").at(-1) ?? "");
    assert.deepEqual([done.kind, done.status, done.cells], ["done", "done", versions]);
    return { s: taken.s / versions, cpuS: taken.cpuS / versions };
  };
  const apart = many / FEW;
  const arms = {
    few: ask(`version % ${apart} = ${apart - 1}`, FEW),
    many: ask(undefined, many),
  };
  await arms.few();
  const found = await interleave(rounds ?? (quick ? 1 : 3), arms, (n) => {
    progress(`replaying, round ${n + 1}`);
  });
  const clock = ratios(
    found.many.map(({ s }) => s),
    found.few.map(({ s }) => s),
  );
  return [
    makeResult({
      name: `suffix replay, seconds a version: ${many} versions / ${FEW} versions`,
      values: found.many.map(({ s }) => s),
      ratios: clock,
      unit: "s",
      goal: { atMost: RATIO_MAX },
      detail: {
        [`s a version of ${FEW}`]: median(found.few.map(({ s }) => s)),
        "ratio of processor time": median(
          ratios(
            found.many.map(({ cpuS }) => cpuS),
            found.few.map(({ cpuS }) => cpuS),
          ),
        ),
        "processor time a version, s": median(found.many.map(({ cpuS }) => cpuS)),
      },
    }),
  ];
}

/** @param {string} folder */
function makeRepository(folder) {
  mkdirSync(folder);
  git(folder, "init", "-q");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "train.js"), "");
  git(folder, "add", "-A");
}

/**
 * @param {string} folder
 * @param {readonly string[]} args
 */
function git(folder, ...args) {
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"];
  execFileSync("git", [...identity, ...args], { cwd: folder });
}

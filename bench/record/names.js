// @ts-check
/**
 * @file Many names and many runs: processor time of `ls` and `diff` with a warm index against that at ten
 * names and ten runs, and of indexing by the byte.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCatalog } from "../../build/catalog/index.js";
import { runPaths, storePaths } from "../../build/store/index.js";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { take } from "../replay/project.js";
import { makeNamedRuns } from "./make-runs.js";

/** @import { BenchOptions, Result } from "../measure.js" */

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** What `ls` and `diff` may cost more than at ten names and ten runs. */
const TIMES_MAX = 2;

/** As on a terminal, where a row has room for a few names, and as a script gets it. */
const COMMANDS = Object.freeze({
  ls: ["ls", "-L", "50"],
  "ls of all runs in a pipe": ["ls"],
  "ls --json": ["ls", "--json"],
  "ls --sort-by norm/layer7": ["ls", "--sort-by", "norm/layer7", "-L", "50"],
  "ls -w": ["ls", "-w", '"norm/layer7" > 0.5', "-L", "50"],
  diff: ["diff", "@"],
});

/**
 * @param {BenchOptions} options
 * @returns {Promise<Result[]>}
 */
export async function benchNames({ quick, folder, progress, rounds = 5 }) {
  const sizes = {
    small: { runs: 10, names: 10 },
    names: { runs: 10, names: quick ? 1000 : 12_000 },
    runs: { runs: quick ? 1000 : 10_000, names: 10 },
  };
  const folders = { small: join(folder, "a"), names: join(folder, "b"), runs: join(folder, "c") };
  for (const kind of /** @type {const} */ (["small", "names", "runs"])) {
    progress(`making ${sizes[kind].runs} runs of ${sizes[kind].names} names`);
    makeNamedRuns(join(folders[kind], ".afterlog"), sizes[kind]);
  }
  /** @type {Result[]} */
  const results = [];
  for (const kind of /** @type {const} */ (["names", "runs"])) {
    progress(`indexing ${kind}`);
    results.push(await indexOf(folders[kind], sizes[kind]));
  }
  (await openCatalog(join(folders.small, ".afterlog"))).close();
  for (const [title, argv] of Object.entries(COMMANDS)) {
    const arms = {
      small: () => take([CLI, ...argv], folders.small),
      names: () => take([CLI, ...argv], folders.names),
      runs: () => take([CLI, ...argv], folders.runs),
    };
    const done = await interleave(rounds, arms, (n) => progress(`${title}, round ${n + 1}`));
    const cpu = (/** @type {keyof typeof done} */ arm) => done[arm].map(({ cpuS }) => cpuS);
    for (const kind of /** @type {const} */ (["names", "runs"])) {
      const { runs, names } = sizes[kind];
      results.push(
        makeResult({
          name: `${title}: ${runs} runs of ${names} names / 10 of 10, processor time`,
          values: cpu(kind),
          ratios: ratios(cpu(kind), cpu("small")),
          unit: "s",
          goal: { atMost: TIMES_MAX },
          detail: { "10 of 10, s": median(cpu("small")) },
        }),
      );
    }
  }
  return results;
}

/**
 * Half of the runs, then all: what the second half costs beside the first.
 * @param {string} folder
 * @param {{ runs: number, names: number }} size
 */
async function indexOf(folder, { runs, names }) {
  const store = join(folder, ".afterlog");
  const bytes = readdirSync(storePaths.runs(store))
    .map((run) => statSync(runPaths.log(storePaths.run(store, run))).size)
    .reduce((sum, size) => sum + size, 0);
  rmSync(storePaths.index(store), { force: true });
  const taken = await take([CLI, "ls", "-L", "1"], folder);
  return makeResult({
    name: `indexing ${runs} runs of ${names} names, processor s a 100 MB`,
    values: [(taken.cpuS / bytes) * 1e8],
    ratios: [(taken.cpuS / bytes) * 1e8],
    unit: "s",
    goal: { text: "linear", pass: true },
    detail: { "log MB": bytes / 1e6, "by the clock s": taken.s, "processor s": taken.cpuS },
  });
}

// @ts-check
/**
 * @file `npm run bench -- landings [--apart] [--write] [--draw] [--only NAME]`, see `landings/index.js`, and
 * `npm run bench -- record|replay|versions|checkfreq|crash|recovery|handsfree|python|programs|saving [--json] [--quick] [--rounds N]
 * [--only NAME] [--dir FOLDER]`: runs the benchmarks, each in a process of its own, and prints a table, or JSON
 * for scripts. `--rounds` is for replays, where a round takes minutes. `programs` and `saving`
 * `[--python COMMAND]… [--write]` choose interpreters, and renew their tables in `docs/results/`.
 *
 * Nothing but landings that got worse fails a build: the numbers are for people, `docs/results/` keeps them.
 */
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CHECKFREQ } from "./checkfreq/index.js";
import { CRASH } from "./crash/index.js";
import { HANDSFREE } from "./handsfree/index.js";
import { machineFacts } from "./measure.js";
import { PROGRAMS } from "./programs/index.js";
import { GALLERY_HEAD, SAVING_HEAD, withRows } from "./programs/report.js";
import { SAVING } from "./programs/saving.js";
import { PYTHON } from "./python/index.js";
import { RECORD } from "./record/index.js";
import { RECOVERY } from "./recovery/index.js";
import { REPLAY } from "./replay/index.js";
import { resultTable } from "./table.js";
import { VERSIONS } from "./versions/index.js";

/** @import { Bench, Result } from "./measure.js" */

/** @type {{ readonly [suite: string]: { readonly [name: string]: Bench } }} */
const SUITES = {
  record: RECORD,
  replay: REPLAY,
  versions: VERSIONS,
  checkfreq: CHECKFREQ,
  crash: CRASH,
  recovery: RECOVERY,
  handsfree: HANDSFREE,
  python: PYTHON,
  programs: PROGRAMS,
  saving: SAVING,
};
/** @type {{ readonly [suite: string]: { readonly page: string, readonly head: readonly string[] } }} */
const TABLES = {
  programs: { page: "programs.md", head: GALLERY_HEAD },
  saving: { page: "saving.md", head: SAVING_HEAD },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    only: { type: "string", multiple: true },
    dir: { type: "string" },
    child: { type: "string" },
    python: { type: "string", multiple: true, default: [process.env["PYTHON"] ?? "python3"] },
    write: { type: "boolean", default: false },
    draw: { type: "boolean", default: false },
    apart: { type: "boolean", default: false },
  },
});
const [suiteName = "record"] = positionals;
const suite = SUITES[suiteName];
if (suiteName === "landings") {
  // Its parsers must not weigh on the processes of the others.
  const { benchLandings } = await import("./landings/index.js");
  const { write, draw, apart, only } = values;
  if (!(await benchLandings({ write, draw, apart, only }))) process.exitCode = 1;
} else if (!suite) usage(`there is no suite ${suiteName}`);
else if (values.child !== undefined) await runHere(suite, values.child);
else await runAll(suite, values.only ?? Object.keys(suite));

/** @param {string} problem */
function usage(problem) {
  const names = Object.entries(SUITES).map(
    ([name, own]) => `${name}: ${Object.keys(own).join(", ")}`,
  );
  console.error(`bench: ${problem}\n${names.join("\n")}\nlandings`);
  process.exitCode = 2;
}

/**
 * @param {{ readonly [name: string]: Bench }} benches
 * @param {readonly string[]} names
 */
async function runAll(benches, names) {
  const unknown = names.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined) return usage(`there is no benchmark ${unknown}`);
  const machine = machineFacts();
  const [load = 0] = loadavg();
  const facts = Object.entries(machine).map(([key, value]) => `${key} ${String(value)}`);
  const say = values.json ? console.error : console.log;
  say(facts.join(" · "));
  if (load > cpus().length / 2) say(`warning: load ${load.toFixed(1)}: others work here too`);
  /** @type {Result[]} */
  const results = [];
  for (const name of names) results.push(...(await runInChild(name)));
  const table = TABLES[suiteName];
  if (values.write && table) {
    const rows = results.flatMap(({ row }) => (row ? [row] : []));
    const page = fileURLToPath(new URL(`../docs/results/${table.page}`, import.meta.url));
    writeFileSync(page, withRows(readFileSync(page, "utf8"), table.head, rows));
  }
  console.log(values.json ? JSON.stringify(results, undefined, 2) : resultTable(results));
}

/**
 * A process for each, so that memory and compiled code of one do not weigh on the next.
 * @param {string} name
 * @returns {Promise<Result[]>}
 */
function runInChild(name) {
  const argv = [suiteName, "--child", name, ...(values.quick ? ["--quick"] : [])];
  if (values.dir !== undefined) argv.push("--dir", values.dir);
  for (const python of values.python) argv.push("--python", python);
  if (values.rounds !== undefined) argv.push("--rounds", values.rounds);
  const child = fork(fileURLToPath(import.meta.url), argv, { execArgv: ["--expose-gc"] });
  return new Promise((resolve, reject) => {
    /** @type {Result[]} */
    let results = [];
    child.on("message", (message) => {
      results = /** @type {Result[]} */ (message);
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code !== 0) console.error(`bench: ${name} failed with ${code}`);
      resolve(results);
    });
  });
}

/**
 * @param {{ readonly [name: string]: Bench }} benches
 * @param {string} name
 */
async function runHere(benches, name) {
  const folder = mkdtempSync(join(values.dir ?? tmpdir(), `afterlog-bench-${name}-`));
  const progress = process.stderr.isTTY
    ? (/** @type {string} */ text) => process.stderr.write(`\r\x1b[K${name}: ${text}`)
    : () => undefined;
  try {
    const rounds = values.rounds === undefined ? {} : { rounds: Number(values.rounds) };
    const { quick, python: pythons } = values;
    const results = await benches[name]?.({ quick, folder, progress, pythons, ...rounds });
    progress("");
    process.send?.(results ?? []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

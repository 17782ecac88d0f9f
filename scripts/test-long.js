/**
 * @file `npm run test:long`: what is too rare or too slow for every change. The list below is all of
 * it; each job is tried by several seeds, drawn when the list is begun. What has passed is kept in
 * `.test-long/`: a second call goes on, and tries again what has failed.
 *
 * Usage: npm run test:long -- [--fresh] [--minutes N] [part of a job's name]...
 *   --fresh      begin anew, by other seeds
 *   --minutes N  begin no job after so long
 */
import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execute, ROOT, step } from "./processes.js";

/** Test files of vitest (parts of their paths), or modules of `python/tests`; one run for each seed. */
const JOBS = [
  { name: "properties", seeds: 5, files: [".prop.test.ts"] },
  { name: "python programs", seeds: 2, python: ["test_truth"] },
  { name: "interpreters", seeds: 1, files: ["test/long/interpreters"] },
  { name: "mutated files", seeds: 3, files: ["test/format/mutated-files"] },
  { name: "power cuts", seeds: 3, files: ["test/crash/power-cut"] },
  {
    name: "kills",
    seeds: 2,
    files: ["test/crash/random-kills", "test/crash/resume-kills", "test/crash/recovery-bound"],
  },
  {
    name: "kill points",
    seeds: 1,
    files: ["test/crash/kill-points", "test/python/crash", "test/python/retention"],
  },
  {
    name: "mutation",
    seeds: 2,
    files: ["test/handsfree/mutation", "test/python/mutation"],
  },
  { name: "rare programs", seeds: 3, files: ["test/truth/rare"] },
  { name: "usual programs", seeds: 2, files: ["test/truth/truth"] },
  { name: "hunt", seeds: 2, files: ["test/hunt"] },
  { name: "each kind", seeds: 1, files: ["test/truth/each-kind"] },
  {
    name: "hands-free programs",
    seeds: 2,
    files: ["test/truth/handsfree", "test/handsfree/truth", "test/python/hands-free"],
  },
  {
    name: "rarer rows",
    seeds: 1,
    files: [
      "test/loader/replay",
      "test/examples/demo",
      "test/truth/faults",
      "test/truth/regressions",
      "test/truth/examples",
      "test/examples/examples",
      "test/retention/running",
      "test/python/foreign",
      "test/python/truth",
      "test/python/torch-versions",
      "test/questions/shapes",
    ],
  },
];

const FOLDER = join(ROOT, ".test-long");
const STATE = join(FOLDER, "state.json");

const { values: options, positionals } = parseArgs({
  options: { fresh: { type: "boolean" }, minutes: { type: "string" } },
  allowPositionals: true,
});
const endsAt = performance.now() + Number(options.minutes ?? Infinity) * 60_000;

const state = begin();
const runs = JOBS.flatMap(({ name, seeds, ...job }) =>
  Array.from({ length: seeds }, (_, nth) => ({ ...job, name, seed: state.seed + nth })),
).filter(({ name }) => positionals.every((part) => name.includes(part)));
await step("npm", "run", "--silent", "build");

const total = { passed: 0, failed: 0, left: 0 };
for (const run of runs) await consider(run);
const left = total.left === 0 ? "" : `, ${total.left} of ${runs.length} jobs left`;
console.log(`${total.passed} passed, ${total.failed} failed${left}`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** What was kept, or a new beginning: also when there is nothing left to go on with. */
function begin() {
  const kept = existsSync(STATE) ? JSON.parse(readFileSync(STATE, "utf8")) : undefined;
  const count = JOBS.reduce((sum, { seeds }) => sum + seeds, 0);
  if (kept && !options.fresh && Object.keys(kept.passed).length < count) {
    console.log(`going on with seeds from ${kept.seed}; --fresh begins anew`);
    return kept;
  }
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  const seed = randomInt(1, 1_000_000);
  console.log(`seeds from ${seed}`);
  return keep({ seed, passed: {} });
}

function keep(next) {
  writeFileSync(STATE, `${JSON.stringify(next, null, 2)}\n`);
  return next;
}

/** One job by one seed, unless it has passed or the time is over. */
async function consider(run) {
  const title = `${run.name}, seed ${run.seed}`;
  const before = state.passed[title];
  if (before !== undefined) {
    total.passed += before;
    return;
  }
  if (performance.now() > endsAt) {
    total.left++;
    return;
  }
  const { code, output, seconds, summary } = await (run.python ? python(run) : vitest(run));
  const failed = Math.max(summary.failed, code === 0 ? 0 : 1);
  total.passed += summary.passed;
  total.failed += failed;
  const verdict = failed === 0 ? "ok    " : "FAILED";
  const counts = `${summary.passed} passed, ${failed} failed`;
  console.log(`${verdict} ${seconds.toFixed(0).padStart(5)} s  ${title}: ${counts}`);
  if (failed === 0) {
    state.passed[title] = summary.passed;
    keep(state);
    return;
  }
  const log = join(FOLDER, `${title.replaceAll(/\W+/g, "-")}.txt`);
  writeFileSync(log, output);
  console.log(`  what it said: ${log}`);
  const failures = summary.failures ?? [];
  const commands = failures.length > 0 ? failures.map((one) => again(run, one)) : [again(run)];
  for (const command of commands) console.log(`  again: ${command}`);
}

function vitest(run) {
  return measured(["vitest", "run", ...run.files], run, {});
}

function python(run) {
  const interpreter = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  const command = [interpreter, "-m", "tests", "--summary", summaryFile(), ...run.python];
  return measured(command, run, { cwd: join(ROOT, "python") });
}

function summaryFile() {
  return join(FOLDER, "summary.json");
}

async function measured(command, { seed }, { cwd }) {
  rmSync(summaryFile(), { force: true });
  const env = { ...environment(seed), AFTERLOG_TEST_SUMMARY: summaryFile() };
  const result = await execute(command, { quiet: true, env, ...(cwd && { cwd }) });
  const summary = existsSync(summaryFile())
    ? JSON.parse(readFileSync(summaryFile(), "utf8"))
    : { passed: 0, failed: 0 };
  return { ...result, summary };
}

function environment(seed) {
  return { AFTERLOG_TEST_SEED: String(seed), AFTERLOG_TEST_COUNT: "long" };
}

/** The command that repeats a failure, to be pasted. */
function again(run, failure) {
  const variables = Object.entries(environment(run.seed)).map(
    ([name, value]) => `${name}=${value}`,
  );
  const command = run.python
    ? ["(cd python &&", ...variables, "python3 -m tests", `${run.python.join(" ")})`]
    : [...variables, "npx vitest run", ...chosen(run, failure)];
  return command.join(" ");
}

function chosen(run, failure) {
  if (!failure) return run.files;
  const { file, project, name } = failure;
  const pattern = name?.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const only = pattern === undefined ? [] : ["-t", `'^${pattern.replaceAll("'", "'\\''")}$'`];
  return ["--project", project, file, ...only];
}

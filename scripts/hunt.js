/**
 * @file The hunt (test/hunt) by many seeds, on any machine with Node, the built package, what it
 * depends on and python3: vitest is not needed. A line of JSON is written for each program; seeds that
 * the file has already are left out, so that a second call goes on.
 *
 * Usage: node scripts/hunt.js --seeds 1000-1299 [--language python] [--jobs 4] --out FILE
 *        node scripts/hunt.js --table FILE...      rows of docs/results/hunt.md from such files
 *   --language   python or typescript; without it, both
 *   --edit PART  draws only edits whose kind has this in it, also those that fall short as yet
 *   --quick      asks all edits of a program at once, as npm test does
 *   --commit ID  what the lines say was hunted, where no git tells
 *   --minutes N  begins no program after so long
 *   --first      begins no program after the first wrong answer
 */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { huntRow, withRows } from "./hunt-table.js";

const ROOT = join(import.meta.dirname, "..");
const WORKER = join(ROOT, "test/hunt/worker.ts");
const HOOK = new URL("../test/hunt/built.js", import.meta.url).href;
const REGISTER = `data:text/javascript,import{register}from"node:module";register("${HOOK}")`;
const RESULTS = join(ROOT, "docs/results/hunt.md");
/** What is known of a program that could not be hunted to its end. */
const UNHUNTED = { marks: {}, edits: 0, refusals: [], weak: {}, executed: [], whole: {} };

const { values: options, positionals } = parseArgs({
  options: {
    seeds: { type: "string" },
    language: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    out: { type: "string" },
    edit: { type: "string" },
    quick: { type: "boolean", default: false },
    commit: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
    first: { type: "boolean", default: false },
    table: { type: "boolean" },
  },
  allowPositionals: true,
});

if (options.table) table(positionals);
else await hunt();

function table(files) {
  const rows = files.map((file) => huntRow(linesOf(file))).flat();
  writeFileSync(RESULTS, withRows(readFileSync(RESULTS, "utf8"), rows));
}

function linesOf(file) {
  if (!existsSync(file)) return [];
  // What a kill left of the last line is hunted again.
  const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line));
}

async function hunt() {
  const [from, to = from] = (options.seeds ?? "").split("-").map(Number);
  if (!Number.isInteger(from) || !Number.isInteger(to) || !options.out)
    throw new Error("say --seeds FROM-TO and --out FILE");
  const languages = options.language ? [options.language] : ["python", "typescript"];
  const how = { edits: options.edit, isQuick: options.quick };
  const done = new Set(linesOf(options.out).map(({ language, seed }) => `${language} ${seed}`));
  const left = Array.from({ length: to - from + 1 }, (_, at) => from + at)
    .flatMap((seed) => languages.map((language) => ({ seed, language, ...how })))
    .filter(({ seed, language }) => !done.has(`${language} ${seed}`));
  const commit = options.commit ?? head();
  const endsAt = performance.now() + Number(options.minutes) * 60_000;
  let isFound = false;
  const next = () => (performance.now() < endsAt && !isFound ? left.shift() : undefined);
  const keep = (verdict) => {
    isFound ||= options.first && verdict.findings.some(({ fault }) => fault !== "failed");
    appendFileSync(options.out, `${JSON.stringify({ ...UNHUNTED, ...verdict, commit })}\n`);
    for (const { fault, what } of verdict.findings)
      console.log(`${verdict.language} ${verdict.seed}: ${fault}: ${what.slice(0, 300)}`);
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, () => work(next, keep)));
  for (const row of huntRow(linesOf(options.out))) console.log(row);
}

/** A process that hunts one program after the other; one that dies is a finding. */
async function work(next, keep) {
  let child;
  for (let order = next(); order; order = next()) {
    child ??= fork(WORKER, { execArgv: ["--import", REGISTER], env: environment() });
    child.send(order);
    const over = new AbortController();
    const { signal } = over;
    const answered = once(child, "message", { signal }).then(([verdict]) => verdict);
    const died = once(child, "exit", { signal }).then(([code, by]) => {
      child = undefined;
      const findings = [{ fault: "died", what: String(by ?? code) }];
      return { ...order, findings };
    });
    keep(await Promise.race([answered, died]));
    over.abort();
    await Promise.allSettled([answered, died]);
  }
  child?.disconnect();
}

/** To the programs under test the seed would be theirs. */
function environment() {
  const { AFTERLOG_SEED: _, FORCE_COLOR: __, ...rest } = process.env;
  return { ...rest, NO_COLOR: "1" };
}

function head() {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: ROOT,
      encoding: "utf8",
    }).trim();
  } catch {
    return "unknown";
  }
}

/**
 * @file `npm run test:unit` and `npm test`: the tests of both languages, counted together. The last
 * line is "N passed, N failed"; above it stand what is not possible on this machine, the
 * processor time of all processes, and the test files that took most of it.
 *
 * Usage: tests.js unit|all [--watch] [part of a path]...
 *   Paths choose test files, as they do for vitest; `python` chooses the tests of the Python package.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./check.js";
import { execute, NO_COMMAND, processorSeconds, ROOT, step } from "./processes.js";

const PROJECTS = { unit: ["unit"], all: ["unit", "integration", "ui"] };
/** Lines of the table of costly files. */
const COSTLY_MAX = 10;

const [tier, ...argv] = process.argv.slice(2);
const projects = PROJECTS[tier].flatMap((name) => ["--project", name]);

if (argv.includes("--watch")) {
  const { code } = await execute(["vitest", ...projects, ...argv]);
  process.exit(code);
}
if (tier === "all") await prepare();
process.exitCode = await test();

/** What the integration tests need, and what must hold before any test is worth its time. */
async function prepare() {
  // git: versions are tested with the real one. python3: an independent reader of our files.
  // mount: a disk that is full. strace: the order in which files are made durable.
  // bwrap: code that was pulled is executed apart.
  // torch is Debian's, for /usr/bin/python3, whichever python3 comes first on the PATH; without this
  // openblas it computes by one thread. venv: pip installs the package as users do it.
  // black and mypy check the Python package. chromium: what the page does is seen in a browser.
  const packages = [
    "git=git",
    "/usr/bin/python3=python3",
    "mount=mount",
    "strace=strace",
    "bwrap=bubblewrap",
    "black=black",
    "mypy=mypy",
    "chromium=chromium",
  ];
  const libraries = ["python3-torch", "libopenblas0-pthread", "python3-venv"];
  // Elsewhere than on Debian, what is missing makes tests impossible, and is counted.
  if (existsSync("/usr/bin/apt-get"))
    await step("bash", "scripts/system-packages.sh", ...packages, ...libraries);
  await step("npm", "run", "--silent", "build");
  if (!(await check())) process.exit(1);
}

/** Runs the tests that are asked for, and prints what came of them. */
async function test() {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-tests-"));
  try {
    const results = await Promise.all([vitest(folder), python(folder)]);
    const summaries = results.flatMap(({ summary }) => (summary ? [summary] : []));
    for (const { said } of results) if (said !== "") console.log(said);
    print(summaries);
    return results.every(({ code }) => code === 0) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function vitest(folder) {
  const paths = argv.filter((word) => !word.startsWith("-"));
  if (paths.length > 0 && paths.every(isPython)) return { code: 0, said: "" };
  const file = join(folder, "vitest.json");
  const command = ["vitest", "run", ...projects, ...argv];
  const { code } = await execute(command, { env: { AFTERLOG_TEST_SUMMARY: file } });
  return { code, said: "", summary: read(file, code) };
}

/** One interpreter: Debian's, if it is here, for that is the one which has torch. */
async function python(folder) {
  const paths = argv.filter((word) => !word.startsWith("-"));
  if (argv.length > 0 && !paths.some(isPython)) return { code: 0, said: "" };
  const interpreter = ["/usr/bin/python3", "python3"].find(existsSync) ?? "python3";
  const file = join(folder, "python.json");
  const command = [interpreter, "-m", "tests", "--summary", file];
  const { code, output } = await execute(command, { quiet: true, cwd: join(ROOT, "python") });
  if (code === NO_COMMAND) return { code: 0, said: "", summary: WITHOUT_PYTHON };
  return { code, said: code === 0 ? "" : output, summary: read(file, code) };
}

const WITHOUT_PYTHON = {
  passed: 0,
  failed: 0,
  skipped: 0,
  notPossible: { "no python3": 1 },
  files: [],
};

function isPython(word) {
  return word.split("/")[0] === "python";
}

/** What a runner left; one that ended before it could leave anything has failed. */
function read(file, code) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0, notPossible: {}, files: [] };
}

function print(summaries) {
  const sum = (name) => summaries.reduce((total, one) => total + one[name], 0);
  const files = summaries.flatMap(({ files }) => files);
  const costly = files.toSorted((a, b) => b.processorSeconds - a.processorSeconds);
  const seconds = processorSeconds();
  if (seconds !== undefined) {
    console.log("\nprocessor seconds, with those of the processes that were started:");
    for (const one of costly.slice(0, COSTLY_MAX))
      console.log(`${one.processorSeconds.toFixed(1).padStart(8)}  ${one.file}`);
    console.log(`${(seconds / 60).toFixed(1)} CPU-minutes of all processes together`);
  }
  const reasons = new Map();
  for (const [reason, count] of summaries.flatMap((one) => Object.entries(one.notPossible)))
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  const impossible = [...reasons.values()].reduce((total, count) => total + count, 0);
  const each = [...reasons].map(([reason, count]) => `${reason} ×${count}`);
  if (impossible > 0) console.log(`not possible here: ${impossible} (${each.join(", ")})`);
  const skipped = sum("skipped");
  const tail = skipped === 0 ? "" : `, ${skipped} skipped`;
  console.log(`${sum("passed")} passed, ${sum("failed")} failed${tail}`);
}

/**
 * @file `npm run check`: what holds of the texts alone. All at once; of those that pass a line is
 * printed, of those that fail all that they say.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { execute, NO_COMMAND, ROOT } from "./processes.js";

/** Benchmarks, and some tests, use the built package: its types come first. */
const BUILD = ["types of the package", "tsc", "-b"];
const CHECKS = [
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types of tests", "tsc", "-p", "tsconfig.test.json"],
  ["unused code", "knip"],
  ["types of the page", "npm", "run", "--silent", "check", "--workspace", "ui"],
  ["types of benchmarks", "tsc", "-p", "bench/tsconfig.json"],
  ["types of test programs", "tsc", "-p", "test/handsfree/programs"],
  ["format", "oxfmt", "--check", "."],
  ["claims of docs/papers.md", "node", "scripts/papers.js"],
];
const PYTHON = join(ROOT, "python");
/** `npm test` installs these; elsewhere they are used where they are installed. */
const PYTHON_CHECKS = [
  ["format of Python", "black", "--check", "."],
  ["types of Python", "mypy"],
];

async function passes([name, ...command], cwd = ROOT) {
  const { code, output, seconds } = await execute(command, { quiet: true, cwd });
  if (cwd === PYTHON && code === NO_COMMAND) {
    console.log(`ok      --- s  ${name}: no ${command[0]} here`);
    return true;
  }
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(5)} s  ${name}`);
  if (code !== 0) console.log(`$ ${command.join(" ")}\n${output}`);
  return code === 0;
}

/** Whether all checks pass; their results are printed. */
export async function check() {
  if (!(await passes(BUILD))) return false;
  const results = await Promise.all([
    ...CHECKS.map((one) => passes(one)),
    ...PYTHON_CHECKS.map((one) => passes(one, PYTHON)),
  ]);
  return results.every(Boolean);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = (await check()) ? 0 : 1;
}

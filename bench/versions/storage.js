// @ts-check
/**
 * @file What the versions of 100 runs of a small project take in git: a dozen files, of which one is
 * edited and not committed before each run, as people work.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordVersion } from "../../build/store/index.js";
import { makeResult, spreadOf } from "../measure.js";
import { JAVASCRIPT } from "./history.js";

/** @import { Bench } from "../measure.js" */

const FILES = 12;
const LINES = 300;
const BYTES_MAX = 5e6;

/** @type {Bench} */
export async function benchStorage({ quick, folder, progress }) {
  const runs = quick ? 10 : 100;
  const root = join(folder, "storage");
  const store = join(root, ".afterlog");
  mkdirSync(root);
  execFileSync("git", ["init", "-q"], { cwd: root });
  for (let file = 0; file < FILES; file++) write(root, file, file);
  const git = (/** @type {readonly string[]} */ ...args) =>
    execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.org", ...args], {
      cwd: root,
    });
  git("add", "-A");
  git("commit", "-qm", "first");
  const before = bytesOf(join(root, ".git"));
  /** @type {number[]} */
  const each = [];
  for (let run = 0; run < runs; run++) {
    progress(`version ${run + 1} of ${runs}`);
    write(root, 0, run + FILES);
    const started = new Date(Date.UTC(2026, 0, 1, 0, run));
    const last = bytesOf(join(root, ".git"));
    recordVersion({
      root,
      store,
      run: `train-20260101-${String(run).padStart(6, "0")}-aaaa`,
      started,
    });
    each.push(bytesOf(join(root, ".git")) - last);
  }
  const bytes = bytesOf(join(root, ".git")) - before;
  return [
    makeResult({
      name: `git storage of ${runs} runs of a project of ${FILES} files`,
      values: [bytes / 1e6],
      ratios: each.map((one) => one / 1e6),
      unit: "MB",
      goal: { text: `<= ${BYTES_MAX / 1e6} MB`, pass: bytes <= BYTES_MAX },
      detail: { "kB a run, quartiles": spreadOf(each.map((one) => one / 1e3)) },
    }),
  ];
}

/**
 * @param {string} root
 * @param {number} file
 * @param {number} version
 */
function write(root, file, version) {
  const name = file === 0 ? "train.js" : `part${file}.js`;
  writeFileSync(join(root, name), JAVASCRIPT.scriptAt({ lines: LINES, version }));
}

/**
 * What the files of a folder take, in whole blocks of the disk.
 * @param {string} folder
 * @returns {number}
 */
function bytesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
}

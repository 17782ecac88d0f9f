/** @file The built command line as a process: exit codes, streams, a reader that leaves early. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeRun, trainingRun } from "../support/make-runs.ts";
import type { CatalogProject } from "../support/catalog.ts";
import { makeProject } from "../support/catalog.ts";

const MAIN = new URL("../../dist/cli/main.js", import.meta.url).pathname;

let project: CatalogProject;
beforeAll(() => {
  project = makeProject();
  makeRun(project.store, trainingRun("train-0001", { epochs: 40, steps: 500, lr: 0.1 }));
});
afterAll(() => project[Symbol.dispose]());

function shell(command: string): { code: number | null; out: string; err: string } {
  const env = { ...process.env, NO_COLOR: "1", ROOT: project.root };
  const line = `afterlog() { "${process.execPath}" "${MAIN}" "$@"; }; set -o pipefail; ${command}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], { env, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

test.each<[string, number, RegExp, RegExp]>([
  ['afterlog -C "$ROOT" ls -c lr', 0, /^run\tlr\ntrain-0001\t0.1\n$/, /^$/],
  ['cd "$ROOT" && afterlog ls --json -L 1', 0, /^\[\n\{"run":"train-0001"/, /^$/],
  ['AFTERLOG_DIR="$ROOT/.afterlog" afterlog query "select 1 as x"', 0, /^x\n1\n$/, /^$/],
  ['afterlog -C "$ROOT" frame loss | head -2', 0, /^run\t.*\ntrain-0001\t.*\n$/, /^$/],
  ['afterlog -C "$ROOT" frame nope', 1, /^$/, /^error\[AL021\]/],
  ['afterlog -C "$ROOT" export runs --out /proc/x.csv', 1, /^$/, /^error\[AL042\]/],
  ['afterlog -C "$ROOT" ls -L x', 2, /^$/, /^error\[AL001\]/],
  ['afterlog -C "$ROOT" frame', 2, /^$/, /^error\[AL001\]/],
])("%s", (command, code, out, err) => {
  expect(shell(command)).toEqual({
    code,
    out: expect.stringMatching(out) as unknown,
    err: expect.stringMatching(err) as unknown,
  });
});

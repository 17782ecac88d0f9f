// @ts-check
/**
 * @file `log` of a number in two loops, a million times in one run: processor time of the training
 * thread, against that of `JSON.stringify` of the same record. Time by the clock also has what the
 * machine did for others; it is shown beside.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interleave, makeResult, median } from "../measure.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const MICROSECONDS_MAX = 3;

/**
 * What the program prints; all in microseconds a record.
 * @typedef {{ wall: number, thread: number, process: number, stringify: number, step: number }} Printed
 */

/** @type {import("../measure.js").Bench} */
export async function benchLog({ quick, folder, progress }) {
  const program = join(folder, "log-million.js");
  cpSync(fileURLToPath(new URL("programs/log-million.js", import.meta.url)), program);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  const records = quick ? 100_000 : 1_000_000;
  const run = () => {
    const out = execFileSync(process.execPath, [CLI, "run", program, `records=${records}`], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    /** @type {Printed} */
    const printed = JSON.parse(out);
    const runs = join(folder, ".afterlog/runs");
    const [id = ""] = readdirSync(runs);
    const log = readFileSync(join(runs, id, "log.jsonl"));
    rmSync(join(runs, id), { recursive: true });
    return { ...printed, bytes: log.byteLength / (log.toString("latin1").split("\n").length - 1) };
  };
  const { all } = await interleave(quick ? 3 : 7, { all: run }, (n) => progress(`round ${n + 1}`));
  const walls = all.map(({ wall }) => wall);
  const threads = all.map(({ thread }) => thread);
  return [
    makeResult({
      name: `log of a number, ${records} records / JSON.stringify`,
      values: threads,
      ratios: all.map(({ thread, stringify }) => thread / stringify),
      unit: "µs",
      goal: { text: `<= ${MICROSECONDS_MAX} µs`, pass: median(threads) <= MICROSECONDS_MAX },
      detail: {
        "µs, min and max": [Math.min(...threads), Math.max(...threads)],
        "µs by the clock, min and median": [Math.min(...walls), median(walls)],
        "µs of the process's processor time": median(all.map(({ process: own }) => own)),
        "µs of an iteration with one log": median(all.map(({ step }) => step)),
        "JSON.stringify µs": median(all.map(({ stringify }) => stringify)),
        "bytes a record": median(all.map(({ bytes }) => bytes)),
      },
    }),
  ];
}

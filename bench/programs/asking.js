// @ts-check
/**
 * @file A program recorded, asked at each depth, and compared with the truth: the program with the statements in
 * it from the start, which Afterlog has never seen.
 */
import { join } from "node:path";
import { interleave, median } from "../measure.js";
import {
  afterlog,
  manifestsOf,
  recordProgram,
  runPlain,
  succeed,
  timed,
  writeFiles,
} from "./executing.js";
import { filesAsking } from "./program.js";

/** @import { Execution } from "./executing.js" */
/** @import { Depth, Program, Question } from "./program.js" */

/**
 * @typedef {object} Answered
 * @property {Depth} depth
 * @property {string} name
 * @property {number} values
 * @property {string} [wrong] the first value that is not the truth's, or why there is none
 * @property {number} share of the recorded iterations, by their time
 * @property {number} overPlain
 * @property {readonly string[]} marks
 * @property {readonly string[]} notes why more is executed than was asked
 */

/**
 * @typedef {object} Measured
 * @property {number} plainS
 * @property {number[]} ratios recorded over plain
 * @property {number} ledger what the run says that it is
 * @property {readonly string[]} off what was given up
 * @property {string} [wrong] recorded, it printed something else
 * @property {readonly Answered[]} answers
 */

/**
 * @param {Execution & { readonly rounds: number, readonly progress?: (text: string) => void }} options
 * @returns {Promise<Measured>}
 */
export async function measureProgram({ rounds, progress = () => undefined, ...execution }) {
  const { program } = execution;
  const all = program.questions.map(({ name }) => name);
  progress("truth");
  const truth = succeed(runPlain(execution, "truth", filesAsking(program, all, true)));
  const untouched = filesAsking(program, []);
  const taken = await interleave(
    rounds,
    {
      plain: async (round) => succeed(runPlain(execution, `plain-${round}`, untouched)),
      recorded: async (round) => recordProgram(execution, `recorded-${round}`, untouched),
    },
    (round) => progress(`round ${round + 1}`),
  );
  const plainS = median(taken.plain.map(({ cpuS }) => cpuS));
  const last = taken.recorded.at(-1);
  if (!last) throw new Error("nothing was recorded");
  const [manifest] = manifestsOf(last.cwd);
  const same = taken.recorded.every(({ stdout }) => stdout === taken.plain[0]?.stdout);
  const answers = program.questions.map((question) => {
    progress(`${question.depth} ${question.name}`);
    return ask({ program, cwd: last.cwd, plainS, question, truth: truth.stdout });
  });
  return {
    plainS,
    ratios: taken.recorded.map(({ cpuS }, at) => cpuS / (taken.plain[at]?.cpuS ?? NaN)),
    ledger: 1 + (manifest?.overhead?.share ?? NaN),
    off: manifest?.off.map(({ feature }) => feature) ?? [],
    ...(same ? {} : { wrong: "recorded, it printed something else" }),
    answers,
  };
}

/**
 * What Afterlog takes with a program that does nothing.
 * @param {Pick<Execution, "program" | "interpreter" | "folder">} options
 * @returns {{ recordS: number, replayS: number }} more than plain; in all
 */
export function measureStart({ program: { language }, interpreter, folder }) {
  const [entry, files] =
    language === "python"
      ? ["main.py", { "main.py": "pass\n" }]
      : ["main.mjs", { "main.mjs": "0;\n" }];
  const cwd = writeFiles(join(folder, "start", "empty"), files);
  const plain = timed(cwd, [interpreter, entry]).cpuS;
  const python = language === "python" ? ["--python", interpreter] : [];
  const recorded = afterlog(cwd, "run", ...python, entry).cpuS;
  const value = language === "python" ? 'print("one", 1)\n' : 'console.log("one", 1);\n';
  writeFiles(cwd, { [entry]: value });
  return { recordS: recorded - plain, replayS: afterlog(cwd, "replay", "one", "--yes").cpuS };
}

/**
 * @param {object} options
 * @param {Program} options.program
 * @param {string} options.cwd of the recorded run
 * @param {number} options.plainS
 * @param {Question} options.question
 * @param {string} options.truth
 * @returns {Answered}
 */
function ask({ program, cwd, plainS, question: { depth, name, where }, truth }) {
  writeFiles(cwd, filesAsking(program, [name]));
  const before = new Set(manifestsOf(cwd).map(({ run }) => run));
  const condition = where === undefined ? [] : ["--where", where];
  const words = ["replay", name, ...condition, "--yes", "--json", "-j", "1"];
  const { code, stdout, stderr, cpuS } = afterlog(cwd, ...words);
  const events = jsonLines(stdout);
  const values = valuesOf(cwd, name);
  const results = manifestsOf(cwd).filter(({ run }) => !before.has(run));
  const shares = results.map(({ directive }) => {
    return /** @type {{ share?: number }} */ (directive ?? {}).share ?? NaN;
  });
  const planned = events.find(({ kind }) => kind === "plan")?.plan?.runs ?? [];
  const expected = truth.split("\n").flatMap((line) => {
    return line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : [];
  });
  const refused = values.length === 0 ? `no value (exit ${code}): ${lastLine(stderr, stdout)}` : "";
  const wrong = refused || firstDifference(values, expected);
  return {
    depth,
    name,
    values: values.length,
    ...(wrong === undefined ? {} : { wrong }),
    share: shares.reduce((sum, share) => sum + share, 0),
    overPlain: cpuS / plainS,
    marks: [...new Set(values.map(({ check }) => check))],
    notes: planned.flatMap(({ notes }) => notes),
  };
}

/** @typedef {{ kind?: string, plan?: { runs: { notes: string[] }[] }, message?: string }} Event */
/** @typedef {{ type: string, number: number | null, text: string | null, value: unknown, check: string }} Value */

/**
 * @param {string} text
 * @returns {Event[]}
 */
function jsonLines(text) {
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

/**
 * What replays have found of a name, in the order in which it was executed.
 * @param {string} cwd
 * @param {string} name
 * @returns {Value[]}
 */
function valuesOf(cwd, name) {
  const sql = `SELECT "type", number, text, value, "check" FROM logs
    WHERE origin = 'hindsight' AND name = '${name}'
    ORDER BY min(list_zip(entries, indices)) OVER (PARTITION BY source), source, seq`;
  return JSON.parse(afterlog(cwd, "query", "--json", "--limit", "0", sql).stdout || "[]");
}

/**
 * @param {readonly Value[]} values
 * @param {readonly string[]} expected as the program prints them
 */
function firstDifference(values, expected) {
  if (values.length !== expected.length) return `${values.length} values of ${expected.length}`;
  const at = expected.findIndex((text, index) => !isValue(values[index], text));
  return at < 0 ? undefined : `${JSON.stringify(values[at])} is ${expected[at]}`;
}

/**
 * @param {Value | undefined} value
 * @param {string} printed
 */
function isValue(value, printed) {
  if (value?.type === "number") {
    const named = { nan: NaN, inf: Infinity, "-inf": -Infinity }[printed];
    return Object.is(Number(value.number), named ?? Number(printed));
  }
  return (value?.text ?? JSON.stringify(value?.value)) === printed;
}

/** @param {string[]} texts */
function lastLine(...texts) {
  return texts.flatMap((text) => text.split("\n").filter(Boolean).slice(-2)).join(" / ");
}

// @ts-check
/**
 * @file A program recorded, asked at each depth, and compared with the truth: the program with the statements in
 * it from the start, which Afterlog has never seen.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { interleave, median } from "../measure.js";
import { afterlog, ownInterpreter, timed, writeFiles } from "./executing.js";
import { startNode } from "../../dist/languages/typescript/starting/start-node.js";
import { filesAsking } from "./program.js";

/** @import { Manifest } from "../../dist/format/index.js" */
/** @import { Executed } from "./executing.js" */
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
 * @typedef {object} Execution
 * @property {Program} program
 * @property {string} interpreter
 * @property {readonly string[]} argv
 * @property {string} folder empty
 */

/**
 * @param {Execution & { readonly rounds: number, readonly progress?: (text: string) => void }} options
 * @returns {Promise<Measured>}
 */
export async function measureProgram({ rounds, progress = () => undefined, ...execution }) {
  const { program, interpreter, folder } = execution;
  const all = program.questions.map(({ name }) => name);
  progress("truth");
  const truth = succeed(runPlain(execution, "truth", filesAsking(program, all, true)));
  const untouched = filesAsking(program, []);
  const taken = await interleave(
    rounds,
    {
      plain: async (round) => succeed(runPlain(execution, `plain-${round}`, untouched)),
      recorded: async (round) => {
        const cwd = writeFiles(join(folder, `recorded-${round}`, program.name), untouched);
        const python = ["--python", ownInterpreter(cwd, interpreter)];
        const option = program.language === "python" ? python : [];
        const words = ["run", ...option, program.entry, ...execution.argv];
        return { cwd, ...succeed(afterlog(cwd, ...words)) };
      },
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
 * @param {Execution} execution
 * @param {string} name
 * @param {{ readonly [file: string]: string }} files
 */
function runPlain({ program, interpreter, folder, argv }, name, files) {
  const cwd = writeFiles(join(folder, name, program.name), files);
  const [command, ...words] = /\.[cm]?ts$/.test(program.entry)
    ? typeScript(program.entry)
    : [ownInterpreter(cwd, interpreter), program.entry];
  return timed(cwd, [command, ...words, ...argv]);
}

/**
 * Node as it loads TypeScript for a run, of which there is none here.
 * @param {string} entry
 * @returns {[string, ...string[]]}
 */
function typeScript(entry) {
  const { command, args } = startNode(entry, { env: {} });
  return [command, ...args];
}

/**
 * @template {Executed} E
 * @param {E} executed
 */
function succeed(executed) {
  if (executed.code !== 0) throw new Error(executed.stderr.slice(-2000) || executed.stdout);
  return executed;
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

/**
 * @param {string} cwd
 * @returns {Manifest[]} the recorded run first
 */
function manifestsOf(cwd) {
  const runs = join(cwd, ".afterlog/runs");
  /** @type {Manifest[]} */
  const all = readdirSync(runs).map((run) =>
    JSON.parse(readFileSync(join(runs, run, "run.json"), "utf8")),
  );
  return all.toSorted((a, b) => a.order - b.order);
}

/** @param {string[]} texts */
function lastLine(...texts) {
  return texts.flatMap((text) => text.split("\n").filter(Boolean).slice(-2)).join(" / ");
}

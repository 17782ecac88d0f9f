// @ts-check
/**
 * @file Lines of tables in `docs/results/`, between two comments: each is put in, or renewed, by its first cell. And the
 * gallery's own.
 */
import { median } from "../measure.js";
import { programFile } from "./program.js";

/** @import { Answered, Measured } from "./asking.js" */
/** @import { Depth, Program } from "./program.js" */

export const GALLERY_HEAD = [
  "program",
  "right",
  "plain",
  "recorded / plain",
  "less the start",
  "ledger",
  "suffix",
  "outer",
  "one step",
  "marks",
];
/** Goal for a replay: this many times plain, and the start. */
const REPLAY_MAX = 1.3;
export const SAVING_HEAD = [
  "program",
  "plain",
  "saved by hand each epoch",
  "recorded",
  "recorded without a budget",
];
const BEGIN = "<!-- measured -->";
const END = "<!-- end of measured -->";

/**
 * @param {Program} program
 * @param {Measured} measured
 * @param {{ recordS: number, replayS: number }} start
 * @returns {string[]}
 */
export function rowOf(program, { plainS, ratios, ledger, wrong, answers }, start) {
  const wrongs = answers.filter((answer) => answer.wrong !== undefined);
  const values = answers.reduce((sum, answer) => sum + answer.values, 0);
  const right = wrongs.length === 0 && wrong === undefined;
  /** @param {Depth} depth */
  const cell = (depth) => {
    const ofDepth = answers.filter((answer) => answer.depth === depth);
    return ofDepth.map((answer) => answerCell(answer, plainS, start.replayS)).join("; ") || "–";
  };
  const whole = median(ratios);
  return [
    `\`${programFile(program)}\` ${program.about}`,
    right
      ? `${values} of ${values}`
      : `**no**: ${wrong ?? wrongs.map(({ depth }) => depth).join(", ")}`,
    `${plainS.toFixed(1)} s`,
    `${whole.toFixed(2)} (${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)})`,
    (whole - start.recordS / plainS).toFixed(2),
    ledger.toFixed(2),
    cell("suffix"),
    cell("outer"),
    cell("step"),
    [...new Set(answers.flatMap(({ marks }) => marks))].join(", "),
  ];
}

/**
 * Executed share and processor time over plain; in bold if that is more than the goal.
 * @param {Answered} answer
 * @param {number} plainS
 * @param {number} startS
 */
function answerCell({ share, overPlain, values }, plainS, startS) {
  if (values === 0) return "no answer";
  const ratio = overPlain.toFixed(2);
  const tooMuch = overPlain > REPLAY_MAX + startS / plainS;
  return `${(share * 100).toFixed(1)} %, ${tooMuch ? `**${ratio}**` : ratio} ×`;
}

/**
 * The text with these rows put in.
 * @param {string} text
 * @param {readonly string[]} names of the columns
 * @param {readonly (readonly string[])[]} rows
 */
export function withRows(text, names, rows) {
  const [before = "", rest = ""] = text.split(BEGIN);
  const [table = "", after = ""] = rest.split(END);
  const known = table.split("\n").flatMap((line) => (line.startsWith("| `") ? [line] : []));
  const byName = new Map(known.map((line) => [nameOf(line), line]));
  for (const row of rows) {
    const line = `| ${names.map((_, at) => row[at] ?? "").join(" | ")} |`;
    byName.set(nameOf(line), line);
  }
  const lines = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const head = [`| ${names.join(" | ")} |`, `|${" --- |".repeat(names.length)}`];
  return `${before}${BEGIN}\n\n${[...head, ...lines].join("\n")}\n\n${END}${after}`;
}

/** @param {string} line */
function nameOf(line) {
  return /`([^`]+)`/.exec(line)?.[1] ?? "";
}

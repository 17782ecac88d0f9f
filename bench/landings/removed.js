// @ts-check
/**
 * @file The older text with a statement taken out, and whether a landing put it back into the very gap. A
 * gap lies between statements: blanks, comments and semicolons beside it do not count.
 */
import { parseSync } from "oxc-parser";

/** @import { Landings } from "../../src/format/index.ts" */
/** @import { Place } from "./list.js" */

/**
 * The older text without the statement.
 * @param {string} text
 * @param {Pick<Place, "olderLine" | "olderEnd">} place
 */
export function withoutStatement(text, { olderLine, olderEnd }) {
  const lines = text.split("\n");
  return lines
    .toSpliced(Number(olderLine) - 1, Number(olderEnd) - Number(olderLine) + 1)
    .join("\n");
}

/**
 * Where a statement landed, against where it was: everything behind it must be the same. What it brings
 * along, imports for instance, stands before it.
 * @param {{ readonly place: Place, readonly older: string, readonly answer: Landings }} landed
 * @returns {"right" | "wrong" | "none"}
 */
export function gapOf({ place, older, answer }) {
  const [landing] = answer.landings;
  if (!landing || landing.line === null || landing.text === null) return "none";
  if (landing.verdict === "present") return "wrong";
  const text = answer.overlays.find(({ file }) => file === landing.file)?.text;
  if (landing.file !== place.file || text === undefined) return "wrong";
  const behind = {
    landed: landing.line + landing.text.split("\n").length,
    old: Number(place.olderEnd) + 1,
  };
  const isSame =
    codeFrom(place.file, text, behind.landed) === codeFrom(place.file, older, behind.old) &&
    (!isPython(place.file) ||
      indentAt(text, landing.line) === indentAt(older, Number(place.olderLine)));
  return isSame ? "right" : "wrong";
}

/** @param {string} file */
export function isPython(file) {
  return file.endsWith(".py");
}

/**
 * In Python the block that a line belongs to; elsewhere the braces behind it say that.
 * @param {string} text
 * @param {number} line
 */
function indentAt(text, line) {
  return /^\s*/.exec(text.split("\n")[line - 1] ?? "")?.[0];
}

/**
 * The code from a line on, without comments, blanks and semicolons.
 * @param {string} file
 * @param {string} text
 * @param {number} line
 */
function codeFrom(file, text, line) {
  const bare = withoutComments(file, text);
  return bare
    .split("\n")
    .slice(line - 1)
    .join("\n")
    .replaceAll(/[\s;]+/g, "");
}

/**
 * The text with blanks for its comments, lines as they were.
 * @param {string} file
 * @param {string} text
 */
export function withoutComments(file, text) {
  if (isPython(file))
    return text.replaceAll(PYTHON_TOKEN, (token) => (token.startsWith("#") ? "" : token));
  let bare = "";
  let from = 0;
  for (const { start, end } of parseSync(file, text).comments) {
    bare += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ");
    from = end;
  }
  return bare + text.slice(from);
}

/** A string, so that a sign in it is none, or a comment. */
const PYTHON_TOKEN =
  /"""(?:\\[^]|(?!""")[^])*"""|'''(?:\\[^]|(?!''')[^])*'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|#[^\n]*/g;

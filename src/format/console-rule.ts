/**
 * @file What a line on the console logs: `console.log("loss", x)`, `` `epoch ${e} loss ${x}` ``,
 * `{ loss, acc }`, JSON lines. One rule for the run, which has values, and for the source, which has
 * only the shape of the call: there a hole stands for what is put in. `docs/console.md` says it in
 * words.
 *
 * A line that fits nothing logs nothing. What sounds as if a clock had measured it is left out of a
 * run: it would differ each time, and make every replay look as if it had computed something else.
 * A replay reads it, for somebody may ask for it.
 */

import {
  HOLE,
  isMeasured,
  numberIn,
  PhraseReader,
  plainText,
  saysClock,
  saysMoreThanNumber,
} from "./console-text.ts";
import { calledLoop } from "./path.ts";

/** An argument of a console method, as far as the rule looks into it. */
export type ConsolePiece =
  | { readonly kind: "text"; readonly text: string }
  /** What `log` takes as it is: a number, a list of numbers, a tensor. */
  | { readonly kind: "value"; readonly value: unknown }
  /** The own scalars of a plain object. */
  | {
      readonly kind: "record";
      readonly entries: readonly ConsoleEntry[];
      /** It has entries that only a run can tell. */
      readonly isOpen?: boolean;
    }
  | { readonly kind: "other" };

export type ConsoleEntry = readonly [name: string, value: unknown];

/** The rows of a table as pieces: the numbers of each row by column. */
type RecordPiece = Extract<ConsolePiece, { kind: "record" }>;

/** How lines are read. */
export interface ReadingOptions {
  /** The user's own rule. */
  readonly rule?: RegExp | undefined;
  /** Whether it may be asked for: what sounds like a clock is read too, and any text behind a label. */
  readonly withClocks?: boolean;
}

/**
 * What a call with these arguments logs, in order. `texts`: how the arguments are written, of a call
 * that shows no name.
 */
export function consoleValues(
  pieces: readonly ConsolePiece[],
  options: ReadingOptions = {},
  texts?: readonly string[],
): ConsoleEntry[] {
  const held = pieces.map(withoutHoles);
  const found = consoleEntries(held, options);
  return found.length > 0 || !texts ? found : unnamedEntries(held, options, texts);
}

/** The same for `console.table`: numbers only. */
export function tableValues(
  rows: readonly RecordPiece[],
  { withClocks = false }: ReadingOptions = {},
): ConsoleEntry[] {
  const isRead = ([name]: ConsoleEntry): boolean => withClocks || !isMeasured(name);
  const entries = rows.flatMap((row) => row.entries.filter(isRead));
  return entries.filter(([, value]) => typeof value === "number" || value === HOLE);
}

/** Names that a call may log, by its shape: those that are written out, and patterns of others. */
export interface ConsoleNames {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** An argument is put in as it is: an object logs names that it has when the call runs. */
  readonly isOpen?: true;
}

/** Of a call that shows no name: it logs those that it has when it runs. */
export const ANY_NAME = "^\\S*$";

/** What a call of this shape may log, if each hole is filled with a number. */
export function consoleNames(
  pieces: readonly ConsolePiece[],
  {
    isTable = false,
    rule,
  }: { readonly isTable?: boolean; readonly rule?: RegExp | undefined } = {},
): ConsoleNames {
  const rows = pieces.filter((piece) => piece.kind === "record");
  const options = { rule, withClocks: true };
  const values = isTable ? tableValues(rows, options) : consoleEntries(pieces, options);
  const all = [...new Set(values.map(([name]) => name))];
  if (all.length === 0 && isUnnamed(pieces)) return { names: [], patterns: [ANY_NAME] };
  const patterns = all.filter((name) => name.includes(HOLE)).map(patternOf);
  const names = all.filter((name) => !name.includes(HOLE));
  return { names, patterns, ...(!isTable && pieces.some(isOpen) ? { isOpen: true } : {}) };
}

/** Whether a piece of a call's shape may be an object when the call runs. */
function isOpen(piece: ConsolePiece): boolean {
  if (piece.kind === "record") return piece.isOpen === true;
  return piece.kind === "text" && piece.text === HOLE;
}

/** Whether `console.log(name, value)` logs the value under that very name. */
export function isPrintedName(name: string): boolean {
  const { names } = consoleNames([
    { kind: "text", text: name },
    { kind: "text", text: HOLE },
  ]);
  return names.length === 1 && names[0] === name;
}

/** Whether a call shows values, and nothing that they are called by. */
function isUnnamed(pieces: readonly ConsolePiece[]): boolean {
  return pieces.some((piece) => piece.kind === "text" && piece.text.includes(HOLE));
}

/** A text before a value is its name as it is; else each value is called as it is written. */
function unnamedEntries(
  pieces: readonly ConsolePiece[],
  { withClocks = false }: ReadingOptions,
  texts: readonly string[],
): ConsoleEntry[] {
  const isClock = pieces.some((piece) => piece.kind === "text" && saysClock(piece.text));
  if (isClock && !withClocks) return [];
  const [first, second] = pieces;
  const value = second && valueOf(second);
  const label = first?.kind === "text" ? plainText(first.text).replace(/[:=]$/, "") : "";
  if (value !== undefined && isOneWord(label)) return [[label, value]];
  return pieces.flatMap((piece, at): ConsoleEntry[] => {
    const [text, own] = [texts[at] ?? "", valueOf(piece)];
    if (text === "" || own === undefined) return [];
    return withClocks || !saysClock(text) ? [[text, own]] : [];
  });
}

function isOneWord(text: string): boolean {
  return text.length <= STRING_MAX && /^\S*\p{L}\S*$/u.test(text) && numberIn(text) === undefined;
}

/** A value that is an argument of its own, or a text that is nothing but a number. */
function valueOf(piece: ConsolePiece): unknown {
  if (piece.kind === "value") return piece.value;
  return piece.kind === "text" ? numberIn(piece.text.trim()) : undefined;
}

function patternOf(name: string): string {
  const parts = name.split(HOLE).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return `^${parts.join("\\S*")}$`;
}

/** The private character in a text of the run is only a character. */
function withoutHoles(piece: ConsolePiece): ConsolePiece {
  if (piece.kind !== "text" || !piece.text.includes(HOLE)) return piece;
  return { kind: "text", text: piece.text.replaceAll(HOLE, "\uFFFD") };
}

function consoleEntries(
  pieces: readonly ConsolePiece[],
  { rule, withClocks = false }: ReadingOptions,
): ConsoleEntry[] {
  const own = rule ? byRule(fillIn(pieces), rule) : [];
  if (own.length > 0) return own;
  const filled = fillIn(pieces);
  const reader = new PhraseReader(withClocks);
  for (const piece of filled) readPiece(reader, jsonLine(piece) ?? piece);
  const { values } = reader;
  const [label, text] = filled;
  if (filled.length !== 2 || label?.kind !== "text" || text?.kind !== "text") return values;
  const told = textEntry(label.text, text, withClocks);
  // What only begins with a number is a text, and that number is none of it.
  if (values.length === 0 || (values.length === 1 && saysMoreThanNumber(text.text))) return told;
  // The text has names of its own; who asks for the label means all that stands behind it.
  const names = new Set(values.map(([name]) => name));
  return withClocks ? [...values, ...told.filter(([name]) => !names.has(name))] : values;
}

/** What the user's rule finds in a line: its named groups, numbers where they are some. */
function byRule(pieces: readonly ConsolePiece[], rule: RegExp): ConsoleEntry[] {
  const texts = pieces.map((piece) => printedPiece(piece, "%s").replaceAll(HOLE, "0"));
  return plainText(texts.join(" "))
    .split("\n")
    .flatMap((line) => Object.entries(rule.exec(line)?.groups ?? {}))
    .flatMap(([name, text]): ConsoleEntry[] => {
      const found = text as string | undefined;
      return found === undefined ? [] : [[name, numberIn(found) ?? found]];
    });
}

function readPiece(reader: PhraseReader, piece: ConsolePiece): void {
  switch (piece.kind) {
    case "text":
      return piece.text.length > TEXT_MAX ? reader.end() : reader.text(piece.text);
    case "value":
      return reader.value(piece.value);
    case "record":
      return reader.entries(piece.entries);
    case "other":
      return reader.end();
  }
}

const DIRECTIVE = /%[sdifjoOc%]/g;

/** `console.log("loss %d", x)`: the text with the arguments in it, and those that are left. */
function fillIn(pieces: readonly ConsolePiece[]): readonly ConsolePiece[] {
  const [first, ...rest] = pieces;
  if (first?.kind !== "text" || rest.length === 0) return pieces;
  const text = first.text.replaceAll(DIRECTIVE, (directive) => {
    if (directive === "%%") return "%";
    const piece = rest.shift();
    if (!piece) return directive;
    if (directive === "%c") return "";
    return printedPiece(piece, directive);
  });
  return [{ kind: "text", text }, ...rest];
}

/** Objects and what is no number where one is wanted end a phrase. */
function printedPiece(piece: ConsolePiece, directive: string): string {
  if (piece.kind === "text") return piece.text;
  if (piece.kind !== "value" || typeof piece.value !== "number") return "|";
  const value = directive === "%i" ? Math.trunc(piece.value) : piece.value;
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Longest text that is looked at: a longer one is not a line of a log. */
const TEXT_MAX = 10_000;

/** A text that is one JSON object: its scalars. */
function jsonLine(piece: ConsolePiece): RecordPiece | undefined {
  if (piece.kind !== "text" || piece.text.length > TEXT_MAX) return undefined;
  if (!/^\s*\{[\s\S]*\}\s*$/.test(piece.text)) return undefined;
  try {
    const object = JSON.parse(piece.text.replaceAll(HOLE, "0")) as object;
    return { kind: "record", entries: Object.entries(object).filter(isScalar) };
  } catch {
    return undefined;
  }
}

/** Longest string that is a value. */
const STRING_MAX = 200;
const DATE = /\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d\b/;

/** Whether an entry of an object is logged: numbers, truth values, short texts that tell no time. */
export function isScalar([, value]: ConsoleEntry): boolean {
  if (typeof value === "string") return value.length <= STRING_MAX && !DATE.test(value);
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint";
}

/** `console.log("model", "mlp")`, and nothing else in the call. */
function textEntry(
  label: string,
  { text }: { readonly text: string },
  withClocks: boolean,
): ConsoleEntry[] {
  const name = PhraseReader.label(label);
  if (name === undefined) return [];
  if (withClocks) return text.length <= TEXT_MAX ? [[name, text]] : [];
  const isOneLine = text.trim() !== "" && !text.includes("\n");
  return isOneLine && isScalar([name, text]) && !isMeasured(name) ? [[name, text]] : [];
}

/** Whether a printed name is that of a loop: `Epoch` is `epoch`, but `R` is not `r`. */
export function isNameOfLoop(name: string, loop: string): boolean {
  return [loop, calledLoop(loop)].some((own) => {
    return name === own || (name.length > 1 && name.toLowerCase() === own.toLowerCase());
  });
}

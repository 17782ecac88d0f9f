/**
 * @file Source maps of rewritten texts (version 3 of the format): from each word that was kept, or copied,
 * to where it stood.
 */
import { basename } from "node:path";
import { Lines } from "../../lines.ts";
import type { KeptPiece } from "./text-edits.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number in groups of five bits, the sign in the lowest of all. */
function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  if (rest < 32) return DIGITS.charAt(rest);
  let text = "";
  for (; rest >= 32; rest >>>= 5) text += DIGITS.charAt((rest & 31) | 32);
  return text + DIGITS.charAt(rest);
}

/** A comment that tells a debugger where the words of a rewritten text stood. */
export function sourceMapComment(
  file: string,
  old: string,
  { text, kept }: { readonly text: string; readonly kept: readonly KeptPiece[] },
): string {
  const mappings = mappingsOf(old, text, kept);
  const map = { version: 3, sources: [basename(file)], names: [], mappings };
  const encoded = Buffer.from(JSON.stringify(map)).toString("base64");
  return `\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
}

/** Where words of the old text stand in the new one, told in the order of the new. */
class Mappings {
  text = "";
  #separator = "";
  #newStart = 0;
  /** The last place: each is told by the difference. */
  #lastLine = 0;
  #lastOld = 0;
  #lastNew = 0;

  /** `line` and `column` in the old text, from 0. */
  place(line: number, column: number, newAt: number): void {
    const is = newAt - this.#newStart;
    const lines = encode(line - this.#lastLine);
    const columns = `${encode(is - this.#lastNew)}A${lines}${encode(column - this.#lastOld)}`;
    this.text += this.#separator + columns;
    this.#separator = ",";
    this.#lastLine = line;
    this.#lastOld = column;
    this.#lastNew = is;
  }

  endLine(newStart: number): void {
    this.text += ";";
    this.#separator = "";
    this.#newStart = newStart;
    this.#lastNew = 0;
  }
}

function mappingsOf(old: string, text: string, kept: readonly KeptPiece[]): string {
  const mappings = new Mappings();
  const lines = new Lines(old);
  let newEnd = 0;
  for (const { from, to, length } of kept) {
    for (let at = newEnd; at < to; at++) if (endsLine(text, at)) mappings.endLine(at + 1);
    mapPiece(mappings, old, { from, to, length }, lines);
    newEnd = to + length;
  }
  return mappings.text;
}

function mapPiece(
  mappings: Mappings,
  old: string,
  { from, to, length }: KeptPiece,
  lines: Lines,
): void {
  let { line } = lines.at(from);
  let start = lines.startOf(line);
  let isInWord = false;
  for (let at = from; at < from + length; at++) {
    const code = old.charCodeAt(at);
    const isWord = isWordCode(code);
    if (endsLine(old, at)) {
      line++;
      start = at + 1;
      mappings.endLine(to + start - from);
    } else if (isWord ? !isInWord : code > 32) mappings.place(line - 1, at - start, to + at - from);
    isInWord = isWord;
  }
}

function isWordCode(code: number): boolean {
  // Letters, digits, $ and _, and whatever is not ASCII.
  if (code >= 97) return code <= 122 || (code > 127 && code !== 0x2028 && code !== 0x2029);
  if (code >= 65) return code <= 90 || code === 95;
  return (code >= 48 && code <= 57) || code === 36;
}

/** Whether a line ends behind the character: as in `Lines`. */
function endsLine(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 13) return text.charCodeAt(at + 1) !== 10;
  return code === 10 || code === 0x2028 || code === 0x2029;
}

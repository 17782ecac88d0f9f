/**
 * @file Source maps of rewritten texts (version 3 of the format): from each word that was kept to
 * where it stood. Lines are the same before and after, only columns differ.
 */
import { basename } from "node:path";
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

/** Lines have the same number in both texts: where one ends in the old, one ends in the new. */
class Mappings {
  text = "";
  #separator = "";
  #line = 0;
  #oldStart = 0;
  #newStart = 0;
  /** The last place: each is told by the difference. */
  #lastLine = 0;
  #lastOld = 0;
  #lastNew = 0;

  place(oldAt: number, newAt: number): void {
    const [was, is] = [oldAt - this.#oldStart, newAt - this.#newStart];
    const line = encode(this.#line - this.#lastLine);
    const columns = `${encode(is - this.#lastNew)}A${line}${encode(was - this.#lastOld)}`;
    this.text += this.#separator + columns;
    this.#separator = ",";
    this.#lastLine = this.#line;
    this.#lastOld = was;
    this.#lastNew = is;
  }

  endLine(oldStart: number, newStart: number): void {
    this.text += ";";
    this.#separator = "";
    this.#line++;
    this.#oldStart = oldStart;
    this.#newStart = newStart;
    this.#lastNew = 0;
  }
}

function mappingsOf(old: string, text: string, kept: readonly KeptPiece[]): string {
  const mappings = new Mappings();
  let oldEnd = 0;
  let newEnd = 0;
  for (const { from, to, length } of kept) {
    // Of what was taken out, the ends of lines are still there.
    const ends = lineEnds(text, newEnd, to);
    for (const [index, end] of lineEnds(old, oldEnd, from).entries()) {
      mappings.endLine(end, ends[index] ?? to);
    }
    mapPiece(mappings, old, { from, to, length });
    oldEnd = from + length;
    newEnd = to + length;
  }
  return mappings.text;
}

function mapPiece(mappings: Mappings, old: string, { from, to, length }: KeptPiece): void {
  let isInWord = false;
  for (let at = from; at < from + length; at++) {
    const code = old.charCodeAt(at);
    const isWord = isWordCode(code);
    if (endsLine(old, at)) mappings.endLine(at + 1, to + at + 1 - from);
    else if (isWord ? !isInWord : code > 32) mappings.place(at, to + at - from);
    isInWord = isWord;
  }
}

function lineEnds(text: string, from: number, until: number): number[] {
  const ends: number[] = [];
  for (let at = from; at < until; at++) if (endsLine(text, at)) ends.push(at + 1);
  return ends;
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

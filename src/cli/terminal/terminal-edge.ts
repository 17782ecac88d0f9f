/**
 * @file The one way to a terminal. Everything that a command prints goes through `edgeText`, which lets
 * no control character pass but those that were made here: colours, and what wipes the progress line.
 *
 * These are told apart from what a run holds by a number drawn for this process, which no run knows.
 */
import { randomInt } from "node:crypto";
import { UNSEEN, visibleText } from "../../format/index.ts";

const OWN_NUMBER = randomInt(2 ** 47, 2 ** 48 - 1);
const OWN_SEQUENCE = new RegExp(
  String.raw`(?:\u001b\[${OWN_NUMBER};(\d+[mK]))|${UNSEEN.source}`,
  "g",
);

function own(sequence: string): string {
  return `\u001B[${OWN_NUMBER};${sequence}`;
}

/** Removes the line on which the cursor is. */
export const WIPE_LINE: string = own("2K");

/** Begin and end of each style. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Colors = Readonly<{ [Style in keyof typeof STYLES]: (text: string) => string }>;

/** Functions that give a text a style, or leave it as it is. */
export function createColors(on: boolean): Colors {
  const functions = Object.entries(STYLES).map(([style, codes]) => {
    const [begin, end] = codes.map((code) => own(`${code}m`)) as [string, string];
    const paint = (text: string): string => begin + text.replaceAll(end, end + begin) + end;
    return [style, on ? paint : String] as const;
  });
  return Object.fromEntries(functions) as Colors;
}

/** A line of ours on one line: what stands in it of a run begins none. Own styles stay. */
export function onOneLine(line: string): string {
  return line.replaceAll("\n", String.raw`\n`).replaceAll("\t", String.raw`\t`);
}

/** A text as it may be written to a terminal. */
export function edgeText(text: string): string {
  if (text.search(UNSEEN) < 0) return text;
  return text.replace(OWN_SEQUENCE, (found, sequence: string | undefined) => {
    if (sequence === undefined) return visibleText(found);
    return sequence === "2K" ? "\r\u001B[2K" : `\u001B[${sequence}`;
  });
}

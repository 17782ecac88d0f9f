/**
 * @file Source maps of rewritten texts (version 3 of the format): from each word that was kept to
 * where it stood. Lines are the same before and after, only columns differ.
 */
import { basename } from "node:path";
import type { KeptPiece } from "./edits.ts";
import { Lines } from "./parse.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number in groups of five bits, the sign in the lowest of all. */
function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const group = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? group | 32 : group];
  } while (rest > 0);
  return text;
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

function mappingsOf(old: string, text: string, kept: readonly KeptPiece[]): string {
  const oldLines = new Lines(old);
  const newLines = new Lines(text);
  const groups: string[][] = Array.from({ length: newLines.count }, () => []);
  let line = 0;
  let column = 0;
  let before = { line: 0, column: 0 };
  for (const { from, to, length } of kept) {
    for (const { index } of old.slice(from, from + length).matchAll(/[\w$]+|[^\s\w$]/g)) {
      const was = oldLines.at(from + index);
      const is = newLines.at(to + index);
      if (is.line !== line) column = 0;
      line = is.line;
      const source = { line: was.line - 1, column: was.column - 1 };
      const parts = [is.column - 1 - column, 0, source.line - before.line];
      parts.push(source.column - before.column);
      groups[line - 1]?.push(parts.map((part) => encode(part)).join(""));
      column = is.column - 1;
      before = source;
    }
  }
  return groups.map((group) => group.join()).join(";");
}

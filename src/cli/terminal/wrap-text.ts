/** @file A sentence in lines that fit the terminal. */

/** Breaks at spaces; a word that is longer than a line stands alone. */
export function wrapText(
  text: string,
  { columns, indent }: { readonly columns: number; readonly indent: string },
): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \n]/)) {
    const last = lines.at(-1);
    const longer = last === undefined ? `${indent}${word}` : `${last} ${word}`;
    if (last === undefined || longer.length <= columns)
      lines[Math.max(0, lines.length - 1)] = longer;
    else lines.push(`${indent}${word}`);
  }
  return lines;
}

/** A note to the user: `! ` before its first line, the others below its text. */
export function noteText(text: string, columns: number): string {
  const [first = "", ...others] = wrapText(text, { columns, indent: "  " });
  return [`! ${first.slice(2)}`, ...others].join("\n");
}

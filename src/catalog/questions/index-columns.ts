/**
 * @file Loops as SQL may say them: `epoch#`, the index of an iteration, and `train.i`. Neither is a name
 * there, so that it is put in quotes.
 */

/** Texts and names in quotes, comments, and names, with dots between them and `#` behind. */
const WORDS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_]\w*(?:\.\w+)*)(#(?!\w))?/g;

/** SQL in which every `epoch#` stands in quotes, and of names with dots those of `loops`. */
export function quoteLoops(sql: string, loops: readonly string[]): string {
  const known = new Set(loops.map((loop) => loop.toLowerCase()));
  return sql.replaceAll(
    WORDS,
    (text: string, word: string | undefined, mark: string | undefined) => {
      if (word === undefined) return text;
      const isDotted = word.includes(".");
      if (isDotted && !known.has(word.toLowerCase())) return text;
      return isDotted || mark === "#" ? `"${text}"` : text;
    },
  );
}

/** The column of a loop's index. */
export function indexColumn(loop: string): string {
  return `${loop}#`;
}

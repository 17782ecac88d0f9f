/**
 * @file `epoch#`, the index of an iteration, as SQL may say it: `#` is no part of a name there, so
 * that the name is put in quotes.
 */

/** Texts and names in quotes, comments, and names with `#` behind them. */
const WORDS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_]\w*)#(?!\w)/g;

/** SQL in which every `epoch#` stands in quotes. */
export function quoteIndices(sql: string): string {
  return sql.replaceAll(WORDS, (text: string, loop: string | undefined) =>
    loop === undefined ? text : `"${loop}#"`,
  );
}

/** The column of a loop's index. */
export function indexColumn(loop: string): string {
  return `${loop}#`;
}

/** @file Words in commands that a user is shown. */

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  if (/^[\w.:/=-]+$/.test(text)) return text;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}

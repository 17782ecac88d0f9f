/**
 * @file A text without characters that do something to a terminal instead of being shown: what a run
 * holds may come from anybody, and is read on a terminal. The same in both languages.
 */

/**
 * Controls (C0 but for tab and newline, DEL, C1), what turns the direction of a text around, and the two
 * separators of lines that are no newline.
 */
export const UNSEEN: RegExp =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;

/** Such characters as in JSON, `\u001b`: in JSON text it is the same text still. */
export function visibleText(text: string): string {
  // Nearly every text has none.
  return text.search(UNSEEN) < 0 ? text : text.replace(UNSEEN, escaped);
}

function escaped(one: string): string {
  return `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

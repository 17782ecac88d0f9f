/**
 * @file How the rewriting marks what it inserts into a program's text, and how that is taken out
 * again. A program may ask a function for its text and have it executed elsewhere, in a worker or
 * as a kernel, where nothing of ours is: it gets the text that its author wrote.
 */

/** Whatever is not a letter or digit, four hexadecimal digits for each unit: fits into a comment. */
function encode(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `%${code}`;
  });
}

function decode(text: string): string {
  return text.replaceAll(/%([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** `text`, to stand in place of `replaced`; `own`: a name that the program does not have. */
export function markInserted(own: string, text: string, replaced: string): string {
  return `/*${own}<${encode(replaced)}*/${text}/*${own}>*/`;
}

const INSERTED = /\/\*(__al\w*)<([A-Za-z0-9%]*)\*\/[^]*?\/\*\1>\*\//g;

/** The text as it was before something was inserted. */
export function withoutInserted(text: string): string {
  if (!text.includes("/*__al")) return text;
  return text.replaceAll(INSERTED, (_, _own, replaced: string) => decode(replaced));
}

/**
 * @file Edits as public histories have them, told again on programs of our own: the shape is theirs
 * (how many parts, where they stand, which lines changed), the text is not. An edit is a diff; a
 * comment says in which repository and commit people did the like.
 */
export interface PublicEdit {
  /** What they wanted to see. */
  readonly did: string;
  /** Lines with ` `, `-` and `+`; `@@` begins another place. */
  readonly diff: string;
  readonly asks: readonly string[];
  readonly expected: Expected;
  /** The edit that does not change the run, where theirs draws random numbers or trains. */
  readonly truth?: string;
  /** Rows with the same word are asked together, of one working tree that has them all. */
  readonly together?: string;
  /** Other files that came with it. */
  readonly files?: { readonly [name: string]: string };
}

/** What a replay is to say. */
export type Expected =
  /** The values of the truth, `verified` or `restored`. */
  | "answered"
  /** The values of the truth; nothing is compared behind them, or a package is not known. */
  | "unchecked"
  /** Values of the replay's own time, `unchecked`. */
  | "clock"
  /** To be answered one day: refused until then, never answered wrongly. */
  | "open"
  /** No values, and why. */
  | { readonly refused: string }
  /** No values; the reason is not told yet. */
  | "no question";

export interface EditedInPublic {
  readonly file: string;
  readonly program: string;
  readonly needs: readonly ("python" | "torch")[];
  readonly edits: { readonly [id: string]: PublicEdit };
}

/** The program with edits in it. */
export function edited(program: string, ...diffs: readonly string[]): string {
  const places = diffs.flatMap((diff) => diff.split(/^@@\n/m));
  return places.reduce((text, place) => {
    const lines = place.split("\n").filter((line) => /^[ +-]/.test(line));
    const side = (gone: string): string =>
      lines
        .filter((line) => !line.startsWith(gone))
        .map((line) => `\n${line.slice(1)}`)
        .join("");
    const [then, now] = [side("+"), side("-")];
    const found = `\n${text}`.split(`${then}\n`).length - 1;
    if (found !== 1) throw new Error(`found ${found} times:${then}`);
    return `\n${text}`.replace(`${then}\n`, () => `${now}\n`).slice(1);
  }, program);
}

/**
 * @file How the CLI tells the SDK in a child process what to do: JSON in one environment variable,
 * which the SDK removes from the environment so that processes of the program do not inherit it.
 */

export const DIRECTIVE_VARIABLE = "AFTERLOG_DIRECTIVE";

export interface Directive {
  readonly v: 1;
  readonly mode: "record";
  readonly root: string;
  /** The `.afterlog` folder. */
  readonly store: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly name: string | null;
  readonly seed: string | null;
  /** The budget as a share, `inf` for no limit; null: as the environment says. */
  readonly overhead: number | "inf" | null;
  readonly persist: "worker" | "inline" | null;
  /** Whether the parent reads status lines on file descriptor 3. */
  readonly live: boolean;
  /** What the parent's own streams are, where they are terminals. */
  readonly terminal: { readonly stdout: TerminalSize | null; readonly stderr: TerminalSize | null };
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Whether a text is a seed: a whole number of 64 bits. */
export function isSeed(text: string): boolean {
  return /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n;
}

/** A share of at most 1: `0.02` or `2%`; `inf` for no limit. Undefined if the text is none. */
export function parseShare(text: string): number | "inf" | undefined {
  if (text === "inf") return text;
  const value = text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
  return /\d/.test(text) && value >= 0 && value <= 1 ? value : undefined;
}

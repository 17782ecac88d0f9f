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
  /** URL of the module that lets Node load TypeScript. */
  readonly hooks: string;
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

/**
 * @file How the CLI tells the SDK in a child process what to do: JSON in one environment variable,
 * which the SDK removes from the environment so that processes of the program do not inherit it.
 */

export const DIRECTIVE_VARIABLE = "AFTERLOG_DIRECTIVE";

export interface Directive {
  readonly v: 1;
  readonly mode: "record";
  /** Project root, and the program relative to it or absolute. */
  readonly root: string;
  readonly program: string;
  readonly run: string;
  readonly name: string | null;
  readonly seed: string | null;
  readonly overhead: number | null;
  readonly persist: "worker" | "inline" | null;
  /** Whether the parent shows a live line, and so wants events on the IPC channel. */
  readonly live: boolean;
}

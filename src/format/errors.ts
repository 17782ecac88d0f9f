/**
 * @file The errors a person can meet, as data: a stable code, what happened, how to repair it.
 *
 * Compare by `code`, never by `instanceof`: an error may come from another copy of the package
 * or cross a thread.
 */

import { visibleText } from "./visible-text.ts";

/** Every code, with the sentence of the reference table. Codes are never reused. */
export const ERROR_CODES = {
  AL001: "the command line cannot be understood",
  AL002: "a file named on the command line does not exist or cannot be run",
  AL003: "there is no Afterlog project here",
  AL004: "no run, or more than one, has that name",
  AL005: "an argument of the program has the wrong type",
  AL006: "the folder named does not exist",
  AL007: "there is no Python here that can run the program",
  AL008: "a setting in the environment or in afterlog.toml is not right",
  AL009: "a run, a tag, a note or an alert cannot be called so",
  AL020: "the SQL text is not valid, or is not a read-only query",
  AL021: "no run has logged that name, or no statement logs it",
  AL022: "there is no loop of that name",
  AL023: "there is no statement at that line",
  AL024: "a statement cannot be put there",
  AL025: "a function or class cannot be brought for a question",
  AL034: "a run cannot be replayed or resumed",
  AL035: "there is no checkpoint at that point of the run",
  AL036: "a bisection has no good run before a bad one",
  AL037: "a run cannot be removed now",
  AL038: "a branch of a run's source cannot be made",
  AL039: "there is no alert of that name",
  AL040: "a file of a run is damaged",
  AL041: "a file was written by a newer version of the format",
  AL042: "a file cannot be written",
  AL044: "the source version of a run cannot be kept",
  AL045: "the source version of a run cannot be brought back",
  AL046: "a remote cannot be reached, or git cannot work with it",
  AL047: "a remote holds no runs",
  AL048: "the packages of a version cannot be installed",
  AL049: "a file that a run read is missing",
  AL050: "there is no replay of that name, or it cannot be continued now",
  AL051: "a replay does not reproduce what was recorded",
  AL052: "code from a remote that is not trusted is not executed",
  AL060: "loops run at the same time",
  AL061: "an SDK function was called with something it cannot use",
  AL062: "the framework asked for is not what was given",
  AL063: "a function of a dataset failed",
  AL064: "a dataset is in use by a loop",
  AL070: "a declared value cannot be captured",
  AL071: "a checkpoint does not fit the state it is restored into",
  AL072: "the state of a dataset does not fit it",
  AL080: "a request does not come from the page that `afterlog ui` opened",
  AL081: "the server of the page cannot be started",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface AfterlogErrorOptions {
  /** What to do next: each entry is printed as one `help:` line. At least one. */
  readonly help: readonly [string, ...string[]];
  /** More lines about the cause, printed between the message and the help. */
  readonly notes?: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An error with a code, a cause and a repair. Its stack begins with the text that a person reads,
 * so that an uncaught one tells what to do; the fields are not enumerable, so that Node does not
 * print them a second time.
 */
export class AfterlogError extends Error {
  declare readonly code: ErrorCode;
  declare readonly help: readonly string[];
  declare readonly notes: readonly string[];
  declare readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AfterlogErrorOptions) {
    // Node prints it by itself where a program does not catch it.
    super(visibleText(message), options.cause === undefined ? undefined : { cause: options.cause });
    const { data = {} } = options;
    const help = options.help.map(visibleText);
    const notes = (options.notes ?? []).map(visibleText);
    const fields = { name: "AfterlogError", code, help, notes, data };
    for (const [key, value] of Object.entries(fields)) {
      Object.defineProperty(this, key, { value, configurable: true });
    }
    this.setCaller(AfterlogError);
  }

  /** Leaves the frames of `callee` and below out of the stack: they are ours, not the user's. */
  setCaller(callee: Parameters<typeof Error.captureStackTrace>[1]): void {
    const holder: { stack?: string } = {};
    Error.captureStackTrace(holder, callee);
    const frames = (holder.stack ?? "").split("\n").slice(1);
    const stack = [formatError(this), ...frames].join("\n");
    Object.defineProperty(this, "stack", { value: stack, configurable: true, writable: true });
  }
}

/** Whether `error` is one of ours, whichever copy of the package made it. */
export function isAfterlogError(error: unknown): error is AfterlogError {
  return error instanceof Error && "code" in error && String(error.code) in ERROR_CODES;
}

/** The error as a person reads it: code, message, notes, help. */
export function formatError(error: AfterlogError): string {
  return [
    // A further line of a text that came with a run is not taken for one of ours.
    `error[${error.code}]: ${error.message.replaceAll("\n", "\n    ")}`,
    ...error.notes.map((note) => `  ${note.replaceAll("\n", "\n    ")}`),
    ...error.help.map((help) => `  help: ${help.replaceAll("\n", "\n    ")}`),
  ].join("\n");
}

/** One line for any thrown thing, for warnings and manifests. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
  return error.message.startsWith(code) ? error.message : code + error.message;
}

/** @file From a thrown thing to what the user reads and the exit code: 1 error, 2 usage. */
import { AfterlogError, describeError, formatError, isAfterlogError } from "../format/index.ts";
import type { CliContext } from "./context.ts";
import { createColors } from "./terminal/terminal-edge.ts";
import { INTERRUPTED } from "./interrupt.ts";

/** What the disk may answer to a write, and what can be done about it. */
const DISK_HELP: Readonly<{ [code: string]: readonly [string, ...string[]] }> = {
  ENOSPC: [
    "see where the bytes are:  afterlog du",
    "make room:  afterlog gc --policy every:5 --dry-run",
  ],
  EDQUOT: ["see where the bytes are:  afterlog du"],
  EROFS: ["make the file system writable, or keep the store elsewhere:  AFTERLOG_DIR=…"],
  EACCES: ["let this user write there, or keep the store elsewhere:  AFTERLOG_DIR=…"],
  EIO: ["look at the system's log: the disk does not do what it is told"],
};

/** A failure of the disk as one of ours; anything else as it is. */
function withCode(error: unknown): unknown {
  if (isAfterlogError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const help = DISK_HELP[String(error.code)];
  if (!help) return error;
  const file = "path" in error && typeof error.path === "string" ? error.path : null;
  const message = `${file ?? "a file"} cannot be written: ${describeError(error)}`;
  return new AfterlogError("AL042", message, { help, data: { file }, cause: error });
}

/** Prints an error; answers the exit code. With `--json` the error is JSON on standard error. */
export function reportError(context: CliContext, thrown: unknown): number {
  // Whoever asked for the stop has said what that keeps.
  if (thrown instanceof Error && thrown.name === "AbortError") return INTERRUPTED;
  const error = withCode(thrown);
  if (!isAfterlogError(error)) {
    context.err(`error: ${describeError(error).replaceAll("\n", "\n    ")}\n`);
    if (context.verbose && error instanceof Error && error.stack) context.err(`${error.stack}\n`);
    return 1;
  }
  const exitCode = error.code === "AL001" || error.code === "AL008" ? 2 : 1;
  if (context.json) {
    const { code, message, notes, help, data } = error;
    context.err(`${JSON.stringify({ error: { code, message, notes, help, data } })}\n`);
    return exitCode;
  }
  const { red, bold } = createColors(context.errColor);
  const text = formatError(error).replace(/^error\[\w+\]/, (head) => bold(red(head)));
  context.err(`${text}\n`);
  return exitCode;
}

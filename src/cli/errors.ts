/** @file From a thrown thing to what the user reads and the exit code (ux.md: 1 error, 2 usage). */
import pc from "picocolors";
import { describeError, formatError, isAfterlogError } from "../format/index.ts";
import type { CliContext } from "./context.ts";

/** Prints an error; answers the exit code. With `--json` the error is JSON on standard error. */
export function reportError(context: CliContext, error: unknown): number {
  if (!isAfterlogError(error)) {
    context.err(`error: ${describeError(error)}\n`);
    if (context.verbose && error instanceof Error && error.stack) context.err(`${error.stack}\n`);
    return 1;
  }
  const exitCode = error.code === "AL001" ? 2 : 1;
  if (context.json) {
    const { code, message, notes, help, data } = error;
    context.err(`${JSON.stringify({ error: { code, message, notes, help, data } })}\n`);
    return exitCode;
  }
  const { red, bold } = pc.createColors(context.errColor);
  const text = formatError(error).replace(/^error\[\w+\]/, (head) => bold(red(head)));
  context.err(`${text}\n`);
  return exitCode;
}

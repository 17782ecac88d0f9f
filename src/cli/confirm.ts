/** @file A yes to something that was just described: `--yes`, or a person at the terminal. */
import type { CliContext } from "./context.ts";

export async function isConfirmed(
  context: CliContext,
  question: string,
  yes: boolean,
): Promise<boolean> {
  if (yes) return true;
  if (context.prompt === undefined || context.json) {
    context.err("this needs a yes: there is no terminal to ask on\n  help: add --yes\n");
    return false;
  }
  return /^y/i.test((await context.prompt(`? ${question}  [y]es  [N]o › `)).trim());
}

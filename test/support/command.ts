/** @file A context that keeps what a command prints. */
import type { CliContext } from "../../src/cli/context.ts";
import { reportError } from "../../src/cli/report-error.ts";

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Calls a command as `main.ts` does, errors included. */
export async function call(
  root: string,
  options: Partial<CliContext>,
  command: (context: CliContext) => Promise<number>,
): Promise<Printed> {
  let out = "";
  let err = "";
  const context: CliContext = {
    cwd: root,
    json: false,
    color: false,
    errColor: false,
    columns: 100,
    isTTY: false,
    verbose: false,
    env: {},
    named: String,
    useLabels: () => undefined,
    ...options,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    errExact: (text) => void (err += text),
    data: (text) => void (out += text),
  };
  try {
    const code = await command(context);
    return { code, out, err };
  } catch (error) {
    const code = reportError(context, error);
    return { code, out, err };
  }
}

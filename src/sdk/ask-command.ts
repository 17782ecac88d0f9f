/**
 * @file What the command line of Afterlog answers, as JSON. A process of its own: the SDK loads no
 * database.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AfterlogError } from "../format/index.ts";

const COMMAND = fileURLToPath(new URL("../cli/main.js", import.meta.url));
const OUTPUT_BYTES_MAX = 2 ** 30;

/** Throws what the command line says is wrong. */
export async function askCommand(
  folder: string,
  command: string,
  ...words: readonly string[]
): Promise<unknown> {
  const line = [COMMAND, "-C", folder, command, "--json", ...words];
  const options = { maxBuffer: OUTPUT_BYTES_MAX };
  const { stdout } = await promisify(execFile)(process.execPath, line, options).catch(
    (error: { readonly stderr?: string }) => {
      throw errorOf(error.stderr ?? "", command);
    },
  );
  return JSON.parse(stdout);
}

/** What the command line said, as an error of ours. */
function errorOf(stderr: string, command: string): AfterlogError {
  const lines = stderr.trim().split("\n");
  for (const line of lines) {
    if (!line.startsWith("{")) continue;
    const { error } = JSON.parse(line) as { error: ErrorLine };
    return new AfterlogError(error.code, error.message, { help: error.help, notes: error.notes });
  }
  return new AfterlogError("AL061", lines[0] ?? "the command afterlog failed", {
    help: [`see  afterlog ${command} --help`],
    notes: lines.slice(1),
  });
}

interface ErrorLine {
  readonly code: AfterlogError["code"];
  readonly message: string;
  readonly help: readonly [string, ...string[]];
  readonly notes: readonly string[];
}

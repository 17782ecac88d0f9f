/**
 * @file `afterlog …`, many times in one process: to start Node and the engine takes longer than most
 * commands do. Each command opens and closes what is on disk as it would in a process of its own.
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const PROGRAM = join(import.meta.dirname, "command-process.mjs");
const MAIN = new URL("../../dist/cli/main.js", import.meta.url).href;

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Standard output is a terminal. */
  readonly isTTY?: boolean;
}

let kept: ChildProcess | undefined;
let isBusy = false;

/** Undefined while another command is under way: then it takes a process of its own. */
export function inKeptProcess(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<CommandResult> | undefined {
  if (isBusy) return undefined;
  isBusy = true;
  if (kept?.exitCode !== null || kept.signalCode !== null) {
    kept = fork(PROGRAM, [MAIN], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }
  return answer(kept, { argv, ...surroundings }).finally(() => (isBusy = false));
}

async function answer(
  child: ChildProcess,
  command: Surroundings & { readonly argv: readonly string[] },
): Promise<CommandResult> {
  const over = new AbortController();
  const { signal } = over;
  const answered = once(child, "message", { signal });
  const died = once(child, "exit", { signal }).then(([code, by]): never => {
    throw new Error(`afterlog ${command.argv.join(" ")} ended the process: ${String(by ?? code)}`);
  });
  child.send(command);
  try {
    const [result] = await Promise.race([answered, died]);
    return result as CommandResult;
  } finally {
    over.abort();
    await Promise.allSettled([answered, died]);
  }
}

/** Awaited, so that its processor time is counted to the test file. */
export async function endKeptProcess(): Promise<void> {
  if (!kept || kept.exitCode !== null || kept.signalCode !== null) return;
  const ended = once(kept, "exit");
  kept.disconnect();
  await ended;
}

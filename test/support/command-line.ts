/** @file `afterlog …`, many times in one process. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MAIN } from "./project.ts";

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class CommandLine implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    const program = join(import.meta.dirname, "command-process.mjs");
    this.#child = fork(program, [pathToFileURL(MAIN).href], {
      cwd,
      env,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }

  /** One at a time. */
  async afterlog(...argv: readonly string[]): Promise<Printed> {
    const over = new AbortController();
    const { signal } = over;
    const answer = once(this.#child, "message", { signal });
    const died = once(this.#child, "exit", { signal }).then(([code, by]): never => {
      throw new Error(`afterlog ${argv.join(" ")} ended the process: ${String(by ?? code)}`);
    });
    this.#child.send(argv);
    try {
      const [printed] = await Promise.race([answer, died]);
      return printed as Printed;
    } finally {
      over.abort();
      await Promise.allSettled([answer, died]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}

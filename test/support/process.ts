/** @file A process of a test, what it says, and how it ends. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

export interface Finished {
  readonly code: number | null;
  /** Name of the signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What it wrote to descriptor 3, where it has one: recording knows nothing of that. */
  readonly side: string;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin?: "pipe" | undefined;
  /** Gives it a descriptor 3. */
  readonly side?: boolean;
}

/** A process under way. */
export class Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  #side = "";
  readonly #waiting = new Set<() => void>();

  constructor(command: string, argv: readonly string[], options: StartOptions) {
    const { cwd, env, stdin = "ignore", side = false } = options;
    this.child = spawn(command, argv, {
      cwd,
      env,
      stdio: [stdin, "pipe", "pipe", ...(side ? (["pipe"] as const) : [])],
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      this.child[name]?.setEncoding("utf8").on("data", (text: string) => (output[name] += text));
    }
    const pipe = this.child.stdio[3] as NodeJS.ReadableStream | null | undefined;
    pipe?.setEncoding("utf8").on("data", (text: string) => {
      this.#side += text;
      for (const wake of this.#waiting) wake();
    });
    this.finished = new Promise((done, failed) => {
      this.child.on("error", failed);
      this.child.on("close", (code, signal) => {
        done({ code, signal, ...output, side: this.#side });
      });
    });
  }

  /** Resolves when descriptor 3 has had the text, or the process has ended. */
  async said(text: string): Promise<void> {
    let wake = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      wake = () => {
        if (this.#side.includes(text)) resolve();
      };
      this.#waiting.add(wake);
      wake();
    });
    await Promise.race([told, this.finished]);
    this.#waiting.delete(wake);
  }
}

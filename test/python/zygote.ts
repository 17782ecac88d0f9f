/** An interpreter for tests that start many programs: a fork of one process that has imported torch. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const SCRIPT = join(import.meta.dirname, "zygote.py");

/** Only with this are forks the same as processes of their own; others get one. */
export const FIXED_HASHES: NodeJS.ProcessEnv = { PYTHONHASHSEED: "0" };

export class Zygote implements Disposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "afterlog-zygote-"));
  readonly #process: ChildProcess;
  /** What to start instead of the interpreter. */
  readonly command: string = join(this.#folder, "python");

  private constructor(interpreter: string) {
    const socket = join(this.#folder, "socket");
    const asks = `exec '${interpreter}' -IS '${SCRIPT}' ask '${socket}' '${interpreter}' "$@"`;
    writeFileSync(this.command, `#!/bin/sh\n${asks}\n`, { mode: 0o755 });
    // It ends when its input does: also if this process is killed.
    this.#process = spawn(interpreter, [SCRIPT, "serve", socket, this.command], {
      env: { ...process.env, ...FIXED_HASHES },
      stdio: ["pipe", "inherit", "inherit"],
    });
  }

  static async start(interpreter: string): Promise<Zygote> {
    const zygote = new Zygote(interpreter);
    while (!existsSync(join(zygote.#folder, "socket"))) {
      if (zygote.#process.exitCode !== null) throw new Error("the zygote has ended");
      await pause(20);
    }
    return zygote;
  }

  [Symbol.dispose](): void {
    this.#process.stdin?.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

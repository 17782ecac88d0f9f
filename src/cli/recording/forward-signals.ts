/**
 * @file Signals to the command line are meant for the program.
 *
 * Ctrl-C is special: the terminal sends it to every process of the group, so that the program has
 * it already and must not get it twice; `kill -INT` to the command alone has not reached it. The
 * two look alike to the one who gets them, so a process that does nothing stands in the group as a
 * witness: it dies of the first and lives through the second.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { RunningProgram } from "../../app/index.ts";

/** A process that got a signal with the witness learns of its death this long before or after. */
const WITNESS_MS = 200;

/**
 * Passes signals on until the function that it returns is called. `soften` may answer that it has
 * asked the program to end by itself: a first SIGTERM is then not passed on.
 */
export function forwardSignals(
  program: Pick<RunningProgram, "kill">,
  onTerminal: boolean,
  soften: () => boolean,
): () => void {
  let softened = false;
  const witness = onTerminal ? new Witness() : undefined;
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = (): void => {
      if (signal === "SIGTERM" && !softened) {
        softened = soften();
        if (softened) return;
      }
      if (signal !== "SIGINT" || !witness) program.kill(signal);
      else witness.ask(() => program.kill(signal));
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const off of listeners) off();
    witness?.dismiss();
  };
}

class Witness {
  #process: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #diedAtMs = -Infinity;

  constructor() {
    this.#summon();
  }

  /** Calls `alone` if the signal that just came was for this process alone. */
  ask(alone: () => void): void {
    const askedAtMs = performance.now();
    const decide = (): void => {
      if (this.#process && this.#diedAtMs < askedAtMs - WITNESS_MS) alone();
    };
    // On a busy machine news of its death may be waiting: it is heard before `setImmediate`.
    this.#timer = setTimeout(() => setImmediate(decide), WITNESS_MS);
  }

  dismiss(): void {
    clearTimeout(this.#timer);
    const witness = this.#process;
    this.#process = undefined;
    witness?.kill("SIGKILL");
  }

  /** Reads a pipe to which nobody writes; that ends when this process does. */
  #summon(): void {
    const witness = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    this.#process = witness;
    witness.unref();
    witness.on("error", () => (this.#process = undefined));
    witness.on("exit", (_, signal) => {
      if (this.#process !== witness) return;
      this.#process = undefined;
      if (signal === "SIGINT") this.#diedAtMs = performance.now();
      if (signal !== null) this.#summon();
    });
  }
}

/** @file Ctrl-C, where what is finished is to be kept. */

/** The exit code of what was interrupted. */
export const INTERRUPTED = 130;

/** Asks for a stop at the first Ctrl-C; a second one ends this process. */
export class Interrupt {
  readonly #controller = new AbortController();
  readonly #listener: () => void;

  constructor(first: () => void) {
    this.#listener = () => {
      if (this.#controller.signal.aborted) process.exit(INTERRUPTED);
      first();
      this.#controller.abort();
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, this.#listener);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, this.#listener);
  }
}

/**
 * @file How long the thread that made it has run, and how long it would have but others had the
 * processor. Linux tells both (`schedstat`); elsewhere nobody waited, and nothing ran.
 */
import { openSync, readSync } from "node:fs";

const NS_PER_MS = 1e6;
/** Two numbers of so many digits, and a third. */
const TEXT_BYTES = 64;

export interface ThreadTimes {
  /** Processor time. */
  readonly ranMs: number;
  /** Ready to run, on a busy machine. */
  readonly waitedMs: number;
}

export class ThreadTime {
  readonly #text = new Uint8Array(TEXT_BYTES);
  readonly #file = openOwn();

  read(): ThreadTimes {
    const [ranMs = 0, waitedMs = 0] = this.#numbers();
    return { ranMs, waitedMs };
  }

  #numbers(): number[] {
    if (this.#file === undefined) return [];
    try {
      const length = readSync(this.#file, this.#text, 0, TEXT_BYTES, 0);
      const text = Buffer.from(this.#text.buffer, 0, length).toString("latin1");
      return text.split(" ").map((digits) => Number(digits) / NS_PER_MS);
    } catch {
      return [];
    }
  }
}

function openOwn(): number | undefined {
  try {
    return openSync("/proc/thread-self/schedstat", "r");
  } catch {
    return undefined;
  }
}

/**
 * @file How long a run has taken, as its budget counts it. On a machine that others use too, the clock
 * goes on while they have the processor: that is neither the program's time nor ours.
 */
import { performance } from "node:perf_hooks";
import { ThreadTime } from "../materialize/index.ts";

/** How long others had the processor is asked for again after so long, ms: this may be asked at every iteration. */
const KNOWN_FOR_MS = 5;

export class RunTime {
  /** When the run began, by the monotonic clock. */
  readonly originMs: number = performance.now();
  readonly #thread = new ThreadTime();
  readonly #before = this.#thread.read();
  readonly #processorBeforeMs = processorMs();
  #waitedMs = 0;
  /** Of the time that the program's thread was ready to run, the share that it ran. */
  runningShare = 1;
  #readAtMs = this.originMs;

  /** By the clock, less what others had of it. */
  get elapsedMs(): number {
    if (performance.now() - this.#readAtMs > KNOWN_FOR_MS) return this.exactMs;
    return performance.now() - this.originMs - this.#waitedMs;
  }

  /** The same, to measure something by: it takes some microseconds to ask. */
  get exactMs(): number {
    const { ranMs, waitedMs } = this.#thread.read();
    this.#waitedMs = waitedMs - this.#before.waitedMs;
    const runMs = Math.max(1, ranMs - this.#before.ranMs);
    this.runningShare = runMs / (runMs + this.#waitedMs);
    this.#readAtMs = performance.now();
    return this.#readAtMs - this.originMs - this.#waitedMs;
  }

  /** Of all threads of the process. */
  get processorMs(): number {
    return processorMs() - this.#processorBeforeMs;
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * @file What calls of `log` cost: the first are each timed, then one in so many, for a clock costs
 * about as much as a call.
 */
import type { Ledger } from "../../materialize/index.ts";

const LOG_EXACT = 64;
const LOG_SAMPLE = 64;

export class LogTimes {
  readonly #ledger: Ledger;
  #calls = 0;
  #exact = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** When a call began; 0 if it is not timed. Tensors and records are each timed. */
  begin(isNumber: boolean): number {
    // The first calls look at the stack.
    this.#exact = !isNumber || this.#calls < LOG_EXACT;
    const timed = this.#exact || this.#calls % LOG_SAMPLE === 0;
    this.#calls++;
    return timed ? performance.now() : 0;
  }

  /** Whether the call was timed. */
  end(startedAt: number): boolean {
    if (startedAt === 0) {
      this.#ledger.logCalls++;
      return false;
    }
    const ms = performance.now() - startedAt;
    if (this.#exact) this.#ledger.exactLogMs += ms;
    else {
      this.#ledger.sampleLog(ms);
      this.#ledger.logCalls++;
    }
    return true;
  }
}

/**
 * @file What rewritten code costs besides the calls that are timed: variables that are no registers, what is made and
 * thrown away, what V8 does not optimize. It is over when loops have been given up and run as they were written: the
 * iterations of the outermost loop after that tell what those before would have taken. Pure: times come from the caller.
 *
 * A program whose first iterations take longer by themselves is said to have cost more; one whose iterations grow, less.
 */
import type { LoopFrame } from "./loop-frame.ts";
import type { LoopObserver } from "./loop-observer.ts";

/** So many iterations tell how long one takes. */
const AFTER_MIN = 5;

interface Reading {
  readonly index: number;
  readonly ms: number;
}

export class RewrittenCost implements LoopObserver {
  /** The program's processor time so far, less what is booked. */
  readonly #programMs: () => number;
  #from: Reading | undefined;
  #settled: Reading | undefined;
  #isAny = false;
  #isUnknown = false;
  #ms = 0;

  constructor(programMs: () => number) {
    this.#programMs = programMs;
  }

  /** As far as it is known; null: loops were given up, and nothing tells what they cost; undefined: none was. */
  get ms(): number | null | undefined {
    if (!this.#isAny) return undefined;
    return this.#isUnknown || this.#settled ? null : this.#ms;
  }

  /** A loop was given up. */
  gaveUp(): void {
    this.#isAny = true;
    // Until an iteration of the outermost loop is over it runs as it did.
    this.#settled = { index: Infinity, ms: 0 };
  }

  /** What was given up runs as it was written from the end of this iteration on. */
  settled({ index }: Pick<LoopFrame, "index">): void {
    this.#settled = { index, ms: this.#programMs() };
  }

  entered({ parent }: Pick<LoopFrame, "parent">): void {
    if (!parent) this.#from = { index: -1, ms: this.#programMs() };
  }

  loopEnded({ parent, index }: Pick<LoopFrame, "parent" | "index">): void {
    if (parent || !this.#settled) return;
    const { index: settledAt, ms } = this.#settled;
    const after = index - settledAt;
    if (!this.#from || after < AFTER_MIN) this.#isUnknown = true;
    else {
      const oneMs = (this.#programMs() - ms) / after;
      const wouldMs = (settledAt - this.#from.index) * oneMs;
      this.#ms += Math.max(0, ms - this.#from.ms - wouldMs);
    }
    this.#settled = undefined;
  }
}

/**
 * @file The time that a loop's iterations take. It stands still while observers work: only
 * the program's own time counts. `loop-stack.ts` sets it; the rest of the SDK reads it.
 */
import { performance } from "node:perf_hooks";

export class LoopClock {
  readonly enteredAt: number = performance.now();
  /** When the present body began. */
  bodyAt = 0;
  /** How long the iterator took for its item. */
  nextMs = 0;
  /** Time that recording took inside the present body. */
  blockedMs = 0;
  /** When the first loop inside the present body was entered, and the last one left; -1: none. */
  firstInnerAt = -1;
  lastInnerAt = -1;
  /** Iterations since `bodyAt`: more than one if some went by unreported. */
  count = 1;
  /** Of the iterations that ended last: when, how many, and how long one took. */
  endedAt = 0;
  lastCount = 0;
  bodyMs = 0;
  /** When the loop was over and all observers had been called. */
  leftAt = -1;

  begin(nextStartedAt: number): void {
    this.blockedMs = 0;
    this.firstInnerAt = -1;
    this.count = 1;
    this.bodyAt = performance.now();
    this.nextMs = this.bodyAt - nextStartedAt;
  }

  end(): void {
    this.endedAt = performance.now();
    this.bodyMs = Math.max(0, this.endedAt - this.bodyAt - this.blockedMs) / this.count;
    this.lastCount = this.count;
  }
}

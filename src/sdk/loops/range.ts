/** @file `range`: whole numbers with a known length, of which no list is made. */
import { AfterlogError } from "../../format/index.ts";

/** `start, start + step, …` below (or above) `stop`. */
export class Range implements Iterable<number> {
  readonly start: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    const length = Math.max(0, Math.ceil((stop - start) / step));
    if (!Number.isFinite(start) || !Number.isFinite(step) || Number.isNaN(length)) {
      throw new AfterlogError("AL061", `range(${start}, ${stop}, ${step}) has no numbers`, {
        help: ["give finite numbers and a step other than 0:  al.range(10)  al.range(0, 10, 2)"],
      });
    }
    this.start = start;
    this.step = step;
    this.length = length;
  }

  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < this.length; index++) yield this.start + index * this.step;
  }
}

/**
 * Numbers to loop over: `range(n)` is 0 to n - 1, `range(start, stop, step = 1)` as in Python.
 *
 * @example for (const epoch of al.loop("epoch", al.range(20))) …
 */
export function range(stop: number): Range;
export function range(start: number, stop: number, step?: number): Range;
export function range(first: number, stop?: number, step = 1): Range {
  return stop === undefined ? new Range(0, first, 1) : new Range(first, stop, step);
}

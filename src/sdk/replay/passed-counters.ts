/**
 * @file What counters of a question would have been given in iterations that a replay left out: the orders
 * say how much, and the next part of the question that mentions one adds it.
 */
import type { Passed } from "../../format/index.ts";

export class PassedCounters {
  readonly #missing = new Map<string, number>();

  pass(passed: Passed = {}): void {
    for (const [key, added] of Object.entries(passed)) {
      this.#missing.set(key, this.missing(key) + added);
    }
  }

  missing(key: string): number {
    return this.#missing.get(key) ?? 0;
  }

  /** It has got it, or has begun anew. */
  settle(key: string): void {
    this.#missing.delete(key);
  }
}

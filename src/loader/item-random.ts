/**
 * @file The generator that a random transform draws from: keyed by seed, epoch and item, so that an
 * item is prepared alike whoever prepares it, and differently in each epoch (invariant INV-3).
 *
 * Only operations that IEEE 754 rounds exactly are used, also for normal numbers: another language
 * gives the same bits. docs/loader.md specifies it, test/loader/vectors has what it must give.
 */
import { AfterlogError } from "../format/index.ts";
import type { PhiloxKey } from "./philox.ts";
import { WordStream } from "./philox.ts";

/** Random numbers of one item in one epoch. */
export interface ItemRandom {
  /** From 0 up to but not including 1, with 53 bits. */
  next(): number;
  /** A whole number from 0 to `n` - 1; `n` is at most 2^32. */
  int(n: number): number;
  /** Of mean 0 and variance 1. */
  normal(): number;
}

export class PhiloxRandom implements ItemRandom {
  readonly #words: WordStream;
  /** The second of a pair of normal numbers. */
  #spare: number | undefined;

  constructor(key: PhiloxKey) {
    this.#words = new WordStream(key);
  }

  next(): number {
    const high = this.#words.word() >>> 5;
    const low = this.#words.word() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  int(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) {
      throw new AfterlogError("AL061", `random.int(${n}) has no numbers to choose from`, {
        help: ["give a whole number from 1 to 4294967296"],
      });
    }
    return this.#words.below(n);
  }

  /** Marsaglia's polar method. */
  normal(): number {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) return spare;
    for (;;) {
      const x = 2 * this.next() - 1;
      const y = 2 * this.next() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * naturalLog(square)) / square);
      this.#spare = y * factor;
      return x * factor;
    }
  }
}

/** Terms 1/3, 1/5, … of the series; the first one left out is below 2^-53 of the sum. */
const LAST_ODD = 23;

/**
 * The logarithm of a number between 0 and 1, from sums, products and quotients alone: `Math.log`
 * differs in its last bit between engines and languages.
 */
export function naturalLog(x: number): number {
  let mantissa = x;
  let exponent = 0;
  while (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    exponent--;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), and |z| is at most 0.172.
  const z = (mantissa - 1) / (mantissa + 1);
  const square = z * z;
  let sum = 0;
  for (let odd = LAST_ODD; odd >= 3; odd -= 2) sum = (sum + 1 / odd) * square;
  return exponent * Math.LN2 + 2 * z * (1 + sum);
}

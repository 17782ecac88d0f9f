/**
 * @file Philox4x32-10, the counter-based generator behind order and random transforms: a block of
 * four words is a pure function of key and counter, so any thread, process or language can make it
 * (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011).
 *
 * The 32 by 32 bit products are split in halves: `bigint` would be a hundred times slower.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
/** Golden ratio and sqrt(3) - 1, by which the key moves on after each round. */
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** The upper 32 bits of the product of two words. */
export function multiplyHigh(a: number, b: number): number {
  const aHigh = a >>> 16;
  const aLow = a & 0xffff;
  const bHigh = b >>> 16;
  const bLow = b & 0xffff;
  const first = aHigh * bLow + ((aLow * bLow) >>> 16);
  const second = aLow * bHigh + (first & 0xffff);
  return (aHigh * bHigh + (first >>> 16) + (second >>> 16)) >>> 0;
}

/** Key (the seed) and the upper three words of the counter; the lowest numbers the blocks. */
export interface PhiloxKey {
  readonly seed: readonly [low: number, high: number];
  readonly epoch: number;
  readonly index: number;
  readonly stream: number;
}

/** Writes block number `block` into the four words of `out`. */
export function philoxBlock(out: Uint32Array, key: PhiloxKey, block: number): void {
  let k0 = key.seed[0];
  let k1 = key.seed[1];
  let c0 = key.epoch;
  let c1 = key.index;
  let c2 = key.stream;
  let c3 = block;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** The words of all blocks, one after the other. */
export class WordStream {
  readonly #key: PhiloxKey;
  readonly #words = new Uint32Array(4);
  #block = 0;
  #used = 4;

  constructor(key: PhiloxKey) {
    this.#key = key;
  }

  word(): number {
    if (this.#used === 4) {
      philoxBlock(this.#words, this.#key, this.#block++);
      this.#used = 0;
    }
    return this.#words[this.#used++] ?? 0;
  }

  /** A whole number from 0 to `bound` - 1, each equally likely; `bound` is at most 2^32. */
  below(bound: number): number {
    if (bound === 2 ** 32) return this.word();
    // Lemire, "Fast Random Integer Generation in an Interval" (2019): a division only when needed.
    let word = this.word();
    let low = Math.imul(word, bound) >>> 0;
    if (low < bound) {
      const threshold = (2 ** 32 - bound) % bound;
      while (low < threshold) {
        word = this.word();
        low = Math.imul(word, bound) >>> 0;
      }
    }
    return multiplyHigh(word, bound);
  }
}

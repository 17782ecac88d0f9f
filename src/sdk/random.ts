/**
 * @file The seeded generator behind `Math.random`, so that a replay draws what the run drew.
 *
 * xoshiro128** (Blackman and Vigna), whose 128 bits of state are part of every checkpoint; 53 bits
 * of two outputs make a double, as V8's own generator fills all of the mantissa.
 */
import type { GeneratorState } from "../format/index.ts";

export const GENERATOR_ALGORITHM = "xoshiro128**/53";
const GENERATOR_ID = "Math.random";

/** A generator whose state can be read and set. */
export class SeededRandom {
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;
  draws = 0;
  /** Bound, so that it can be put in the place of `Math.random`. */
  readonly random: () => number;

  constructor(seed: string) {
    this.#seed(BigInt(seed));
    this.random = (): number => {
      this.draws++;
      const high = this.#next() >>> 5;
      const low = this.#next() >>> 6;
      return (high * 67108864 + low) / 9007199254740992;
    };
  }

  /** Someone put another generator in its place: what we hold is not what they draw from. */
  get isReplaced(): boolean {
    return Math.random !== this.random;
  }

  get state(): GeneratorState {
    return {
      id: GENERATOR_ID,
      algorithm: this.isReplaced ? "unknown" : GENERATOR_ALGORITHM,
      state: [this.#a, this.#b, this.#c, this.#d].map((word) => word >>> 0),
      draws: this.draws,
    };
  }

  set state({ state, draws }: GeneratorState) {
    const [a = 0, b = 0, c = 0, d = 0] = state as number[];
    [this.#a, this.#b, this.#c, this.#d] = [a | 0, b | 0, c | 0, d | 0];
    this.draws = draws;
  }

  #next(): number {
    const scrambled = Math.imul(rotateBits(Math.imul(this.#b, 5), 7), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotateBits(this.#d, 11);
    return scrambled;
  }

  /** Spreads the seed over the state with SplitMix64, as the generator's authors advise. */
  #seed(seed: bigint): void {
    let x = BigInt.asUintN(64, seed);
    const words: number[] = [];
    for (let i = 0; i < 2; i++) {
      x = BigInt.asUintN(64, x + 0x9e3779b97f4a7c15n);
      let z = x;
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      z ^= z >> 31n;
      words.push(Number(z & 0xffffffffn) | 0, Number(z >> 32n) | 0);
    }
    [this.#a = 0, this.#b = 0, this.#c = 0, this.#d = 0] = words;
  }
}

function rotateBits(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** @file Seeds: whole numbers of 64 bits, as a program writes them and as the generator takes them. */
import { AfterlogError, isSeed } from "../format/index.ts";

export interface Seed {
  /** Decimal. */
  readonly text: string;
  readonly words: readonly [low: number, high: number];
}

/** A number is taken only if it is exact; larger seeds are given as `bigint` or text. */
export function parseSeed(seed: number | bigint | string): Seed {
  const exact = typeof seed !== "number" || Number.isSafeInteger(seed);
  const text = String(seed);
  if (!exact || !isSeed(text)) {
    throw new AfterlogError("AL061", `${text} is not a seed`, {
      help: ["give a whole number from 0 to 2^64 - 1; above 2^53 as a bigint:  2n ** 63n"],
    });
  }
  const value = BigInt(text);
  return {
    text: value.toString(),
    words: [Number(value & 0xffffffffn), Number(value >> 32n)],
  };
}

/**
 * @file The order of an epoch: a permutation that is a pure function of seed and epoch, whatever
 * the number of workers, processes or ranks (rules IT-1 and IT-3; CheckFreq §6.2.3.1).
 */
import type { PhiloxKey } from "./philox.ts";
import { philoxBlock, WordStream } from "./philox.ts";

/** The stream that orders are drawn from; those of transforms begin at 1. */
const ORDER_STREAM = 0;
/** Above this many items the permutation is computed, not stored: 256 MiB would be too much. */
const STORED_MAX = 2 ** 26;
const FEISTEL_ROUNDS = 4;

/** Which item stands at each position of an epoch. */
export type Order = (position: number) => number;

export interface OrderOptions {
  readonly count: number;
  readonly seed: PhiloxKey["seed"];
  readonly epoch: number;
}

/** The items as they are. */
export const unshuffled: Order = (position) => position;

/** The shuffled order of one epoch. */
export function shuffledOrder({ count, seed, epoch }: OrderOptions): Order {
  const key = { seed, epoch, index: 0, stream: ORDER_STREAM };
  return count <= STORED_MAX ? storedOrder(count, key) : feistelOrder(count, key);
}

/** Fisher and Yates, from the first position on. */
function storedOrder(count: number, key: PhiloxKey): Order {
  const words = new WordStream(key);
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  for (let i = 0; i + 1 < count; i++) {
    const j = i + words.below(count - i);
    const chosen = order[j] ?? 0;
    order[j] = order[i] ?? 0;
    order[i] = chosen;
  }
  return (position) => order[position] ?? 0;
}

/**
 * A Feistel network permutes the numbers of an even number of bits; what falls outside `count` is
 * put through it again until it falls inside (cycle walking), which keeps it a permutation.
 */
export function feistelOrder(count: number, key: PhiloxKey): Order {
  const halfBits = Math.ceil(Math.ceil(Math.log2(count)) / 2);
  const mask = 2 ** halfBits - 1;
  const words = new Uint32Array(4);
  const permute = (value: number): number => {
    let left = Math.floor(value / 2 ** halfBits);
    let right = value & mask;
    for (let round = 0; round < FEISTEL_ROUNDS; round++) {
      philoxBlock(words, { ...key, index: right }, round);
      [left, right] = [right, left ^ ((words[0] ?? 0) & mask)];
    }
    return left * 2 ** halfBits + right;
  };
  return (position) => {
    let value = permute(position);
    while (value >= count) value = permute(value);
    return value;
  };
}

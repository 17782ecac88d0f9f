import { expect, test } from "vitest";
import { SeededRandom } from "../random.ts";
import { EpochOrder } from "./epoch-order.ts";

/** As TensorFlow.js has it. */
function shuffle(list: number[]): void {
  for (let left = list.length; left > 0; left--) {
    const from = Math.trunc(Math.random() * left);
    const sample = list[from] ?? 0;
    list[from] = list[left - 1] ?? 0;
    list[left - 1] = sample;
  }
}

function withRandom<T>(seed: string, work: () => T): T {
  const before = Math.random;
  Math.random = new SeededRandom(seed).random;
  try {
    return work();
  } finally {
    Math.random = before;
  }
}

const listOf = (length: number): number[] => Array.from({ length }, (_, i) => i);

test.each([1, 2, 3, 17, 1000])(
  "the order of %d samples is followed, and a new list brought to it",
  (n) => {
    const [whole, after] = withRandom("7", () => {
      const list = listOf(n);
      const orders = listOf(4).map(() => {
        shuffle(list);
        return [...list];
      });
      return [orders, Math.random()];
    });
    // The first two in one call, the others in calls of their own.
    const followed = withRandom("7", () => {
      const order = new EpochOrder(n);
      const first = listOf(n);
      const orders = listOf(4).map((epoch) => {
        const list = epoch < 2 ? first : listOf(n);
        order.beginShuffle(epoch >= 2);
        shuffle(list);
        order.endShuffle();
        return [[...list], [...order.state.order]];
      });
      return { orders, isKnown: order.state.isKnown, after: Math.random() };
    });
    const orders = whole.map((list) => [list, list]);
    expect(followed).toEqual({ orders, isKnown: true, after });
  },
);

test.each<[string, number]>([
  ["another algorithm", 4],
  ["somebody else who draws", 6],
])("the order is not known after %s", (_, draws) => {
  const order = new EpochOrder(5);
  order.beginShuffle(false);
  for (let i = 0; i < draws; i++) Math.random();
  order.endShuffle();
  expect(order.state.isKnown).toBe(false);
});

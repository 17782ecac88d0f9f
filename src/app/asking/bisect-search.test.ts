import fc from "fast-check";
import { expect, test } from "vitest";
import type { Quality } from "./bisect-search.ts";
import { mostAsked, searchFirstBad } from "./bisect-search.ts";

/** A history that turns bad at `turn`; asks what is neither known nor silent. */
async function check(history: {
  readonly count: number;
  readonly turn: number;
  readonly known?: ReadonlySet<number>;
  readonly silent?: ReadonlySet<number>;
}): Promise<{ first: number; last: number; untold: readonly number[]; asked: number[] }> {
  const { count, turn, known = new Set(), silent = new Set() } = history;
  const quality = (at: number): Quality => (at < turn ? "good" : "bad");
  const asked: number[] = [];
  const { firstBad, lastGood, untold } = await searchFirstBad({
    good: 0,
    bad: count - 1,
    known: (at) => (known.has(at) ? quality(at) : undefined),
    ask: async (at) => {
      asked.push(at);
      return silent.has(at) ? undefined : quality(at);
    },
  });
  return { first: firstBad, last: lastGood, untold, asked };
}

const histories = fc
  .integer({ min: 2, max: 300 })
  .chain((count) =>
    fc.record({ count: fc.constant(count), turn: fc.integer({ min: 1, max: count - 1 }) }),
  );
const places = fc.array(fc.nat(300)).map((list) => new Set(list));

test("finds the first bad one with log2 N questions", async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { first, last, untold, asked } = await check(history);
      expect({ first, last, untold }).toEqual({
        first: history.turn,
        last: history.turn - 1,
        untold: [],
      });
      expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(history.count - 1)));
    }),
  );
});

test("asks nothing that is known, and no more than it said", async () => {
  await fc.assert(
    fc.asyncProperty(histories, places, async (history, known) => {
      const { first, asked } = await check({ ...history, known });
      expect(first).toBe(history.turn);
      expect(asked.filter((at) => known.has(at))).toEqual([]);
      const quality = (at: number): Quality => (at < history.turn ? "good" : "bad");
      const most = mostAsked({
        good: 0,
        bad: history.count - 1,
        known: (at) => (known.has(at) ? quality(at) : undefined),
      });
      expect(asked.length).toBeLessThanOrEqual(most);
    }),
  );
});

test("what cannot answer is passed over, once, and said if the first bad one may be among it", async () => {
  await fc.assert(
    fc.asyncProperty(histories, places, async (history, silent) => {
      const { first, last, untold, asked } = await check({ ...history, silent });
      expect(new Set(asked).size).toBe(asked.length);
      expect(first).toBeGreaterThanOrEqual(history.turn);
      expect(last).toBeLessThan(history.turn);
      expect(untold.length).toBe(first - last - 1);
      for (const at of untold) expect(silent.has(at)).toBe(true);
    }),
  );
});

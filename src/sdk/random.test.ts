import fc from "fast-check";
import { expect, test } from "vitest";
import { SeededRandom } from "./random.ts";

test("the sequence of a seed is fixed: recorded runs rely on it", () => {
  const { random } = new SeededRandom("42");
  expect(Array.from({ length: 4 }, random)).toMatchInlineSnapshot(`
    [
      0.4137016681565887,
      0.003983993377814743,
      0.6500837027638867,
      0.6846020186141416,
    ]
  `);
});

test("a state that is put back continues exactly", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat(50), (seed, skip) => {
      const generator = new SeededRandom(String(seed));
      for (let i = 0; i < skip; i++) generator.random();
      const state = JSON.parse(JSON.stringify(generator.state)) as typeof generator.state;
      const expected = Array.from({ length: 10 }, generator.random);
      const other = new SeededRandom("0");
      other.state = state;
      expect(Array.from({ length: 10 }, other.random)).toEqual(expected);
      expect(other.draws).toBe(generator.draws);
    }),
  );
});

test("is uniform enough to train with", () => {
  const { random } = new SeededRandom("1");
  const counts = Array<number>(16).fill(0);
  for (let i = 0; i < 160_000; i++) {
    const value = random();
    const bin = Math.floor(value * 16);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  // 15 degrees of freedom: 37.7 is exceeded once in a thousand seeds, and this seed is fixed.
  expect(chiSquare).toBeLessThan(37.7);
});

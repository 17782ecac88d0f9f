/** Thinning: whatever is left out, nothing of what one would see is. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { thinned } from "./series.ts";

const places = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: -9, max: 9 })), {
    maxLength: 300,
  })
  .map((pairs) => pairs.toSorted(([a], [b]) => a - b));
const number = fc.integer({ min: -5, max: 45 });

test("least, greatest, first and last of what is looked at are among the points, in their order", () => {
  fc.assert(
    fc.property(places, number, number, fc.integer({ min: 1, max: 20 }), (pairs, a, b, px) => {
      const x = Float64Array.from(pairs, ([at]) => at);
      const y = Float64Array.from(pairs, ([, value]) => value);
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const chosen = [...thinned({ x, y }, { from, to, px })];
      expect(chosen).toEqual(chosen.toSorted((left, right) => left - right));
      expect(new Set(chosen).size).toBe(chosen.length);
      expect(chosen.length).toBeLessThanOrEqual(3 * (px + 2));
      const inside = pairs.flatMap(([at], place) => (at >= from && at <= to ? [place] : []));
      const values = (some: readonly number[]): number[] => some.map((place) => y[place] ?? NaN);
      const seen = chosen.filter((place) => inside.includes(place));
      expect(Math.min(...values(seen))).toBe(Math.min(...values(inside)));
      expect(Math.max(...values(seen))).toBe(Math.max(...values(inside)));
      for (const end of [inside[0], inside.at(-1)])
        if (end !== undefined) expect(x[end]).toSatisfy((at) => seen.some((one) => x[one] === at));
    }),
  );
});

test.each([
  ["nothing", 0, -Infinity, Infinity],
  ["one", 1, -Infinity, Infinity],
  ["many at one place", 5000, -Infinity, Infinity],
  ["a part in which there is none", 5000, 8, 9],
])("%s", (_, count, from, to) => {
  const x = new Float64Array(count).fill(3);
  const y = Float64Array.from(x, (_, at) => (at === 2500 ? 7 : 0));
  const chosen = thinned({ x, y }, { from, to, px: 100 });
  expect(chosen.length).toBeLessThanOrEqual(306);
  if (count > 1 && from < 3) expect([...chosen]).toContain(2500);
});

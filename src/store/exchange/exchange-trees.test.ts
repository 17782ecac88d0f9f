import fc from "fast-check";
import { expect, test } from "vitest";
import { partsOf } from "./exchange-trees.ts";

test("a list is cut into parts that are as large as they may be", () => {
  const sizes = fc.array(fc.nat(100), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 120 }), (items, max) => {
      const parts = partsOf(items, (size) => size, max);
      const sum = (part: readonly number[]): number => part.reduce((all, size) => all + size, 0);
      expect(parts.flat()).toEqual(items);
      for (const part of parts) expect(part.length === 1 || sum(part) <= max).toBe(true);
      for (const [at, part] of parts.entries()) {
        const next = parts[at + 1]?.[0];
        if (next !== undefined) expect(sum(part) + next).toBeGreaterThan(max);
      }
    }),
  );
});

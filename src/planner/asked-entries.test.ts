import fc from "fast-check";
import { expect, test } from "vitest";
import { Indices } from "./asked-entries.ts";

test("indices in order are found, and no others", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40)), fc.nat(41), (list, index) => {
      const indices = new Indices(list.toSorted((a, b) => a - b));
      expect(indices.has(index)).toBe(list.includes(index));
      expect(indices.size).toBe(list.length);
    }),
  );
});

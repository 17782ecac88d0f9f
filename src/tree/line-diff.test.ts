import fc from "fast-check";
import { expect, test } from "vitest";
import { matchLines } from "./line-diff.ts";

/** Length of the longest common subsequence, by the table that needs no thought. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  const cells = new Map<string, number>();
  const at = (i: number, j: number): number => cells.get(`${i},${j}`) ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const longest = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      cells.set(`${i},${j}`, longest);
    }
  }
  return at(0, 0);
}

const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 30 });

test("partners are equal lines in the same order, and as many as can be", () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const partners = [...matchLines(a, b)];
      const matched = partners.filter((partner) => partner >= 0);
      partners.forEach((partner, at) => partner < 0 || expect(b[partner]).toBe(a[at]));
      expect(matched).toEqual([...new Set(matched)].toSorted((one, other) => one - other));
      expect(matched.length).toBe(commonLength(a, b));
    }),
  );
});

test("two long texts that have nothing in common end unmatched", () => {
  const a = Array.from({ length: 4000 }, (_, at) => `a${at}`);
  const b = Array.from({ length: 4000 }, (_, at) => `b${at}`);
  expect(matchLines(a, b).every((partner) => partner === -1)).toBe(true);
});

test("two long texts that differ much are matched by what stands once in both", () => {
  const text = (other: string): string[] =>
    Array.from({ length: 3000 }, (_, at) => (at % 3 === 0 ? `line ${at}` : `${other}${at}`));
  const partners = matchLines(text("a"), text("b"));
  expect([...partners].every((partner, at) => partner === (at % 3 === 0 ? at : -1))).toBe(true);
});

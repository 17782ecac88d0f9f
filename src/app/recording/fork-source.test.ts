import { expect, test } from "vitest";
import { differsInside } from "./fork-source.ts";

/** The loop stands on lines 2 to 4. */
const TEXT = ["a", "for", "  b", "  c", "d"];

test.each<[what: string, now: readonly string[], isInside: boolean]>([
  ["another line of the body", ["a", "for", "  B", "  c", "d"], true],
  ["more at its end", ["a", "for", "  b", "  c", "  e", "  f", "d"], true],
  ["less", ["a", "for", "  b", "d"], true],
  ["the head", ["a", "FOR", "  b", "  c", "d"], false],
  ["before it", ["A", "for", "  b", "  c", "d"], false],
  ["behind it", ["a", "for", "  b", "  c", "D"], false],
  ["inside and behind", ["a", "for", "  B", "  c", "D"], false],
  ["one more before it that is like its head", ["a", "for", "for", "  b", "  c", "d"], true],
])("%s", (_, now, isInside) => {
  const span = { line: 2, endLine: 4 };
  expect(differsInside(TEXT.join("\n"), now.join("\n"), span)).toBe(isInside);
  expect(differsInside(TEXT.join("\n"), now.join("\n"), { line: 2 })).toBe(false);
});
